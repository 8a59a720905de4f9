-- needs 1
-- Audit rows. seq has no gaps: it is assigned under the row lock of the feed
-- "audit", in the transaction that inserts the row. The columns salt, args and
-- result are the payload, which can be erased; all others are sealed.
CREATE TABLE audit (
	space          TEXT NOT NULL COLLATE BINARY,
	seq            BIGINT NOT NULL,
	time           BIGINT NOT NULL,
	kind           TEXT NOT NULL,
	phase          TEXT NOT NULL,
	begins         BIGINT NOT NULL,
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
	started        BIGINT NOT NULL,
	duration       BIGINT NOT NULL,
	args_size      BIGINT NOT NULL,
	result_size    BIGINT NOT NULL,
	args_digest    BLOB NOT NULL,
	result_digest  BLOB NOT NULL,
	payload_digest BLOB NOT NULL,
	salt           BLOB,
	args           BLOB,
	result         BLOB,
	PRIMARY KEY (space, seq)
);
CREATE INDEX audit_time ON audit (space, time, seq);
CREATE INDEX audit_tool ON audit (space, tool, seq) WHERE tool <> '';
CREATE INDEX audit_principal ON audit (space, principal, seq) WHERE principal <> '';
CREATE INDEX audit_status ON audit (space, status, seq) WHERE status <> 'ok';
CREATE INDEX audit_records ON audit (space, seq) WHERE kind IN ('retention', 'erasure');
CREATE UNIQUE INDEX audit_end ON audit (space, begins) WHERE begins > 0;
-- Ids are random. In buckets of numbers, new ones go to few pages of the index.
CREATE INDEX audit_call ON audit (space, (seq / 65536), call_id) WHERE call_id <> '';
CREATE INDEX audit_trace ON audit (space, (seq / 65536), trace) WHERE trace <> '';

-- Seals form a chain: each holds the digest of the one before it.
CREATE TABLE audit_seals (
	space    TEXT NOT NULL COLLATE BINARY,
	number   BIGINT NOT NULL,
	first    BIGINT NOT NULL,
	last     BIGINT NOT NULL,
	bytes    BIGINT NOT NULL,
	time     BIGINT NOT NULL,
	rows_digest BLOB NOT NULL,
	previous BLOB NOT NULL,
	digest   BLOB NOT NULL,
	PRIMARY KEY (space, number)
);

-- The host that seals: the token of its lease.
CREATE TABLE audit_sealers (
	space TEXT NOT NULL COLLATE BINARY,
	token TEXT NOT NULL,
	PRIMARY KEY (space)
);
