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
-- A page has one statement for each index that can find its rows; the conditions
-- with literals are those of the partial indexes, and +seq keeps SQLite from
-- using the primary key.

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
SELECT COALESCE((SELECT MIN(seq) FROM audit WHERE space = $1), 0), COALESCE((SELECT MAX(seq) FROM audit WHERE space = $1), 0)

-- name: AuditSince
SELECT seq FROM audit WHERE space = $1 AND time >= $2 ORDER BY time, seq LIMIT 1

-- name: AuditUntil
SELECT seq FROM audit WHERE space = $1 AND time <= $2 ORDER BY time DESC, seq DESC LIMIT 1

-- name: AuditGet
SELECT seq, time, kind, phase, begins, call_id, parent_id, trace, principal, principal_kind, agent, instance, tool, source,
	action, subject, status, code, rule, approval, host, started, duration, args_size, result_size,
	args_digest, result_digest, payload_digest, salt, args, result
FROM audit WHERE space = $1 AND seq = $2

-- name: AuditEndOf
SELECT seq, time, kind, phase, begins, call_id, parent_id, trace, principal, principal_kind, agent, instance, tool, source,
	action, subject, status, code, rule, approval, host, started, duration, args_size, result_size,
	args_digest, result_digest, payload_digest, salt, args, result
FROM audit WHERE space = $1 AND begins = $2 AND begins > 0

-- name: AuditAfter
SELECT seq, time, kind, phase, begins, call_id, parent_id, trace, principal, principal_kind, agent, instance, tool, source,
	action, subject, status, code, rule, approval, host, started, duration, args_size, result_size,
	args_digest, result_digest, payload_digest, salt, args, result
FROM audit WHERE space = $1 AND seq > $2 AND seq <= $3 ORDER BY seq LIMIT $4

-- name: AuditPage
SELECT seq, time, kind, phase, begins, call_id, parent_id, trace, principal, principal_kind, agent, instance, tool, source,
	action, subject, status, code, rule, approval, host, started, duration, args_size, result_size,
	args_digest, result_digest, payload_digest, salt, args, result
FROM audit
WHERE space = $1 AND seq < $2 AND seq >= $3
	AND (CAST($4 AS TEXT) = '' OR kind = $4)
	AND (CAST($5 AS TEXT) = '' OR tool = $5)
	AND (CAST($6 AS TEXT) = '' OR principal = $6)
	AND (CAST($7 AS TEXT) = '' OR agent = $7)
	AND (CAST($8 AS TEXT) = '' OR instance = $8)
	AND (CAST($9 AS TEXT) = '' OR status = $9)
	AND (CAST($10 AS TEXT) = '' OR trace = $10)
	AND (CAST($11 AS TEXT) = '' OR call_id = $11)
	AND (CAST($12 AS INTEGER) = 1 OR phase <> 'begin' OR NOT EXISTS (
		SELECT 1 FROM audit AS later WHERE later.space = $1 AND later.begins = audit.seq AND later.begins > 0))
ORDER BY seq DESC LIMIT $13

-- name: AuditPageByTool
SELECT seq, time, kind, phase, begins, call_id, parent_id, trace, principal, principal_kind, agent, instance, tool, source,
	action, subject, status, code, rule, approval, host, started, duration, args_size, result_size,
	args_digest, result_digest, payload_digest, salt, args, result
FROM audit
WHERE space = $1 AND seq < $2 AND seq >= $3
	AND (CAST($4 AS TEXT) = '' OR kind = $4)
	AND tool = $5 AND tool <> ''
	AND (CAST($6 AS TEXT) = '' OR principal = $6)
	AND (CAST($7 AS TEXT) = '' OR agent = $7)
	AND (CAST($8 AS TEXT) = '' OR instance = $8)
	AND (CAST($9 AS TEXT) = '' OR status = $9)
	AND (CAST($10 AS TEXT) = '' OR trace = $10)
	AND (CAST($11 AS TEXT) = '' OR call_id = $11)
	AND (CAST($12 AS INTEGER) = 1 OR phase <> 'begin' OR NOT EXISTS (
		SELECT 1 FROM audit AS later WHERE later.space = $1 AND later.begins = audit.seq AND later.begins > 0))
ORDER BY seq DESC LIMIT $13

-- name: AuditPageByPrincipal
SELECT seq, time, kind, phase, begins, call_id, parent_id, trace, principal, principal_kind, agent, instance, tool, source,
	action, subject, status, code, rule, approval, host, started, duration, args_size, result_size,
	args_digest, result_digest, payload_digest, salt, args, result
