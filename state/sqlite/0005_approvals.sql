-- needs 1
-- Not WITHOUT ROWID: without statistics, SQLite would read the whole space by the
-- primary key of such a table and not use the other indexes.
CREATE TABLE approvals (
	space          TEXT   NOT NULL,
	id             TEXT   NOT NULL,
	version        BIGINT NOT NULL,
	state          TEXT   NOT NULL,
	way            TEXT   NOT NULL,
	key            TEXT   NOT NULL,
	waiting        BIGINT NOT NULL,
	principal      TEXT   NOT NULL,
	principal_kind TEXT   NOT NULL,
	agent          TEXT   NOT NULL,
	instance       TEXT   NOT NULL,
	turn           TEXT   NOT NULL,
	call_id        TEXT   NOT NULL,
	tool           TEXT   NOT NULL,
	calls          BLOB   NOT NULL,
	decided_by     TEXT   NOT NULL,
	decided_kind   TEXT   NOT NULL,
	reason         TEXT   NOT NULL,
	request        TEXT   NOT NULL,
	owner          TEXT   NOT NULL,
	host           TEXT   NOT NULL,
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
	space        TEXT   NOT NULL,
	key          TEXT   NOT NULL,
	approval     TEXT   NOT NULL,
	decided_by   TEXT   NOT NULL,
	decided_kind TEXT   NOT NULL,
	created      BIGINT NOT NULL,
	expires      BIGINT NOT NULL,
	PRIMARY KEY (space, key)
) WITHOUT ROWID;

-- When a person could last see questions.
CREATE TABLE approval_presence (
	space TEXT   NOT NULL,
	kind  TEXT   NOT NULL,
	name  TEXT   NOT NULL,
	seen  BIGINT NOT NULL,
	PRIMARY KEY (space, kind, name)
) WITHOUT ROWID;
