-- The life of a memory: decay and decisions.

CREATE INDEX memory_revisions_owner ON memory_revisions(agent_id, identity) WHERE operation = 'reassign';
