-- needs 1
CREATE TABLE calls (
	space        TEXT   NOT NULL,
	id           TEXT   NOT NULL,
	version      BIGINT NOT NULL,
	kind         TEXT   NOT NULL,
	state        TEXT   NOT NULL,
	principal    TEXT   NOT NULL,
	agent        TEXT   NOT NULL,
	instance     TEXT   NOT NULL,
	tool         TEXT   NOT NULL,
	call_id      TEXT   NOT NULL,
	digest       BLOB,
	args         BLOB,
	capabilities BLOB,
	round        BIGINT NOT NULL,
	approval     TEXT   NOT NULL,
	ready        BIGINT NOT NULL,
	questions    BLOB,
	answers      BLOB,
	stopped      BIGINT NOT NULL,
	result       BLOB,
	host         TEXT   NOT NULL,
	created      BIGINT NOT NULL,
	updated      BIGINT NOT NULL,
	expires      BIGINT NOT NULL,
	PRIMARY KEY (space, id)
) WITHOUT ROWID;

CREATE INDEX calls_by_principal ON calls (space, kind, principal);
CREATE INDEX calls_by_host ON calls (space, state, host);
CREATE INDEX calls_by_approval ON calls (space, approval) WHERE approval <> '';
CREATE INDEX calls_by_expiry ON calls (space, expires);

CREATE TABLE seal_keys (
	space   TEXT   NOT NULL,
	id      TEXT   NOT NULL,
	secret  BLOB   NOT NULL,
	created BIGINT NOT NULL,
	expires BIGINT NOT NULL,
	PRIMARY KEY (space, id)
) WITHOUT ROWID;
