-- The key that made it, if it was one: what it gave ends with it.
ALTER TABLE keys ADD COLUMN parent_id TEXT;
-- The key that it took the place of, when that was rotated.
ALTER TABLE keys ADD COLUMN replaces TEXT;
CREATE INDEX keys_parent ON keys (parent_id);

-- Something sealed by which a wrong secret key is noticed at once.
CREATE TABLE secrets (name TEXT PRIMARY KEY, value TEXT NOT NULL);

-- What its recipient thinks of it, where that can be told.
ALTER TABLE messages ADD COLUMN reaction TEXT;

-- Whose words a webhook is told: 1 those of messages, 2 those of received ones.
ALTER TABLE webhooks ADD COLUMN sight INTEGER NOT NULL DEFAULT 3;
-- Keys that could read all words in events go on reading them.
UPDATE keys SET scopes = replace(scopes, ']', ',"messages:read"]')
  WHERE (scopes LIKE '%"events:read"%' OR scopes LIKE '%"webhooks:manage"%') AND scopes NOT LIKE '%"messages:read"%';
UPDATE keys SET scopes = replace(scopes, ']', ',"inbox:read"]')
  WHERE (scopes LIKE '%"events:read"%' OR scopes LIKE '%"webhooks:manage"%') AND scopes NOT LIKE '%"inbox:read"%';

-- Until then somebody may come in with the enrolment token; null: somebody did, or it is from before tokens ended.
ALTER TABLE phones ADD COLUMN enrolment_until BIGINT;

-- Another name of somebody who opted out: the digest of their number.
ALTER TABLE opt_outs ADD COLUMN alias_of TEXT;
