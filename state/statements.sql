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

-- ---- audit ----
-- A page has one statement for each index that can find its rows.

-- name: FeedTake
INSERT INTO feeds (space, feed, seq) VALUES ($1, $2, $3)
ON CONFLICT (space, feed) DO UPDATE SET seq = feeds.seq + excluded.seq
RETURNING seq

-- name: AuditInsert
INSERT INTO audit (space, seq, time, kind, phase, begins,
	call_id, parent_id, trace, principal, principal_kind, agent, instance, tool, source,
	action, subject, status, code, rule, approval, host,
	started, duration, args_size, result_size, args_digest, result_digest, payload_digest, salt, args, result)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22,
	$23, $24, $25, $26, $27, $28, $29, $30, $31, $32)

-- name: AuditTimeOf
SELECT time FROM audit WHERE space = $1 AND seq = $2

-- name: AuditEnds
SELECT COALESCE(MIN(seq), 0), COALESCE(MAX(seq), 0) FROM audit WHERE space = $1

-- name: AuditSince
SELECT seq FROM audit WHERE space = $1 AND time >= $2 ORDER BY time, seq LIMIT 1

-- name: AuditUntil
SELECT seq FROM audit WHERE space = $1 AND time <= $2 ORDER BY time DESC, seq DESC LIMIT 1

-- name: AuditGet
SELECT * FROM audit_shown WHERE space = $1 AND seq = $2

-- name: AuditEndOf
SELECT * FROM audit_shown WHERE space = $1 AND begins = $2 AND begins > 0

-- name: AuditAfter
SELECT * FROM audit_shown WHERE space = $1 AND seq > $2 AND seq <= $3 ORDER BY seq LIMIT $4

-- name: AuditPage
SELECT * FROM audit_shown
WHERE space = $1 AND seq < $2 AND seq >= $3
	AND (CAST($4 AS TEXT) = '' OR kind = $4)
	AND (CAST($5 AS TEXT) = '' OR tool = $5)
	AND (CAST($6 AS TEXT) = '' OR principal = $6)
	AND (CAST($7 AS TEXT) = '' OR agent = $7)
	AND (CAST($8 AS TEXT) = '' OR instance = $8)
	AND (CAST($9 AS TEXT) = '' OR status = $9)
	AND (CAST($10 AS TEXT) = '' OR trace = $10)
	AND (CAST($11 AS TEXT) = '' OR call_id = $11)
	AND (ended = 0 OR CAST($12 AS INTEGER) = 1)
ORDER BY seq DESC LIMIT $13

-- name: AuditPageByTool
SELECT * FROM audit_shown
WHERE space = $1 AND seq < $2 AND seq >= $3
	AND (CAST($4 AS TEXT) = '' OR kind = $4)
	AND tool = $5
	AND (CAST($6 AS TEXT) = '' OR principal = $6)
	AND (CAST($7 AS TEXT) = '' OR agent = $7)
	AND (CAST($8 AS TEXT) = '' OR instance = $8)
	AND (CAST($9 AS TEXT) = '' OR status = $9)
	AND (CAST($10 AS TEXT) = '' OR trace = $10)
	AND (CAST($11 AS TEXT) = '' OR call_id = $11)
	AND (ended = 0 OR CAST($12 AS INTEGER) = 1)
ORDER BY seq DESC LIMIT $13

-- name: AuditPageByPrincipal
SELECT * FROM audit_shown
WHERE space = $1 AND seq < $2 AND seq >= $3
	AND (CAST($4 AS TEXT) = '' OR kind = $4)
	AND (CAST($5 AS TEXT) = '' OR tool = $5)
	AND principal = $6
	AND (CAST($7 AS TEXT) = '' OR agent = $7)
	AND (CAST($8 AS TEXT) = '' OR instance = $8)
	AND (CAST($9 AS TEXT) = '' OR status = $9)
	AND (CAST($10 AS TEXT) = '' OR trace = $10)
	AND (CAST($11 AS TEXT) = '' OR call_id = $11)
	AND (ended = 0 OR CAST($12 AS INTEGER) = 1)
ORDER BY seq DESC LIMIT $13

-- name: AuditPageByAgent
SELECT * FROM audit_shown
WHERE space = $1 AND seq < $2 AND seq >= $3
	AND (CAST($4 AS TEXT) = '' OR kind = $4)
	AND (CAST($5 AS TEXT) = '' OR tool = $5)
	AND (CAST($6 AS TEXT) = '' OR principal = $6)
	AND agent = $7
	AND (CAST($8 AS TEXT) = '' OR instance = $8)
	AND (CAST($9 AS TEXT) = '' OR status = $9)
	AND (CAST($10 AS TEXT) = '' OR trace = $10)
	AND (CAST($11 AS TEXT) = '' OR call_id = $11)
	AND (ended = 0 OR CAST($12 AS INTEGER) = 1)
ORDER BY seq DESC LIMIT $13

