-- needs 1
CREATE TABLE documents (
	space   TEXT COLLATE "C" NOT NULL,
	kind    TEXT COLLATE "C" NOT NULL,
	key     TEXT COLLATE "C" NOT NULL,
	version BIGINT           NOT NULL,
	value   BYTEA            NOT NULL,
	digest  BYTEA            NOT NULL,
	updated BIGINT           NOT NULL,
	PRIMARY KEY (space, kind, key)
);
