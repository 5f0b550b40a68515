"""What a bot remembers over a restart, in SQLite: messages that Gavel has not seen, and verdicts by log post."""

import json
import sqlite3
from collections.abc import Iterator
from typing import Any

TABLES = """
CREATE TABLE IF NOT EXISTS postponed (id INTEGER PRIMARY KEY, message TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS logged (post TEXT PRIMARY KEY, verdict TEXT NOT NULL, id INTEGER NOT NULL);
"""


class Store:
    """The newest `limit` rows of each kind; older ones are forgotten."""

    def __init__(self, file: str, limit: int = 10_000) -> None:
        self.limit = limit
        self.database = sqlite3.connect(file, isolation_level=None)
        self.database.executescript(TABLES)

    def close(self) -> None:
        self.database.close()

    def postpone(self, message: dict[str, Any]) -> None:
        cursor = self.database.execute("INSERT INTO postponed (message) VALUES (?)", (json.dumps(message),))
        self.database.execute("DELETE FROM postponed WHERE id <= ?", ((cursor.lastrowid or 0) - self.limit,))

    def postponed(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """The messages with the numbers by which they are forgotten, oldest first."""
        for number, message in self.database.execute("SELECT id, message FROM postponed ORDER BY id").fetchall():
            yield number, json.loads(message)

    def forget(self, number: int) -> None:
        self.database.execute("DELETE FROM postponed WHERE id = ?", (number,))

    def remember(self, post: str, verdict: dict[str, Any]) -> None:
        newest = self.database.execute("SELECT coalesce(max(id), 0) + 1 FROM logged").fetchone()[0]
        self.database.execute("INSERT OR REPLACE INTO logged VALUES (?, ?, ?)", (post, json.dumps(verdict), newest))
        self.database.execute("DELETE FROM logged WHERE id <= ?", (newest - self.limit,))

    def recall(self, post: str) -> dict[str, Any] | None:
        row = self.database.execute("SELECT verdict FROM logged WHERE post = ?", (post,)).fetchone()
        return json.loads(row[0]) if row else None
