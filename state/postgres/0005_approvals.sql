-- needs 1
CREATE TABLE approvals (
	space          TEXT COLLATE "C" NOT NULL,
	id             TEXT COLLATE "C" NOT NULL,
	version        BIGINT NOT NULL,
	state          TEXT COLLATE "C" NOT NULL,
	way            TEXT COLLATE "C" NOT NULL,
	key            TEXT COLLATE "C" NOT NULL,
	waiting        BIGINT NOT NULL,
	principal      TEXT COLLATE "C" NOT NULL,
	principal_kind TEXT COLLATE "C" NOT NULL,
	agent          TEXT COLLATE "C" NOT NULL,
	instance       TEXT COLLATE "C" NOT NULL,
	turn           TEXT COLLATE "C" NOT NULL,
	call_id        TEXT COLLATE "C" NOT NULL,
	tool           TEXT COLLATE "C" NOT NULL,
	calls          BYTEA NOT NULL,
	decided_by     TEXT COLLATE "C" NOT NULL,
	decided_kind   TEXT COLLATE "C" NOT NULL,
	reason         TEXT COLLATE "C" NOT NULL,
	request        TEXT COLLATE "C" NOT NULL,
	owner          TEXT COLLATE "C" NOT NULL,
	host           TEXT COLLATE "C" NOT NULL,
	created        BIGINT NOT NULL,
	updated        BIGINT NOT NULL,
	expires        BIGINT NOT NULL,
	decided        BIGINT NOT NULL,
	PRIMARY KEY (space, id)
);

CREATE INDEX approvals_by_time ON approvals (space, created, id);
CREATE INDEX approvals_by_state ON approvals (space, state, created, id, principal);
CREATE INDEX approvals_by_key ON approvals (space, key) WHERE state IN ('pending', 'approved');
CREATE INDEX approvals_open ON approvals (space, expires) WHERE state IN ('pending', 'approved');
CREATE INDEX approvals_ended ON approvals (space, updated) WHERE state NOT IN ('pending', 'approved');

-- What a person said about a call counts again for the same call. The key is a
-- digest of all that the answer is bound to.
CREATE TABLE approval_answers (
	space        TEXT COLLATE "C" NOT NULL,
	key          TEXT COLLATE "C" NOT NULL,
	approval     TEXT COLLATE "C" NOT NULL,
	decided_by   TEXT COLLATE "C" NOT NULL,
	decided_kind TEXT COLLATE "C" NOT NULL,
	created      BIGINT NOT NULL,
	expires      BIGINT NOT NULL,
	PRIMARY KEY (space, key)
);

-- When a person could last see questions.
CREATE TABLE approval_presence (
	space TEXT COLLATE "C" NOT NULL,
	kind  TEXT COLLATE "C" NOT NULL,
	name  TEXT COLLATE "C" NOT NULL,
	seen  BIGINT NOT NULL,
	PRIMARY KEY (space, kind, name)
);
