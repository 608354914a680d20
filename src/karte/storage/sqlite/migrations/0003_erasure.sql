-- What was erased and shall not be stored again, on request: keyed hashes, never words.

CREATE TABLE erased_key (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    key BLOB NOT NULL
);
-- Random, made when the first hash is kept: the hashes of two files cannot be compared.

CREATE TABLE erased_content (
    agent_id TEXT NOT NULL,
    content_hash BLOB NOT NULL,
    erased_at TEXT NOT NULL,
    PRIMARY KEY (agent_id, content_hash)
) WITHOUT ROWID;
