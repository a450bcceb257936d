-- How carefully a number sends that may be blocked: what was chosen for it. The rest is as usual.
ALTER TABLE devices ADD COLUMN caution TEXT NOT NULL DEFAULT '{}';
-- How a WhatsApp number is reached, if not as a linked device.
ALTER TABLE devices ADD COLUMN driver TEXT;
-- Until when WhatsApp lets it begin no new chats.
ALTER TABLE devices ADD COLUMN restricted_until BIGINT;
