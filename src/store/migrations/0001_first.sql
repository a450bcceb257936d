-- The account and its two environments.
CREATE TABLE accounts (id INTEGER PRIMARY KEY, name TEXT NOT NULL, created_at BIGINT NOT NULL);
CREATE TABLE environments (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  name TEXT NOT NULL CHECK (name IN ('production', 'staging')),
  settings TEXT NOT NULL DEFAULT '{}',
  UNIQUE (account_id, name)
);
INSERT INTO accounts (id, name, created_at) VALUES (1, 'Account', 0);
INSERT INTO environments (id, account_id, name) VALUES (1, 1, 'production'), (2, 1, 'staging');

-- 'journal' numbers events; its row is locked by every writer. 'devices' grows with each change of a device.
CREATE TABLE counters (name TEXT PRIMARY KEY, value BIGINT NOT NULL);
INSERT INTO counters (name, value) VALUES ('journal', 0), ('devices', 0);

CREATE TABLE keys (
  id TEXT PRIMARY KEY,
  environment_id INTEGER NOT NULL REFERENCES environments (id),
  name TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  hint TEXT NOT NULL,
  scopes TEXT NOT NULL,
  rate_limit INTEGER,
  allowed_ips TEXT NOT NULL,
  created_by TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT,
  revoked_at BIGINT,
  last_used_at BIGINT
);

-- Requests of a key in its current minute, where several nodes share the count. Losing it in a crash harms nobody.
CREATE UNLOGGED TABLE request_windows (key_id TEXT PRIMARY KEY, started_at BIGINT NOT NULL, count BIGINT NOT NULL); -- only: postgres

CREATE TABLE devices (
  id TEXT PRIMARY KEY,
  environment_id INTEGER NOT NULL REFERENCES environments (id),
  kind TEXT NOT NULL CHECK (kind IN ('android', 'whatsapp', 'simulated')),
  name TEXT NOT NULL,
  phone TEXT NOT NULL,
  per_minute INTEGER,
  per_day INTEGER,
  paused INTEGER NOT NULL DEFAULT 0,
  online INTEGER NOT NULL DEFAULT 0,
  held_by TEXT,
  created_at BIGINT NOT NULL,
  removed_at BIGINT
);

-- What waits for each device and how fast it has been sending; apart from devices, because it changes all the time.
CREATE TABLE loads (
  device_id TEXT PRIMARY KEY,
  waiting BIGINT NOT NULL DEFAULT 0,
  waiting_parts BIGINT NOT NULL DEFAULT 0,
  movable BIGINT NOT NULL DEFAULT 0,
  pace TEXT NOT NULL DEFAULT '{"recent":[],"day":0,"dayParts":0}'
);

-- The processes that hold links, and when each last showed itself.
CREATE TABLE nodes (name TEXT PRIMARY KEY, seen_at BIGINT NOT NULL);

-- seq is the number of the message's first event, so rows are only ever added at the end.
CREATE TABLE messages (
  seq INTEGER PRIMARY KEY, -- only: sqlite
  seq BIGINT PRIMARY KEY, -- only: postgres
  id TEXT NOT NULL,
  environment_id INTEGER NOT NULL,
  batch_id TEXT,
  device_id TEXT NOT NULL,
  pinned INTEGER NOT NULL,
  -- The digits of the number, which are half the size of the text: this index is the one that grows all over.
  recipient BIGINT NOT NULL,
  text TEXT NOT NULL,
  media_url TEXT,
  sim_slot INTEGER,
  parts INTEGER NOT NULL,
  status TEXT NOT NULL,
  error_code TEXT,
  error_detail TEXT,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  -- When somebody must look at it again: its expiry while it is unfinished, then nothing.
  due_at BIGINT,
  handed_at BIGINT,
  sent_at BIGINT,
  delivered_at BIGINT,
  read_at BIGINT,
  attempts INTEGER NOT NULL DEFAULT 0,
  version INTEGER NOT NULL DEFAULT 1,
  held INTEGER NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX messages_id ON messages (id);
CREATE INDEX messages_queued ON messages (device_id, seq) WHERE status = 'queued' AND held = 0;
CREATE INDEX messages_sending ON messages (device_id, seq) WHERE status = 'sending' AND held = 0;
CREATE INDEX messages_due ON messages (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX messages_recipient ON messages (recipient, environment_id, seq);
CREATE INDEX messages_held ON messages (seq) WHERE held = 1;

-- n_… count the messages of each list without gaps, oldest first: any page and the total cost two look-ups.
CREATE TABLE received (
  seq INTEGER PRIMARY KEY, -- only: sqlite
  seq BIGINT PRIMARY KEY, -- only: postgres
  id TEXT NOT NULL UNIQUE,
  environment_id INTEGER NOT NULL,
  device_id TEXT NOT NULL,
  sender TEXT NOT NULL,
  text TEXT NOT NULL,
  type TEXT NOT NULL,
  metadata TEXT NOT NULL,
  external_id TEXT,
  received_at BIGINT NOT NULL,
  n_all BIGINT NOT NULL,
  n_device BIGINT NOT NULL,
  n_sender BIGINT NOT NULL,
  n_device_sender BIGINT NOT NULL
);
CREATE UNIQUE INDEX received_all ON received (environment_id, n_all);
CREATE UNIQUE INDEX received_device ON received (device_id, n_device);
CREATE UNIQUE INDEX received_sender ON received (environment_id, sender, n_sender);
CREATE UNIQUE INDEX received_device_sender ON received (device_id, sender, n_device_sender);
CREATE UNIQUE INDEX received_external ON received (device_id, external_id) WHERE external_id IS NOT NULL;

-- The journal.
CREATE TABLE events (
  seq INTEGER PRIMARY KEY, -- only: sqlite
  seq BIGINT PRIMARY KEY, -- only: postgres
  environment_id INTEGER NOT NULL,
  type TEXT NOT NULL,
  at BIGINT NOT NULL,
  message_seq BIGINT,
  received_seq BIGINT,
  device_id TEXT,
  n INTEGER,
  data TEXT NOT NULL
);
CREATE INDEX events_message ON events (message_seq, seq) WHERE message_seq IS NOT NULL;
