-- The life of a memory: whose a row was before it was given to another agent.

CREATE INDEX memory_revisions_owner ON memory_revisions(agent_id, identity) WHERE operation = 'reassign';
