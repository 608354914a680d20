-- Reflexion: the notebook of mistakes, what became of each rule, and the tuned thresholds of each agent.
-- A mistake does not count while an operation that covers it (kind 'mistake') stands; so a purge and its undo need no
-- state of their own here.

CREATE TABLE mistakes (
    ordinal INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    agent_id TEXT NOT NULL,
    timestamp TEXT NOT NULL,
    recorded_at TEXT NOT NULL,
    category TEXT NOT NULL,
    severity TEXT NOT NULL,
    session_id TEXT,
    input_summary TEXT NOT NULL DEFAULT '',
    response_summary TEXT NOT NULL DEFAULT '',
    what_went_wrong TEXT NOT NULL,
    ground_truth TEXT,
    corrective_insight TEXT,
    evidence TEXT,
    folded TEXT NOT NULL,
    origin TEXT NOT NULL,
    origin_trust REAL NOT NULL,
    resolved_at TEXT
);
CREATE INDEX mistakes_unresolved ON mistakes(agent_id, category) WHERE resolved_at IS NULL;
CREATE INDEX mistakes_resolved ON mistakes(agent_id, resolved_at) WHERE resolved_at IS NOT NULL;
CREATE INDEX mistakes_origin ON mistakes(agent_id, origin, recorded_at);
CREATE INDEX operation_items_mistake ON operation_items(memory_id) WHERE kind = 'mistake';

CREATE TABLE rule_life (
    agent_id TEXT NOT NULL,
    category TEXT NOT NULL,
    applied INTEGER NOT NULL DEFAULT 0,
    helped INTEGER NOT NULL DEFAULT 0,
    harmed INTEGER NOT NULL DEFAULT 0,
    retired_at TEXT,
    retired_because TEXT,
    flagged_because TEXT,
    PRIMARY KEY (agent_id, category)
) WITHOUT ROWID;

CREATE TABLE metacognition (
    agent_id TEXT PRIMARY KEY,
    state TEXT NOT NULL
) WITHOUT ROWID;
