-- needs 1
CREATE TABLE documents (
	space   TEXT   NOT NULL,
	kind    TEXT   NOT NULL,
	key     TEXT   NOT NULL,
	version BIGINT NOT NULL,
	value   BLOB   NOT NULL,
	digest  BLOB   NOT NULL,
	updated BIGINT NOT NULL,
	PRIMARY KEY (space, kind, key)
) WITHOUT ROWID;
