ALTER TABLE tokens ADD COLUMN expires TEXT;
CREATE TABLE visits (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    link TEXT NOT NULL,
    address TEXT NOT NULL,
    page TEXT NOT NULL,
    first TEXT NOT NULL,
    last TEXT NOT NULL,
    times INTEGER NOT NULL
);
DROP TRIGGER IF EXISTS answers_are_kept;
CREATE TRIGGER answers_are_kept BEFORE DELETE ON answers
WHEN NOT EXISTS (SELECT 1 FROM events WHERE rater = OLD.rater AND what = 'erased')
BEGIN SELECT RAISE (ABORT, 'answers are never deleted without a record'); END;
