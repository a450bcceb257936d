-- Received files in the database, for several nodes without a shared folder (MEDIA_STORE=database).
-- May a node of the version before go on beside it: yes. It keeps its files in its folder, as before.

CREATE TABLE stored_files (
  id TEXT PRIMARY KEY,
  -- Its content: the parts that were written together. A file that is saved again gets another.
  token TEXT NOT NULL,
  size BIGINT NOT NULL
);
CREATE INDEX stored_files_token ON stored_files (token);

CREATE TABLE file_parts (
  token TEXT NOT NULL,
  n INTEGER NOT NULL,
  -- Base64.
  content TEXT NOT NULL,
  written_at BIGINT NOT NULL,
  PRIMARY KEY (token, n)
);
CREATE INDEX file_parts_written ON file_parts (written_at);
