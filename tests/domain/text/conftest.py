"""An index as the store will build it, in memory: FTS5 without content, ranked by bm25."""

from collections.abc import Sequence

import apsw
import pytest

from karte.domain.text import FTS5_TOKENIZE, index_text, match_expression, parse_query


class Index:
    """The rows of a small store, found by what people ask."""

    def __init__(self, rows: Sequence[str] = ()) -> None:
        self.rows: list[str] = []
        self._db = apsw.Connection(":memory:")
        self._db.execute(
            "CREATE VIRTUAL TABLE text_index USING fts5"
            f'(text, content="", contentless_delete=1, tokenize="{FTS5_TOKENIZE}")'
        )
        for row in rows:
            self.add(row)

    def add(self, row: str) -> None:
        self.rows.append(row)
        self._db.execute("INSERT INTO text_index(rowid, text) VALUES (?, ?)", (len(self.rows), index_text(row)))

    def search(self, query: str, limit: int = 10) -> list[str]:
        """The rows that answer, best first."""
        expression = match_expression(parse_query(query))
        return [] if expression is None else self.match(expression, limit)

    def match(self, expression: str, limit: int = 10) -> list[str]:
        found = self._db.execute(
            "SELECT rowid FROM text_index WHERE text_index MATCH ? ORDER BY rank, rowid LIMIT ?", (expression, limit)
        )
        return [self.rows[int(str(rowid)) - 1] for (rowid,) in found]

    def tokens(self) -> list[str]:
        """The distinct tokens as FTS5 cut them."""
        self._db.execute("CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5vocab(text_index, 'row')")
        return [str(term) for (term,) in self._db.execute("SELECT term FROM words ORDER BY term")]


@pytest.fixture
def make_index() -> type[Index]:
    return Index
