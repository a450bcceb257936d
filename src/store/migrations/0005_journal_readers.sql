-- Answers that were given under an Idempotency-Key, kept in the commit of their effect.
CREATE TABLE answers (
  -- Environment, operation and key in one.
  name TEXT PRIMARY KEY,
  environment_id INTEGER NOT NULL,
  fingerprint TEXT NOT NULL,
  body TEXT NOT NULL,
  created_at BIGINT NOT NULL
);
CREATE INDEX answers_age ON answers (created_at);

-- When a message is to be sent, if not at once; until then due_at is the same.
ALTER TABLE messages ADD COLUMN send_at BIGINT;
CREATE INDEX messages_scheduled ON messages (due_at) WHERE status = 'scheduled' AND held = 0;

-- Lists of messages. Some states are rare and asked for often; the others are found by going back in time.
-- The environment comes first so that nobody takes this index for the one of what is queued.
CREATE INDEX messages_device ON messages (environment_id, device_id, seq);
CREATE INDEX messages_rare ON messages (environment_id, status, seq)
  WHERE status IN ('scheduled', 'failed', 'expired', 'canceled', 'unknown');

-- Where the messages of each bulk request lie: they are accepted together, and so stand in a row.
CREATE TABLE batches (id TEXT PRIMARY KEY, first_seq BIGINT NOT NULL, last_seq BIGINT NOT NULL);
CREATE INDEX batches_last ON batches (last_seq);
INSERT INTO batches (id, first_seq, last_seq)
  SELECT batch_id, MIN(seq), MAX(seq) FROM messages WHERE batch_id IS NOT NULL GROUP BY batch_id;

-- Addresses that are told what happens. position: everything in the journal up to there was tried at least once, or is
-- among the deliveries.
CREATE TABLE webhooks (
  id TEXT PRIMARY KEY,
  environment_id INTEGER NOT NULL REFERENCES environments (id),
  url TEXT NOT NULL,
  types TEXT,
  device_id TEXT,
  secret TEXT NOT NULL,
  previous_secret TEXT,
  previous_until BIGINT,
  position BIGINT NOT NULL,
  enabled INTEGER NOT NULL DEFAULT 1,
  disabled_reason TEXT,
  failing_since BIGINT,
  rests_until BIGINT,
  held_by TEXT,
  held_until BIGINT,
  -- Removed, but for the log of what it was told, which goes in steps.
  removed INTEGER NOT NULL DEFAULT 0,
  created_at BIGINT NOT NULL
);

-- What became of each event at each address.
CREATE TABLE deliveries (
  webhook_id TEXT NOT NULL REFERENCES webhooks (id),
  event_seq BIGINT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'failed')),
  attempts INTEGER NOT NULL,
  due_at BIGINT,
  tried_at BIGINT,
  log TEXT NOT NULL,
  PRIMARY KEY (webhook_id, event_seq)
);
CREATE INDEX deliveries_due ON deliveries (webhook_id, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX deliveries_open ON deliveries (webhook_id, state, event_seq) WHERE state <> 'delivered';
CREATE INDEX deliveries_tried ON deliveries (tried_at) WHERE due_at IS NULL;

-- Stretches of the journal that somebody wants delivered again.
CREATE TABLE replays (
  id TEXT PRIMARY KEY,
  webhook_id TEXT NOT NULL REFERENCES webhooks (id),
  position BIGINT NOT NULL,
  until_seq BIGINT NOT NULL
);

-- Who wants no messages. The digest stays when the number is forgotten.
CREATE TABLE opt_outs (
  environment_id INTEGER NOT NULL,
  digest TEXT NOT NULL,
  number TEXT,
  source TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (environment_id, digest)
);
CREATE INDEX opt_outs_list ON opt_outs (environment_id, created_at, digest);

-- How far the past of each environment was forgotten.
CREATE TABLE forgotten (
  environment_id INTEGER NOT NULL,
  what TEXT NOT NULL,
  position BIGINT NOT NULL,
  PRIMARY KEY (environment_id, what)
);

-- Messages that were not finished when the past around them was forgotten: looked at again.
CREATE TABLE passed_over (
  seq BIGINT NOT NULL,
  environment_id INTEGER NOT NULL,
  what TEXT NOT NULL,
  PRIMARY KEY (environment_id, what, seq)
);

-- Files that belong to nothing any more, until they are gone from the folder.
CREATE TABLE removed_files (id TEXT PRIMARY KEY);
