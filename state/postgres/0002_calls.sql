-- needs 1
CREATE TABLE calls (
	space        TEXT COLLATE "C" NOT NULL,
	id           TEXT COLLATE "C" NOT NULL,
	version      BIGINT NOT NULL,
	kind         TEXT COLLATE "C" NOT NULL,
	state        TEXT COLLATE "C" NOT NULL,
	principal    TEXT COLLATE "C" NOT NULL,
	agent        TEXT COLLATE "C" NOT NULL,
	instance     TEXT COLLATE "C" NOT NULL,
	tool         TEXT COLLATE "C" NOT NULL,
	call_id      TEXT COLLATE "C" NOT NULL,
	digest       BYTEA,
	args         BYTEA,
	capabilities BYTEA,
	round        BIGINT NOT NULL,
	approval     TEXT COLLATE "C" NOT NULL,
	ready        BIGINT NOT NULL,
	questions    BYTEA,
	answers      BYTEA,
	stopped      BIGINT NOT NULL,
	result       BYTEA,
	host         TEXT COLLATE "C" NOT NULL,
	created      BIGINT NOT NULL,
	updated      BIGINT NOT NULL,
	expires      BIGINT NOT NULL,
	PRIMARY KEY (space, id)
);

CREATE INDEX calls_by_principal ON calls (space, kind, principal);
CREATE INDEX calls_by_host ON calls (space, state, host);
CREATE INDEX calls_by_approval ON calls (space, approval) WHERE approval <> '';
CREATE INDEX calls_by_expiry ON calls (space, expires);

CREATE TABLE seal_keys (
	space   TEXT COLLATE "C" NOT NULL,
	id      TEXT COLLATE "C" NOT NULL,
	secret  BYTEA  NOT NULL,
	created BIGINT NOT NULL,
	expires BIGINT NOT NULL,
	PRIMARY KEY (space, id)
);
