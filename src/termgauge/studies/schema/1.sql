CREATE TABLE study (id TEXT NOT NULL, created TEXT NOT NULL);
CREATE TABLE raters (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    "group" INTEGER NOT NULL,
    name TEXT,
    state TEXT NOT NULL CHECK (state IN ('active', 'paused', 'left_out', 'finished', 'revoked')),
    reason TEXT,
    invited TEXT NOT NULL,
    last_seen TEXT,
    begun TEXT,
    qualified TEXT,
    attempts INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE tokens (
    hash BLOB PRIMARY KEY,
    rater INTEGER REFERENCES raters (number),
    issued TEXT NOT NULL,
    revoked TEXT
);
CREATE TABLE answers (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    rater INTEGER NOT NULL REFERENCES raters (number),
    page INTEGER NOT NULL,
    position INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    rating REAL,
    seconds REAL,
    client_id TEXT NOT NULL,
    given TEXT NOT NULL,
    source TEXT NOT NULL,
    UNIQUE (rater, client_id),
    UNIQUE (rater, page, position, revision)
);
CREATE TABLE events (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    time TEXT NOT NULL,
    rater INTEGER REFERENCES raters (number),
    what TEXT NOT NULL,
    reason TEXT
);
CREATE TRIGGER answers_stay BEFORE UPDATE ON answers BEGIN SELECT RAISE (ABORT, 'answers are never changed'); END;
CREATE TRIGGER answers_are_kept BEFORE DELETE ON answers BEGIN SELECT RAISE (ABORT, 'answers are never deleted'); END;
CREATE TRIGGER events_stay BEFORE UPDATE ON events BEGIN SELECT RAISE (ABORT, 'events are never changed'); END;
CREATE TRIGGER events_are_kept BEFORE DELETE ON events BEGIN SELECT RAISE (ABORT, 'events are never deleted'); END;
