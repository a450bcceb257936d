-- What links must remember for themselves, such as session keys: sealed before it comes here.
CREATE TABLE vault (
  device_id TEXT NOT NULL REFERENCES devices (id),
  type TEXT NOT NULL,
  id TEXT NOT NULL,
  value TEXT NOT NULL,
  written_at BIGINT NOT NULL,
  PRIMARY KEY (device_id, type, id)
);
