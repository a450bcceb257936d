-- Several nodes: who holds what, with an epoch that fences off whoever held it before.
-- May a node of the version before go on beside it: no. It would not see these leases. Stop all nodes first.

CREATE TABLE leases (
  -- device:<id>, webhook:<id>, or loops.
  name TEXT PRIMARY KEY,
  -- Null: nobody holds it.
  node TEXT,
  -- Grows whenever it changes hands.
  epoch BIGINT NOT NULL,
  taken_at BIGINT NOT NULL
);
CREATE INDEX leases_node ON leases (node);

-- By the database's clock: until then the node is taken for alive.
ALTER TABLE nodes ADD COLUMN alive_until BIGINT NOT NULL DEFAULT 0;
ALTER TABLE nodes ADD COLUMN started_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE nodes ADD COLUMN version TEXT NOT NULL DEFAULT '';
-- It was asked to hand over what it holds.
ALTER TABLE nodes ADD COLUMN draining INTEGER NOT NULL DEFAULT 0;

-- When the newest event was written: times of events never go back, whatever the clocks of the nodes say.
ALTER TABLE counters ADD COLUMN at BIGINT NOT NULL DEFAULT 0;

ALTER TABLE webhooks DROP COLUMN held_by;
ALTER TABLE webhooks DROP COLUMN held_until;
