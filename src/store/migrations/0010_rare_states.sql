-- The same index with its condition written out: for `IN` SQLite builds a table of the words for each row that it writes.
DROP INDEX messages_rare;
CREATE INDEX messages_rare ON messages (environment_id, status, seq)
  WHERE (status = 'scheduled' OR status = 'failed' OR status = 'expired' OR status = 'canceled' OR status = 'unknown');
