-- The dashboard: people who sign in, what they did, what the pages show.

CREATE TABLE users (
  id TEXT PRIMARY KEY,
  -- In small letters.
  email TEXT NOT NULL UNIQUE,
  role TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'operator', 'viewer')),
  password TEXT NOT NULL,
  -- Sealed. Null: the password is enough.
  totp TEXT,
  -- The last code that was used, which is not taken twice.
  totp_step BIGINT NOT NULL DEFAULT 0,
  created_at BIGINT NOT NULL
);

CREATE TABLE sessions (
  hash TEXT PRIMARY KEY,
  -- By which it is listed and ended.
  id TEXT NOT NULL UNIQUE,
  user_id TEXT NOT NULL REFERENCES users (id),
  address TEXT NOT NULL,
  agent TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  seen_at BIGINT NOT NULL
);
CREATE INDEX sessions_user ON sessions (user_id);

-- One-time links: set-up, invitations, new passwords. Used ones are gone.
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

-- Tries to sign in, by account and by address.
CREATE TABLE login_tries (name TEXT PRIMARY KEY, count INTEGER NOT NULL, free_at BIGINT NOT NULL, at BIGINT NOT NULL);

-- Ids grow with time.
CREATE TABLE audit (
  id TEXT PRIMARY KEY,
  at BIGINT NOT NULL,
  email TEXT NOT NULL,
  environment TEXT,
  action TEXT NOT NULL,
  target TEXT NOT NULL,
  fields TEXT NOT NULL,
  address TEXT NOT NULL,
  -- Why it was refused. Null: it was done.
  refusal TEXT
);

CREATE INDEX audit_at ON audit (at);

-- People who wrote, each with their newest message, and how many of theirs somebody has seen.
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
INSERT INTO conversations (environment_id, person, last_seq, last_n, read_n)
  SELECT environment_id, sender, MAX(seq), MAX(n_sender), MAX(n_sender) FROM received
  WHERE substr(sender, 1, 1) <> chr(127) -- only: postgres
  WHERE substr(sender, 1, 1) <> char(127) -- only: sqlite
  GROUP BY environment_id, sender;

-- It finishes what waits for it, and is given nothing new.
ALTER TABLE devices ADD COLUMN draining INTEGER NOT NULL DEFAULT 0;

-- What happened in each hour, counted from the journal.
CREATE TABLE tallies (
  environment_id INTEGER NOT NULL,
  hour BIGINT NOT NULL,
  what TEXT NOT NULL,
  n BIGINT NOT NULL,
  PRIMARY KEY (environment_id, hour, what)
);
INSERT INTO counters (name, value) VALUES ('tally', 0);