FROM audit
WHERE space = $1 AND seq < $2 AND seq >= $3
	AND (CAST($4 AS TEXT) = '' OR kind = $4)
	AND (CAST($5 AS TEXT) = '' OR tool = $5)
	AND principal = $6 AND principal <> ''
	AND (CAST($7 AS TEXT) = '' OR agent = $7)
	AND (CAST($8 AS TEXT) = '' OR instance = $8)
	AND (CAST($9 AS TEXT) = '' OR status = $9)
	AND (CAST($10 AS TEXT) = '' OR trace = $10)
	AND (CAST($11 AS TEXT) = '' OR call_id = $11)
	AND (CAST($12 AS INTEGER) = 1 OR phase <> 'begin' OR NOT EXISTS (
		SELECT 1 FROM audit AS later WHERE later.space = $1 AND later.begins = audit.seq AND later.begins > 0))
ORDER BY seq DESC LIMIT $13

-- name: AuditPageByStatus
SELECT seq, time, kind, phase, begins, call_id, parent_id, trace, principal, principal_kind, agent, instance, tool, source,
	action, subject, status, code, rule, approval, host, started, duration, args_size, result_size,
	args_digest, result_digest, payload_digest, salt, args, result
FROM audit
WHERE space = $1 AND seq < $2 AND seq >= $3
	AND (CAST($4 AS TEXT) = '' OR kind = $4)
	AND (CAST($5 AS TEXT) = '' OR tool = $5)
	AND (CAST($6 AS TEXT) = '' OR principal = $6)
	AND (CAST($7 AS TEXT) = '' OR agent = $7)
	AND (CAST($8 AS TEXT) = '' OR instance = $8)
	AND status = $9 AND status <> 'ok'
	AND (CAST($10 AS TEXT) = '' OR trace = $10)
	AND (CAST($11 AS TEXT) = '' OR call_id = $11)
	AND (CAST($12 AS INTEGER) = 1 OR phase <> 'begin' OR NOT EXISTS (
		SELECT 1 FROM audit AS later WHERE later.space = $1 AND later.begins = audit.seq AND later.begins > 0))
ORDER BY seq DESC LIMIT $13

-- name: AuditPageByTrace
SELECT seq, time, kind, phase, begins, call_id, parent_id, trace, principal, principal_kind, agent, instance, tool, source,
	action, subject, status, code, rule, approval, host, started, duration, args_size, result_size,
	args_digest, result_digest, payload_digest, salt, args, result
FROM audit
WHERE space = $1 AND +seq < $2 AND +seq >= $3 AND seq / 65536 = $14
	AND (CAST($4 AS TEXT) = '' OR kind = $4)
	AND (CAST($5 AS TEXT) = '' OR tool = $5)
	AND (CAST($6 AS TEXT) = '' OR principal = $6)
	AND (CAST($7 AS TEXT) = '' OR agent = $7)
	AND (CAST($8 AS TEXT) = '' OR instance = $8)
	AND (CAST($9 AS TEXT) = '' OR status = $9)
	AND trace = $10 AND trace <> ''
	AND (CAST($11 AS TEXT) = '' OR call_id = $11)
	AND (CAST($12 AS INTEGER) = 1 OR phase <> 'begin' OR NOT EXISTS (
		SELECT 1 FROM audit AS later WHERE later.space = $1 AND later.begins = audit.seq AND later.begins > 0))
ORDER BY +seq DESC LIMIT $13

-- name: AuditPageByCall
SELECT seq, time, kind, phase, begins, call_id, parent_id, trace, principal, principal_kind, agent, instance, tool, source,
	action, subject, status, code, rule, approval, host, started, duration, args_size, result_size,
	args_digest, result_digest, payload_digest, salt, args, result
FROM audit
WHERE space = $1 AND +seq < $2 AND +seq >= $3 AND seq / 65536 = $14
	AND (CAST($4 AS TEXT) = '' OR kind = $4)
	AND (CAST($5 AS TEXT) = '' OR tool = $5)
	AND (CAST($6 AS TEXT) = '' OR principal = $6)
	AND (CAST($7 AS TEXT) = '' OR agent = $7)
	AND (CAST($8 AS TEXT) = '' OR instance = $8)
	AND (CAST($9 AS TEXT) = '' OR status = $9)
	AND (CAST($10 AS TEXT) = '' OR trace = $10)
	AND call_id = $11 AND call_id <> ''
	AND (CAST($12 AS INTEGER) = 1 OR phase <> 'begin' OR NOT EXISTS (
		SELECT 1 FROM audit AS later WHERE later.space = $1 AND later.begins = audit.seq AND later.begins > 0))
