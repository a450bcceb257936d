-- When the password was last given in this session: what gives lasting access asks for it again.
ALTER TABLE sessions ADD COLUMN confirmed_at BIGINT NOT NULL DEFAULT 0;
