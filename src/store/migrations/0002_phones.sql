-- What a device says about itself, when it was last heard of, and what people should look at.
ALTER TABLE devices ADD COLUMN about TEXT NOT NULL DEFAULT '{}';
ALTER TABLE devices ADD COLUMN attention TEXT NOT NULL DEFAULT '[]';
ALTER TABLE devices ADD COLUMN seen_at BIGINT;

-- Android phones: how they get in, and how they sign what they hand over.
CREATE TABLE phones (
  device_id TEXT PRIMARY KEY REFERENCES devices (id),
  enrolment_hash TEXT UNIQUE,
  code_hash TEXT,
  code_expires_at BIGINT,
  code_tries INTEGER NOT NULL DEFAULT 0,
  token_hash TEXT UNIQUE,
  -- Counts how often a phone was let in. What it was given before the last time, it may no longer know.
  registration INTEGER NOT NULL DEFAULT 0,
  registered_at BIGINT,
  signing_key TEXT NOT NULL,
  hook TEXT NOT NULL UNIQUE,
  -- When it fetched its settings, and with them the signing key.
  key_at BIGINT,
  -- What it signed with and posted to before it was let in again: what it still has to hand over goes there.
  previous_key TEXT,
  previous_hook TEXT UNIQUE,
  previous_until BIGINT,
  -- The time given to the message it was handed last, which grows with each.
  handed_at BIGINT NOT NULL DEFAULT 0,
  -- When it was last known to have an event stream open.
  stream_at BIGINT
);

-- The device's own time of each state it reported. That there is one also says that the device has the message.
ALTER TABLE messages ADD COLUMN reported TEXT;
-- The registration of the phone it was handed to.
ALTER TABLE messages ADD COLUMN registration INTEGER;
ALTER TABLE messages ADD COLUMN cancel_asked INTEGER NOT NULL DEFAULT 0;
CREATE INDEX messages_cancel ON messages (device_id) WHERE cancel_asked = 1;

-- What makes two received messages one, where the device hands one over under two ids.
ALTER TABLE received ADD COLUMN fingerprint TEXT;
CREATE UNIQUE INDEX received_fingerprint ON received (device_id, fingerprint) WHERE fingerprint IS NOT NULL;

-- What a running gateway says about itself, for commands beside it.
CREATE TABLE gateway (id INTEGER PRIMARY KEY CHECK (id = 1), public_url TEXT NOT NULL);

-- Files that came with received messages. The files themselves are in the media folder.
CREATE TABLE media (
  id TEXT PRIMARY KEY,
  environment_id INTEGER NOT NULL,
  mime TEXT NOT NULL,
  size BIGINT NOT NULL,
  filename TEXT,
  created_at BIGINT NOT NULL
);
