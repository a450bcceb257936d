-- Which kinds of devices there are is said in one place, by the program; a check on the column was a second one.
ALTER TABLE devices ADD COLUMN any_kind TEXT NOT NULL DEFAULT '';
UPDATE devices SET any_kind = kind;
ALTER TABLE devices DROP COLUMN kind;
ALTER TABLE devices RENAME COLUMN any_kind TO kind;
