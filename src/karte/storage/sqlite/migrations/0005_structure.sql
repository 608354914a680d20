-- Conversations: where in which one a memory was said, and by whom. Derived from the rows, like the search index;
-- a memory of no conversation has no row here. `place` sorts as the conversation went and is no other row's.

CREATE TABLE memory_turns (
    ordinal INTEGER PRIMARY KEY,
    agent_id TEXT NOT NULL,
    session TEXT NOT NULL,
    place TEXT NOT NULL,
    speaker TEXT,
    is_question INTEGER NOT NULL DEFAULT 0,
    is_inferred INTEGER NOT NULL DEFAULT 0,
    said_at TEXT NOT NULL
);
CREATE INDEX memory_turns_session ON memory_turns(agent_id, session, place);
CREATE INDEX memory_turns_inferred ON memory_turns(agent_id, ordinal) WHERE is_inferred = 1;

CREATE TRIGGER memory_turns_gone AFTER DELETE ON memories BEGIN
    DELETE FROM memory_turns WHERE ordinal = OLD.ordinal;
END;
CREATE TRIGGER memory_turns_moved AFTER UPDATE OF agent_id ON memories WHEN OLD.agent_id IS NOT NEW.agent_id BEGIN
    UPDATE memory_turns SET agent_id = NEW.agent_id WHERE ordinal = NEW.ordinal;
END;
