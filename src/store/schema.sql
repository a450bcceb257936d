-- The schema after all migrations, on SQLite. Written by `npm run api`; migrations/ is what counts.

CREATE TABLE accounts (id INTEGER PRIMARY KEY, name TEXT NOT NULL, created_at BIGINT NOT NULL);
CREATE TABLE answers (
  
  name TEXT PRIMARY KEY,
  environment_id INTEGER NOT NULL,
  fingerprint TEXT NOT NULL,
  body TEXT NOT NULL,
  created_at BIGINT NOT NULL
);
CREATE INDEX answers_age ON answers (created_at);
CREATE TABLE audit (
  id TEXT PRIMARY KEY,
  at BIGINT NOT NULL,
  email TEXT NOT NULL,
  environment TEXT,
  action TEXT NOT NULL,
  target TEXT NOT NULL,
  fields TEXT NOT NULL,
  address TEXT NOT NULL,
  
  refusal TEXT
);
CREATE INDEX audit_at ON audit (at);
CREATE TABLE batches (id TEXT PRIMARY KEY, first_seq BIGINT NOT NULL, last_seq BIGINT NOT NULL);
CREATE INDEX batches_last ON batches (last_seq);
CREATE TABLE conversations (
  environment_id INTEGER NOT NULL,
  person TEXT NOT NULL,
  last_seq BIGINT NOT NULL,
  last_n BIGINT NOT NULL,
  read_n BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (environment_id, person)
);
CREATE UNIQUE INDEX conversations_last ON conversations (environment_id, last_seq);
CREATE INDEX conversations_unread ON conversations (environment_id, last_seq) WHERE read_n < last_n;
CREATE TABLE counters (name TEXT PRIMARY KEY, value BIGINT NOT NULL, at BIGINT NOT NULL DEFAULT 0);
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
CREATE TABLE devices (
  id TEXT PRIMARY KEY,
  environment_id INTEGER NOT NULL REFERENCES environments (id),
  name TEXT NOT NULL,
  phone TEXT NOT NULL,
  per_minute INTEGER,
  per_day INTEGER,
  paused INTEGER NOT NULL DEFAULT 0,
  online INTEGER NOT NULL DEFAULT 0,
  held_by TEXT,
  created_at BIGINT NOT NULL,
  removed_at BIGINT
, about TEXT NOT NULL DEFAULT '{}', attention TEXT NOT NULL DEFAULT '[]', seen_at BIGINT, caution TEXT NOT NULL DEFAULT '{}', driver TEXT, restricted_until BIGINT, draining INTEGER NOT NULL DEFAULT 0, kind TEXT NOT NULL DEFAULT '');
CREATE TABLE environments (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  name TEXT NOT NULL CHECK (name IN ('production', 'staging')),
  settings TEXT NOT NULL DEFAULT '{}',
  UNIQUE (account_id, name)
);
CREATE TABLE events (
  seq INTEGER PRIMARY KEY, 
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
CREATE TABLE file_parts (
  token TEXT NOT NULL,
  n INTEGER NOT NULL,
  
  content TEXT NOT NULL,
  written_at BIGINT NOT NULL,
  PRIMARY KEY (token, n)
);
CREATE INDEX file_parts_written ON file_parts (written_at);
CREATE TABLE forgotten (
  environment_id INTEGER NOT NULL,
  what TEXT NOT NULL,
  position BIGINT NOT NULL,
  PRIMARY KEY (environment_id, what)
);
CREATE TABLE gateway (id INTEGER PRIMARY KEY CHECK (id = 1), public_url TEXT NOT NULL);
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
, parent_id TEXT, replaces TEXT);
CREATE INDEX keys_parent ON keys (parent_id);
CREATE TABLE leases (
  
  name TEXT PRIMARY KEY,
  
  node TEXT,
  
  epoch BIGINT NOT NULL,
  taken_at BIGINT NOT NULL
);
CREATE INDEX leases_node ON leases (node);
CREATE TABLE loads (
  device_id TEXT PRIMARY KEY,
  waiting BIGINT NOT NULL DEFAULT 0,
  waiting_parts BIGINT NOT NULL DEFAULT 0,
  movable BIGINT NOT NULL DEFAULT 0,
  pace TEXT NOT NULL DEFAULT '{"recent":[],"day":0,"dayParts":0}'
);
CREATE TABLE login_tries (name TEXT PRIMARY KEY, count INTEGER NOT NULL, free_at BIGINT NOT NULL, at BIGINT NOT NULL);
CREATE TABLE media (
  id TEXT PRIMARY KEY,
  environment_id INTEGER NOT NULL,
  mime TEXT NOT NULL,
  size BIGINT NOT NULL,
  filename TEXT,
  created_at BIGINT NOT NULL
);
CREATE TABLE messages (
  seq INTEGER PRIMARY KEY, 
  id TEXT NOT NULL,
  environment_id INTEGER NOT NULL,
  batch_id TEXT,
  device_id TEXT NOT NULL,
  pinned INTEGER NOT NULL,
  
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
  
  due_at BIGINT,
  handed_at BIGINT,
  sent_at BIGINT,
  delivered_at BIGINT,
  read_at BIGINT,
  attempts INTEGER NOT NULL DEFAULT 0,
  version INTEGER NOT NULL DEFAULT 1,
  held INTEGER NOT NULL DEFAULT 0
, reported TEXT, registration INTEGER, cancel_asked INTEGER NOT NULL DEFAULT 0, send_at BIGINT, reaction TEXT);
CREATE INDEX messages_cancel ON messages (device_id) WHERE cancel_asked = 1;
CREATE INDEX messages_device ON messages (environment_id, device_id, seq);
CREATE INDEX messages_due ON messages (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX messages_held ON messages (seq) WHERE held = 1;
CREATE UNIQUE INDEX messages_id ON messages (id);
CREATE INDEX messages_queued ON messages (device_id, seq) WHERE status = 'queued' AND held = 0;
CREATE INDEX messages_rare ON messages (environment_id, status, seq)
  WHERE (status = 'scheduled' OR status = 'failed' OR status = 'expired' OR status = 'canceled' OR status = 'unknown');
CREATE INDEX messages_recipient ON messages (recipient, environment_id, seq);
CREATE INDEX messages_scheduled ON messages (due_at) WHERE status = 'scheduled' AND held = 0;
CREATE INDEX messages_sending ON messages (device_id, seq) WHERE status = 'sending' AND held = 0;
CREATE TABLE nodes (name TEXT PRIMARY KEY, seen_at BIGINT NOT NULL, alive_until BIGINT NOT NULL DEFAULT 0, started_at BIGINT NOT NULL DEFAULT 0, version TEXT NOT NULL DEFAULT '', draining INTEGER NOT NULL DEFAULT 0);
CREATE TABLE opt_outs (
  environment_id INTEGER NOT NULL,
  digest TEXT NOT NULL,
  number TEXT,
  source TEXT NOT NULL,
  created_at BIGINT NOT NULL, alias_of TEXT,
  PRIMARY KEY (environment_id, digest)
);
CREATE INDEX opt_outs_list ON opt_outs (environment_id, created_at, digest);
CREATE TABLE passed_over (
  seq BIGINT NOT NULL,
  environment_id INTEGER NOT NULL,
  what TEXT NOT NULL,
  PRIMARY KEY (environment_id, what, seq)
);
CREATE TABLE phones (
  device_id TEXT PRIMARY KEY REFERENCES devices (id),
  enrolment_hash TEXT UNIQUE,
  code_hash TEXT,
  code_expires_at BIGINT,
  code_tries INTEGER NOT NULL DEFAULT 0,
  token_hash TEXT UNIQUE,
  
  registration INTEGER NOT NULL DEFAULT 0,
  registered_at BIGINT,
  signing_key TEXT NOT NULL,
  hook TEXT NOT NULL UNIQUE,
  
  key_at BIGINT,
  
  previous_key TEXT,
  previous_hook TEXT UNIQUE,
  previous_until BIGINT,
  
  handed_at BIGINT NOT NULL DEFAULT 0,
  
  stream_at BIGINT
, enrolment_until BIGINT);
CREATE TABLE received (
  seq INTEGER PRIMARY KEY, 
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
, fingerprint TEXT);
CREATE UNIQUE INDEX received_all ON received (environment_id, n_all);
CREATE UNIQUE INDEX received_device ON received (device_id, n_device);
CREATE UNIQUE INDEX received_device_sender ON received (device_id, sender, n_device_sender);
CREATE UNIQUE INDEX received_external ON received (device_id, external_id) WHERE external_id IS NOT NULL;
CREATE UNIQUE INDEX received_fingerprint ON received (device_id, fingerprint) WHERE fingerprint IS NOT NULL;
CREATE UNIQUE INDEX received_sender ON received (environment_id, sender, n_sender);
CREATE TABLE removed_files (id TEXT PRIMARY KEY);
CREATE TABLE replays (
  id TEXT PRIMARY KEY,
  webhook_id TEXT NOT NULL REFERENCES webhooks (id),
  position BIGINT NOT NULL,
  until_seq BIGINT NOT NULL
);
CREATE TABLE schema_version (version INTEGER PRIMARY KEY, at BIGINT NOT NULL);
CREATE TABLE secrets (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE sessions (
  hash TEXT PRIMARY KEY,
  
  id TEXT NOT NULL UNIQUE,
  user_id TEXT NOT NULL REFERENCES users (id),
  address TEXT NOT NULL,
  agent TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  seen_at BIGINT NOT NULL
, confirmed_at BIGINT NOT NULL DEFAULT 0);
CREATE INDEX sessions_user ON sessions (user_id);
CREATE TABLE stored_files (
  id TEXT PRIMARY KEY,
  
  token TEXT NOT NULL,
  size BIGINT NOT NULL
);
CREATE INDEX stored_files_token ON stored_files (token);
CREATE TABLE tallies (
  environment_id INTEGER NOT NULL,
  hour BIGINT NOT NULL,
  what TEXT NOT NULL,
  n BIGINT NOT NULL,
  PRIMARY KEY (environment_id, hour, what)
);
CREATE TABLE tickets (
  hash TEXT PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL CHECK (kind IN ('setup', 'invitation', 'password')),
  email TEXT,
  role TEXT,
  created_by TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE TABLE users (
  id TEXT PRIMARY KEY,
  
  email TEXT NOT NULL UNIQUE,
  role TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'operator', 'viewer')),
  password TEXT NOT NULL,
  
  totp TEXT,
  
  totp_step BIGINT NOT NULL DEFAULT 0,
  created_at BIGINT NOT NULL
);
CREATE TABLE vault (
  device_id TEXT NOT NULL REFERENCES devices (id),
  type TEXT NOT NULL,
  id TEXT NOT NULL,
  value TEXT NOT NULL,
  written_at BIGINT NOT NULL,
  PRIMARY KEY (device_id, type, id)
);
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
  removed INTEGER NOT NULL DEFAULT 0,
  created_at BIGINT NOT NULL
, sight INTEGER NOT NULL DEFAULT 3);