ORDER BY +seq DESC LIMIT $13

-- name: AuditErase
UPDATE audit SET salt = NULL, args = NULL, result = NULL WHERE space = $1 AND seq = $2 AND salt IS NOT NULL

-- name: AuditRecords
SELECT seq, kind, subject FROM audit WHERE space = $1 AND kind IN ('retention', 'erasure') ORDER BY seq

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
-- ---- calls: suspended and running calls, tasks, seal keys ----

-- name: CallInsert
INSERT INTO calls (space, id, kind, principal, agent, instance, tool, call_id, digest, args, capabilities, created,
	version, state, round, approval, ready, questions, answers, stopped, result, host, updated, expires, attempt)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, CAST($9 AS BYTEA), CAST($10 AS BYTEA), CAST($11 AS BYTEA), $12,
	$13, $14, $15, $16, $17, CAST($18 AS BYTEA), CAST($19 AS BYTEA), $20, CAST($21 AS BYTEA), $22, $23, $24, $25)
ON CONFLICT (space, id) DO NOTHING

-- name: CallGet
SELECT id, kind, principal, agent, instance, tool, call_id, digest, args, capabilities, created,
	version, state, round, approval, ready, questions, answers, stopped, result, host, updated, expires, attempt
FROM calls WHERE space = $1 AND id = $2

-- name: CallUpdate
UPDATE calls SET version = $4, state = $5, round = $6, approval = $7, ready = $8, questions = CAST($9 AS BYTEA),
	answers = CAST($10 AS BYTEA), stopped = $11, result = CAST($12 AS BYTEA), host = $13, updated = $14, expires = $15, attempt = $16
WHERE space = $1 AND id = $2 AND version = $3

-- name: CallWaits
UPDATE calls SET call_id = $3, digest = CAST($4 AS BYTEA), args = CAST($5 AS BYTEA), agent = $6, instance = $7 WHERE space = $1 AND id = $2

-- name: CallCount
SELECT COUNT(*), COALESCE(SUM(CASE WHEN principal = $3 THEN 1 ELSE 0 END), 0) FROM calls
WHERE space = $1 AND kind = $2 AND (kind = 'task' OR state IN ('suspended', 'started')) AND (expires = 0 OR expires > $4)

-- name: CallMail
SELECT id, kind, principal, agent, instance, tool, call_id, digest, args, capabilities, created,
	version, state, round, approval, ready, questions, answers, stopped, result, host, updated, expires, attempt
FROM calls WHERE space = $1 AND state = 'started' AND host = $2 AND (stopped = 1 OR answers IS NOT NULL) ORDER BY id

-- name: CallsReadyOf
SELECT id, kind, principal, agent, instance, tool, call_id, digest, args, capabilities, created,
	version, state, round, approval, ready, questions, answers, stopped, result, host, updated, expires, attempt
FROM calls WHERE space = $1 AND kind = $2 AND state = 'suspended' AND ready = 1 ORDER BY updated, id LIMIT $3

-- name: CallsReady
UPDATE calls SET ready = 1, version = version + 1, updated = $3 WHERE space = $1 AND state = 'suspended'
	AND id IN (SELECT c.id FROM calls AS c WHERE c.space = $1 AND c.approval = $2 AND c.approval <> '')

-- name: CallHosts
SELECT DISTINCT host FROM calls WHERE space = $1 AND state = 'started'

-- name: CallsLose
UPDATE calls SET state = 'unknown', version = version + 1, updated = $3, expires = $4
WHERE space = $1 AND state = 'started' AND host = $2

-- name: CallsExpire
DELETE FROM calls WHERE space = $1 AND id IN (
	SELECT id FROM calls WHERE space = $1 AND expires > 0 AND expires <= $2 ORDER BY expires LIMIT $3)

-- name: CallsRemove
DELETE FROM calls WHERE space = $1 AND id IN (
	SELECT id FROM calls WHERE space = $1 AND state NOT IN ('suspended', 'started') AND updated < $2 ORDER BY updated, id LIMIT $3)

