-- The graph: which memories of an agent changed, in the order of one counter for the whole file. Triggers keep it, so
-- that no write can forget it. The greatest generation of an agent is that of its graph. The last 20,000 changes of
-- the file are kept; whoever has not looked for longer builds anew. An ordinal of NULL says that names changed.

ALTER TABLE karte_state ADD COLUMN graph_generation INTEGER NOT NULL DEFAULT 0;

CREATE TABLE graph_changes (
    agent_id TEXT NOT NULL,
    generation INTEGER NOT NULL,
    ordinal INTEGER,
    PRIMARY KEY (agent_id, generation)
) WITHOUT ROWID;

CREATE TRIGGER graph_memory_added AFTER INSERT ON memories BEGIN
    UPDATE karte_state SET graph_generation = graph_generation + 1;
    INSERT INTO graph_changes SELECT NEW.agent_id, graph_generation, NEW.ordinal FROM karte_state;
    DELETE FROM graph_changes WHERE agent_id = NEW.agent_id
        AND generation < (SELECT graph_generation - 20000 FROM karte_state);
END;
CREATE TRIGGER graph_memory_gone AFTER DELETE ON memories BEGIN
    UPDATE karte_state SET graph_generation = graph_generation + 1;
    INSERT INTO graph_changes SELECT OLD.agent_id, graph_generation, OLD.ordinal FROM karte_state;
END;
CREATE TRIGGER graph_memory_changed AFTER UPDATE OF agent_id, content, subject, predicate, object, valid_from,
    valid_until, origin_trust, quarantined, state, embedding, embedding_model ON memories BEGIN
    UPDATE karte_state SET graph_generation = graph_generation + 1;
    INSERT INTO graph_changes SELECT NEW.agent_id, graph_generation, NEW.ordinal FROM karte_state;
    INSERT INTO graph_changes SELECT OLD.agent_id, graph_generation, OLD.ordinal FROM karte_state
        WHERE OLD.agent_id IS NOT NEW.agent_id;
END;
CREATE TRIGGER graph_alias_added AFTER INSERT ON entity_alias BEGIN
    UPDATE karte_state SET graph_generation = graph_generation + 1;
    INSERT INTO graph_changes SELECT NEW.agent_id, graph_generation, NULL FROM karte_state;
END;
CREATE TRIGGER graph_alias_gone AFTER DELETE ON entity_alias BEGIN
    UPDATE karte_state SET graph_generation = graph_generation + 1;
    INSERT INTO graph_changes SELECT OLD.agent_id, graph_generation, NULL FROM karte_state;
END;
CREATE TRIGGER graph_alias_changed AFTER UPDATE ON entity_alias BEGIN
    UPDATE karte_state SET graph_generation = graph_generation + 1;
    INSERT INTO graph_changes SELECT NEW.agent_id, graph_generation, NULL FROM karte_state;
END;
