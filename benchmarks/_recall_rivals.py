"""Other systems on the same questions: those that can be imported here, without a model and without network.

None is a dependency of ours: install them into an environment of their own, beside what Karte needs, and run the
benchmark with its Python. What is not there, or cannot search without a model, is skipped with the reason.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchmarks._recall_sets import Corpus
from benchmarks._recall_systems import Build, Search


@dataclass(frozen=True, slots=True, kw_only=True)
class Rival:
    """A system that can be asked, with the version that was."""

    name: str
    version: str
    build: Build


NO_MODEL = {
    "mem0": "mem0: needs an embedding model, and none is here",
    "langgraph": "langgraph's store: ranks by the query with an embedding model only, and none is here",
    "txtai": "txtai: needs torch, which does not belong here",
}


def available() -> tuple[dict[str, Rival], dict[str, str]]:
    """The rivals that can run here, and why the others cannot."""
    makers: dict[str, tuple[str, str, Callable[[], Build]]] = {
        "bm25s": ("bm25s", "bm25s", lambda: _bm25s),
        "bm25s+stems": ("bm25s", "bm25s", lambda: _bm25s_stemmed),
    }
    found: dict[str, Rival] = {}
    skipped = dict(NO_MODEL)
    if sys.version_info < (3, 12):
        skipped["basic-memory"] = "basic-memory: needs Python 3.12 or newer"
    else:
        skipped["basic-memory"] = "basic-memory: no adapter was measured yet"
    for name, (package, imported, make) in makers.items():
        if importlib.util.find_spec(imported) is None:
            skipped[name] = f"{name}: not installed"
            continue
        found[name] = Rival(name=name, version=importlib.metadata.version(package), build=make())
    return found, skipped


def _bm25s(corpus: Corpus) -> Search:
    """As its page begins: lower case, English stop words dropped."""
    return _bm25s_with(corpus, None)


def _bm25s_stemmed(corpus: Corpus) -> Search:
    """As its page recommends: English stop words dropped, and stems."""
    stemmer: Any = importlib.import_module("Stemmer").Stemmer("english")
    return _bm25s_with(corpus, stemmer)


def _bm25s_with(corpus: Corpus, stemmer: Any) -> Search:
    bm25s: Any = importlib.import_module("bm25s")
    texts = [item.text for item in corpus.items]
    retriever = bm25s.BM25()
    tokens = bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False)
    retriever.index(tokens, show_progress=False)

    def search(query: str, k: int) -> list[str]:
        asked = bm25s.tokenize([query], stopwords="en", stemmer=stemmer, show_progress=False)
        if not asked.vocab:
            return []
        rows, scores = retriever.retrieve(asked, k=min(k, len(texts)), show_progress=False)
        pairs = zip(rows[0], scores[0], strict=True)
        return [corpus.items[int(row)].id for row, score in pairs if score > 0]

    return search