-- name: AuditPageByStatus
SELECT * FROM audit_shown
WHERE space = $1 AND seq < $2 AND seq >= $3
	AND (CAST($4 AS TEXT) = '' OR kind = $4)
	AND (CAST($5 AS TEXT) = '' OR tool = $5)
	AND (CAST($6 AS TEXT) = '' OR principal = $6)
	AND (CAST($7 AS TEXT) = '' OR agent = $7)
	AND (CAST($8 AS TEXT) = '' OR instance = $8)
	AND status = $9 AND status <> 'ok'
	AND (CAST($10 AS TEXT) = '' OR trace = $10)
	AND (CAST($11 AS TEXT) = '' OR call_id = $11)
	AND (ended = 0 OR CAST($12 AS INTEGER) = 1)
ORDER BY seq DESC LIMIT $13

-- name: AuditPageByTrace
SELECT * FROM audit_shown
WHERE space = $1 AND seq < $2 AND seq >= $3
	AND (CAST($4 AS TEXT) = '' OR kind = $4)
	AND (CAST($5 AS TEXT) = '' OR tool = $5)
	AND (CAST($6 AS TEXT) = '' OR principal = $6)
	AND (CAST($7 AS TEXT) = '' OR agent = $7)
	AND (CAST($8 AS TEXT) = '' OR instance = $8)
	AND (CAST($9 AS TEXT) = '' OR status = $9)
	AND trace = $10 AND trace <> ''
	AND (CAST($11 AS TEXT) = '' OR call_id = $11)
	AND (ended = 0 OR CAST($12 AS INTEGER) = 1)
ORDER BY seq DESC LIMIT $13

-- name: AuditPageByCall
SELECT * FROM audit_shown
WHERE space = $1 AND seq < $2 AND seq >= $3
	AND (CAST($4 AS TEXT) = '' OR kind = $4)
	AND (CAST($5 AS TEXT) = '' OR tool = $5)
	AND (CAST($6 AS TEXT) = '' OR principal = $6)
	AND (CAST($7 AS TEXT) = '' OR agent = $7)
	AND (CAST($8 AS TEXT) = '' OR instance = $8)
	AND (CAST($9 AS TEXT) = '' OR status = $9)
	AND (CAST($10 AS TEXT) = '' OR trace = $10)
	AND call_id = $11
	AND (ended = 0 OR CAST($12 AS INTEGER) = 1)
ORDER BY seq DESC LIMIT $13

-- name: AuditErase
UPDATE audit SET salt = NULL, args = NULL, result = NULL WHERE space = $1 AND seq = $2 AND salt IS NOT NULL

-- name: AuditRecords
SELECT seq, kind, subject FROM audit WHERE space = $1 AND tool = '' AND kind IN ('retention', 'erasure') ORDER BY seq

-- name: AuditDrop
DELETE FROM audit WHERE space = $1 AND seq <= $2

-- name: SealInsert
INSERT INTO audit_seals (space, number, first, last, bytes, time, rows_digest, previous, digest)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)

-- name: SealLast
SELECT number, first, last, bytes, time, rows_digest, previous, digest FROM audit_seals WHERE space = $1 ORDER BY number DESC LIMIT 1

-- name: SealsFrom
SELECT number, first, last, bytes, time, rows_digest, previous, digest FROM audit_seals WHERE space = $1 AND number > $2 ORDER BY number LIMIT $3

-- name: SealBefore
SELECT number, first, last, bytes, time, rows_digest, previous, digest FROM audit_seals WHERE space = $1 AND time < $2 ORDER BY number DESC LIMIT 1

-- name: SealOverBytes
SELECT number, first, last, bytes, time, rows_digest, previous, digest FROM (
	SELECT s.*, SUM(bytes) OVER (ORDER BY number DESC) AS kept FROM audit_seals AS s WHERE space = $1 AND last >= $2
) AS summed WHERE kept > $3 ORDER BY number DESC LIMIT 1

-- name: SealerGet
SELECT token FROM audit_sealers WHERE space = $1

-- name: SealerPut
INSERT INTO audit_sealers (space, token) VALUES ($1, $2)
ON CONFLICT (space) DO UPDATE SET token = excluded.token
-- name: FeedAll
SELECT feed, seq FROM feeds WHERE space = $1 ORDER BY feed

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

-- ---- events ----

-- name: AuditAfterOf
SELECT * FROM audit_shown WHERE space = $1 AND principal = $2 AND seq > $3 ORDER BY seq LIMIT $4

-- name: StoreBytes [sqlite]
SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()

-- name: StoreBytes [postgres]
SELECT CAST(COALESCE(SUM(pg_total_relation_size(oid)), 0) AS BIGINT) FROM pg_class
WHERE relnamespace = CAST(current_schema() AS regnamespace) AND relkind = 'r'

-- name: HostCount
SELECT COUNT(*) FROM hosts WHERE space = $1 AND expires > $2
