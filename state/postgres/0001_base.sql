-- needs 1
CREATE TABLE epochs (
	space   TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	epoch   BIGINT           NOT NULL,
	started BIGINT           NOT NULL
);

CREATE TABLE feeds (
	space TEXT COLLATE "C" NOT NULL,
	feed  TEXT COLLATE "C" NOT NULL,
	seq   BIGINT           NOT NULL,
	PRIMARY KEY (space, feed)
);

CREATE TABLE hosts (
	space   TEXT COLLATE "C" NOT NULL,
	host    TEXT COLLATE "C" NOT NULL,
	token   TEXT COLLATE "C" NOT NULL,
	started BIGINT           NOT NULL,
	renewed BIGINT           NOT NULL,
	expires BIGINT           NOT NULL,
	PRIMARY KEY (space, host),
	UNIQUE (space, token)
);
