-- How carefully a number sends that may be blocked: what was chosen for it. The rest is as usual.
ALTER TABLE devices ADD COLUMN caution TEXT NOT NULL DEFAULT '{}';
-- Until when WhatsApp lets it begin no new chats.
ALTER TABLE devices ADD COLUMN restricted_until BIGINT;
