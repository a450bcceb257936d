-- The key that made it, if it was one: what it gave ends with it.
ALTER TABLE keys ADD COLUMN parent_id TEXT;
CREATE INDEX keys_parent ON keys (parent_id);

-- Something sealed by which a wrong secret key is noticed at once.
CREATE TABLE secrets (name TEXT PRIMARY KEY, value TEXT NOT NULL);

-- What its recipient thinks of it, where that can be told.
ALTER TABLE messages ADD COLUMN reaction TEXT;