-- name: CallsSize
SELECT COALESCE(SUM(COALESCE(length(args), 0) + COALESCE(length(result), 0)), 0) FROM calls WHERE space = $1 AND state NOT IN ('suspended', 'started')

-- name: CallsRestored
UPDATE calls SET state = $2, version = version + 1, updated = $3, expires = $4 WHERE state = $1

-- name: CallsWrong
SELECT space, id, state FROM calls
WHERE state NOT IN ('suspended', 'started', 'done', 'cancelled', 'unknown')
	OR state = 'suspended' AND (digest IS NULL OR host <> '') OR state = 'started' AND host = ''
	OR state = 'done' AND result IS NULL
ORDER BY space, id

-- name: SealKeys
SELECT id, secret, created FROM seal_keys WHERE space = $1 AND expires > $2 ORDER BY created DESC, id

-- name: SealKeyInsert
INSERT INTO seal_keys (space, id, secret, created, expires) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (space, id) DO NOTHING

-- name: SealKeysExpire
DELETE FROM seal_keys WHERE space = $1 AND expires <= $2

-- ---- documents: tool requests, pins, tokens, consents (R3) ----

-- name: DocumentGet
SELECT value, digest, version FROM documents WHERE space = $1 AND kind = $2 AND key = $3

-- name: DocumentList
SELECT key, value, digest, version FROM documents WHERE space = $1 AND kind = $2 ORDER BY key

-- name: DocumentAll
SELECT space, kind, key, value, digest FROM documents ORDER BY space, kind, key

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

-- ---- approvals: questions to people, remembered answers, presence (P6) ----
-- Every writer of approvals first takes the number of their feed, which locks it.

-- name: ApprovalInsert
INSERT INTO approvals (space, id, version, state, way, key, waiting, principal, principal_kind, agent, instance, turn, call_id, tool, calls,
	decided_by, decided_kind, reason, request, owner, host, created, updated, expires, decided)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25)
ON CONFLICT (space, id) DO NOTHING

-- name: ApprovalGet
SELECT id, version, state, way, key, waiting, principal, principal_kind, agent, instance, turn, call_id, tool, calls,
	decided_by, decided_kind, reason, request, owner, host, created, updated, expires, decided
FROM approvals WHERE space = $1 AND id = $2

-- name: ApprovalOfKey
SELECT id, version, state, way, key, waiting, principal, principal_kind, agent, instance, turn, call_id, tool, calls,
	decided_by, decided_kind, reason, request, owner, host, created, updated, expires, decided
FROM approvals WHERE space = $1 AND key = $2 AND state IN ('pending', 'approved') ORDER BY +created LIMIT 1

-- name: ApprovalUpdate
UPDATE approvals SET version = $4, state = $5, way = $6, waiting = $7, calls = $8, decided_by = $9, decided_kind = $10, reason = $11,
	request = $12, owner = $13, host = $14, updated = $15, expires = $16, decided = $17
WHERE space = $1 AND id = $2 AND version = $3

-- name: ApprovalHold
UPDATE approvals SET version = version WHERE space = $1 AND id = $2

-- name: ApprovalCount
SELECT COUNT(*), COALESCE(SUM(CASE WHEN principal = $2 THEN 1 ELSE 0 END), 0) FROM approvals WHERE space = $1 AND state = 'pending'

-- name: ApprovalPage
SELECT id, version, state, way, key, waiting, principal, principal_kind, agent, instance, turn, call_id, tool, calls,
	decided_by, decided_kind, reason, request, owner, host, created, updated, expires, decided
FROM approvals WHERE space = $1 AND (created, id) < ($2, $3)
	AND (CAST($4 AS TEXT) = '' OR principal = $4)
	AND (CAST($5 AS TEXT) = '' OR agent = $5)
ORDER BY created DESC, id DESC LIMIT $6

-- name: ApprovalPageOfState
SELECT id, version, state, way, key, waiting, principal, principal_kind, agent, instance, turn, call_id, tool, calls,
	decided_by, decided_kind, reason, request, owner, host, created, updated, expires, decided
FROM approvals WHERE space = $1 AND (created, id) < ($2, $3)
	AND (CAST($4 AS TEXT) = '' OR principal = $4)
	AND (CAST($5 AS TEXT) = '' OR agent = $5)
	AND state = $7
ORDER BY created DESC, id DESC LIMIT $6

