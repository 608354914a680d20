-- How far the most trusted memory of an agent can be trusted: a bound that only grows, so that a search need not
-- read on for a factor that nobody has.

CREATE TABLE agent_trust (
    agent_id TEXT PRIMARY KEY,
    most REAL NOT NULL
) WITHOUT ROWID;
INSERT OR IGNORE INTO agent_trust SELECT DISTINCT agent_id, 1.0 FROM memories;
INSERT OR IGNORE INTO agent_trust SELECT DISTINCT agent_id, 1.0 FROM memories_archive;
