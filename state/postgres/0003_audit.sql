-- needs 1
-- Audit rows. seq has no gaps: it is assigned under the row lock of the feed
-- "audit", in the transaction that inserts the row. The columns salt, args and
-- result are the payload, which can be erased; all others are sealed.
CREATE TABLE audit (
	space          TEXT NOT NULL COLLATE "C",
	seq            BIGINT NOT NULL,
	time           BIGINT NOT NULL,
	kind           TEXT NOT NULL COLLATE "C",
	phase          TEXT NOT NULL COLLATE "C",
	begins         BIGINT NOT NULL,
	call_id        TEXT NOT NULL COLLATE "C",
	parent_id      TEXT NOT NULL COLLATE "C",
	trace          TEXT NOT NULL COLLATE "C",
	principal      TEXT NOT NULL COLLATE "C",
	principal_kind TEXT NOT NULL COLLATE "C",
	agent          TEXT NOT NULL COLLATE "C",
	instance       TEXT NOT NULL COLLATE "C",
	tool           TEXT NOT NULL COLLATE "C",
	source         TEXT NOT NULL COLLATE "C",
	action         TEXT NOT NULL COLLATE "C",
	subject        TEXT NOT NULL COLLATE "C",
	status         TEXT NOT NULL COLLATE "C",
	code           TEXT NOT NULL COLLATE "C",
	rule           TEXT NOT NULL COLLATE "C",
	approval       TEXT NOT NULL COLLATE "C",
	host           TEXT NOT NULL COLLATE "C",
	started        BIGINT NOT NULL,
	duration       BIGINT NOT NULL,
	args_size      BIGINT NOT NULL,
	result_size    BIGINT NOT NULL,
	args_digest    BYTEA NOT NULL,
	result_digest  BYTEA NOT NULL,
	payload_digest BYTEA NOT NULL,
	salt           BYTEA,
	args           BYTEA,
	result         BYTEA,
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
	space    TEXT NOT NULL COLLATE "C",
	number   BIGINT NOT NULL,
	first    BIGINT NOT NULL,
	last     BIGINT NOT NULL,
	bytes    BIGINT NOT NULL,
	time     BIGINT NOT NULL,
	rows_digest BYTEA NOT NULL,
	previous BYTEA NOT NULL,
	digest   BYTEA NOT NULL,
	PRIMARY KEY (space, number)
);

-- The host that seals: the token of its lease.
CREATE TABLE audit_sealers (
	space TEXT NOT NULL COLLATE "C",
	token TEXT NOT NULL COLLATE "C",
	PRIMARY KEY (space)
);
