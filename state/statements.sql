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

-- ---- base: leases ----

-- name: HostTake
INSERT INTO hosts (space, host, token, started, renewed, expires) VALUES ($1, $2, $3, $4, $4, $5)
ON CONFLICT (space, host) DO UPDATE SET token = excluded.token, started = excluded.started, renewed = excluded.renewed, expires = excluded.expires
WHERE hosts.expires <= excluded.renewed

-- name: HostRenew
UPDATE hosts SET renewed = $3, expires = $4 WHERE space = $1 AND token = $2 AND expires > $3

-- name: HostHold [sqlite]
UPDATE hosts SET token = token WHERE space = $1 AND token = $2 AND expires > CAST(unixepoch('subsec') * 1000000 AS INTEGER)

-- name: HostHold [postgres]
SELECT 1 FROM hosts WHERE space = $1 AND token = $2 AND expires > CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT) FOR KEY SHARE

-- name: HostExpires
SELECT expires FROM hosts WHERE space = $1 AND token = $2

-- name: HostFence
DELETE FROM hosts WHERE space = $1 AND token = $2 AND expires <= $3

-- name: HostRelease
DELETE FROM hosts WHERE space = $1 AND token = $2

-- name: HostForget
DELETE FROM hosts WHERE space = $1 AND expires <= $2

-- ---- documents: tool requests, pins, tokens, consents (R3) ----

-- name: DocumentGet
SELECT value, digest, version FROM documents WHERE space = $1 AND kind = $2 AND key = $3

-- name: DocumentList
SELECT key, value, digest, version FROM documents WHERE space = $1 AND kind = $2 ORDER BY key

-- name: DocumentInsert
INSERT INTO documents (space, kind, key, version, value, digest, updated) VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (space, kind, key) DO NOTHING

-- name: DocumentUpdate
UPDATE documents SET version = $4, value = $5, digest = $6, updated = $7
WHERE space = $1 AND kind = $2 AND key = $3 AND version = $8

-- name: DocumentDelete
DELETE FROM documents WHERE space = $1 AND kind = $2 AND key = $3 AND version = $4

-- name: DocumentFeeds
SELECT feed, seq FROM feeds WHERE space = $1 AND feed >= $2 AND feed < $3
