-- needs 1
-- Audit rows. seq has no gaps: it is assigned under the row lock of the feed
-- "audit", in the transaction that inserts the row. The columns salt, args and
-- result are the payload, which can be erased; all others are sealed.
CREATE TABLE audit (
	space          TEXT NOT NULL COLLATE BINARY,
	seq            INTEGER NOT NULL,
	time           INTEGER NOT NULL,
	kind           TEXT NOT NULL,
	phase          TEXT NOT NULL,
	begins         INTEGER NOT NULL,
	call_id        TEXT NOT NULL,
	parent_id      TEXT NOT NULL,
	trace          TEXT NOT NULL,
	principal      TEXT NOT NULL,
	principal_kind TEXT NOT NULL,
	agent          TEXT NOT NULL,
	instance       TEXT NOT NULL,
	tool           TEXT NOT NULL,
	source         TEXT NOT NULL,
	action         TEXT NOT NULL,
	subject        TEXT NOT NULL,
	status         TEXT NOT NULL,
	code           TEXT NOT NULL,
	rule           TEXT NOT NULL,
	approval       TEXT NOT NULL,
	host           TEXT NOT NULL,
	started        INTEGER NOT NULL,
	duration       INTEGER NOT NULL,
	args_size      INTEGER NOT NULL,
	result_size    INTEGER NOT NULL,
	args_digest    BLOB NOT NULL,
	result_digest  BLOB NOT NULL,
	payload_digest BLOB NOT NULL,
	salt           BLOB,
	args           BLOB,
	result         BLOB,
	PRIMARY KEY (space, seq)
) STRICT;
CREATE INDEX audit_time ON audit (space, time, seq);
CREATE INDEX audit_tool ON audit (space, tool, seq);
CREATE INDEX audit_principal ON audit (space, principal, seq);
CREATE INDEX audit_agent ON audit (space, agent, seq);
CREATE INDEX audit_status ON audit (space, status, seq) WHERE status <> 'ok';
CREATE INDEX audit_call ON audit (space, call_id, seq);
CREATE INDEX audit_trace ON audit (space, trace, seq) WHERE trace <> '';
CREATE UNIQUE INDEX audit_end ON audit (space, begins) WHERE begins > 0;

-- Seals form a chain: each holds the digest of the one before it.
CREATE TABLE audit_seals (
	space    TEXT NOT NULL COLLATE BINARY,
	number   INTEGER NOT NULL,
	first    INTEGER NOT NULL,
	last     INTEGER NOT NULL,
	bytes    INTEGER NOT NULL,
	time     INTEGER NOT NULL,
	rows_digest BLOB NOT NULL,
	previous BLOB NOT NULL,
	digest   BLOB NOT NULL,
	PRIMARY KEY (space, number)
) STRICT;

-- The host that seals: the token of its lease.
CREATE TABLE audit_sealers (
	space TEXT NOT NULL COLLATE BINARY,
	token TEXT NOT NULL,
	PRIMARY KEY (space)
) STRICT;

-- The rows as they are read. ended is 1 for the begin row of a call that has an
-- end row.
CREATE VIEW audit_shown AS
SELECT space, seq, time, kind, phase, begins,
	call_id, parent_id, trace, principal, principal_kind, agent, instance, tool, source,
	action, subject, status, code, rule, approval, host,
	started, duration, args_size, result_size, args_digest, result_digest, payload_digest, salt, args, result,
	CASE WHEN phase = 'begin' AND EXISTS (
		SELECT 1 FROM audit AS later WHERE later.space = audit.space AND later.begins = audit.seq AND later.begins > 0
	) THEN 1 ELSE 0 END AS ended
FROM audit;
