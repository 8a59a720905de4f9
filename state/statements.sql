-- The statements of the store, for both engines. Placeholders are $1, $2, …
-- A statement for one engine only has its name behind: [sqlite] or [postgres].
-- Rules: time in microseconds from Tx.Now; bytes for what models and tools write;
-- CAST($1 AS BIGINT|TEXT|BYTEA) on parameters that can be NULL; ON CONFLICT in
-- place of a caught error; a transition is a conditional UPDATE.

-- ---- base: feeds ----

-- name: FeedNext
INSERT INTO feeds (space, feed, seq) VALUES ($1, $2, 1)
ON CONFLICT (space, feed) DO UPDATE SET seq = feeds.seq + 1
RETURNING seq

-- name: FeedLast
SELECT seq FROM feeds WHERE space = $1 AND feed = $2
