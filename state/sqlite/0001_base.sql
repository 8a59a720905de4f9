-- needs 1
CREATE TABLE epochs (
	space   TEXT   NOT NULL PRIMARY KEY,
	epoch   BIGINT NOT NULL,
	started BIGINT NOT NULL
) WITHOUT ROWID;

CREATE TABLE feeds (
	space TEXT   NOT NULL,
	feed  TEXT   NOT NULL,
	seq   BIGINT NOT NULL,
	PRIMARY KEY (space, feed)
) WITHOUT ROWID;

CREATE TABLE hosts (
	space   TEXT   NOT NULL,
	host    TEXT   NOT NULL,
	token   TEXT   NOT NULL,
	started BIGINT NOT NULL,
	renewed BIGINT NOT NULL,
	expires BIGINT NOT NULL,
	PRIMARY KEY (space, host),
	UNIQUE (space, token)
) WITHOUT ROWID;