-- name: ApprovalsOver
SELECT id FROM approvals
WHERE space = $1 AND state IN ('pending', 'approved') AND (expires <= $2
	OR host <> '' AND NOT EXISTS (SELECT 1 FROM hosts WHERE hosts.space = $1 AND hosts.token = approvals.host AND hosts.expires > $2))
ORDER BY expires LIMIT $3

-- name: ApprovalsRemove
DELETE FROM approvals WHERE space = $1 AND id IN (
	SELECT id FROM approvals WHERE space = $1 AND state NOT IN ('pending', 'approved') AND updated < $2 ORDER BY updated, id LIMIT $3)

-- name: ApprovalsSize
SELECT COALESCE(SUM(length(calls)), 0) FROM approvals WHERE space = $1 AND state NOT IN ('pending', 'approved')

-- name: ApprovalsRestored
UPDATE approvals SET state = 'cancelled', version = version + 1, updated = $1, host = '' WHERE state IN ('pending', 'approved')

-- name: ApprovalsWrong
SELECT space, id, state FROM approvals
WHERE state NOT IN ('pending', 'approved', 'used', 'rejected', 'cancelled', 'expired') OR way NOT IN ('connection', 'record', 'permit')
	OR version < 1 OR expires <= 0 OR length(calls) = 0
	OR state IN ('approved', 'used', 'rejected') AND (decided = 0 OR decided_by = '')
	OR host <> '' AND way <> 'connection'
ORDER BY space, id

-- name: CallsOfApproval
SELECT id FROM calls WHERE space = $1 AND call_id = $3 AND state = 'suspended'
	AND id IN (SELECT c.id FROM calls AS c WHERE c.space = $1 AND c.approval = $2 AND c.approval <> '') ORDER BY id

-- name: CallArgs
UPDATE calls SET args = CAST($3 AS BYTEA) WHERE space = $1 AND id = $2 AND state = 'suspended'

-- name: AnswerPut
INSERT INTO approval_answers (space, key, approval, decided_by, decided_kind, created, expires) VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (space, key) DO UPDATE SET approval = excluded.approval, decided_by = excluded.decided_by, decided_kind = excluded.decided_kind,
	created = excluded.created, expires = excluded.expires

-- name: AnswerGet
SELECT approval, decided_by, decided_kind, created, expires FROM approval_answers WHERE space = $1 AND key = $2 AND expires > $3

-- name: AnswersExpire
DELETE FROM approval_answers WHERE space = $1 AND expires <= $2

-- name: PresencePut
INSERT INTO approval_presence (space, kind, name, seen) VALUES ($1, $2, $3, $4)
ON CONFLICT (space, kind, name) DO UPDATE SET seen = excluded.seen WHERE approval_presence.seen < excluded.seen

-- name: PresenceOf
SELECT seen FROM approval_presence WHERE space = $1 AND kind = $2 AND name = $3

-- name: PresenceLast
SELECT COALESCE(MAX(seen), 0) FROM approval_presence WHERE space = $1

-- name: PresenceForget
DELETE FROM approval_presence WHERE space = $1 AND seen <= $2

-- name: HostVoid
DELETE FROM hosts

-- name: HostLive
SELECT host FROM hosts WHERE expires > $1 ORDER BY host LIMIT 1

-- ---- base: epoch of the whole store ----

-- name: EpochGet
SELECT epoch FROM epochs WHERE space = ''

-- name: EpochSet
INSERT INTO epochs (space, epoch, started) VALUES ('', $1, $1)
ON CONFLICT (space) DO UPDATE SET epoch = excluded.epoch, started = excluded.started

-- ---- events ----

-- name: AuditAfterOf
SELECT seq, time, kind, phase, begins, call_id, parent_id, trace, principal, principal_kind, agent, instance, tool, source,
	action, subject, status, code, rule, approval, host, started, duration, args_size, result_size,
	args_digest, result_digest, payload_digest, salt, args, result
FROM audit WHERE space = $1 AND principal = $2 AND principal <> '' AND seq > $3 ORDER BY seq LIMIT $4

-- name: StoreBytes [sqlite]
SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()

-- name: StoreBytes [postgres]
SELECT CAST(COALESCE(SUM(pg_total_relation_size(oid)), 0) AS BIGINT) FROM pg_class
WHERE relnamespace = CAST(current_schema() AS regnamespace) AND relkind = 'r'

-- name: HostCount
SELECT COUNT(*) FROM hosts WHERE space = $1 AND expires > $2
