CREATE TABLE adjudications (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    pair INTEGER NOT NULL,
    rating REAL,
    reason TEXT NOT NULL,
    decided TEXT NOT NULL
);
CREATE TRIGGER adjudications_stay BEFORE UPDATE ON adjudications
BEGIN SELECT RAISE (ABORT, 'adjudications are never changed'); END;
CREATE TRIGGER adjudications_are_kept BEFORE DELETE ON adjudications
BEGIN SELECT RAISE (ABORT, 'adjudications are never deleted'); END;
