"""Other systems on the same questions: those that can be imported here, without network.

None is a dependency of ours: install them into an environment of their own, beside what Karte needs, and run the
benchmark with its Python. What is not there is skipped with the reason. Who needs an embedder gets Karte's.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
from dataclasses import dataclass
from typing import Any

from benchmarks import _recall_embedder
from benchmarks import _recall_rivals_notes as notes
from benchmarks import _recall_rivals_vectors as vectors
from benchmarks._recall_sets import Corpus
from benchmarks._recall_systems import Build, Search


@dataclass(frozen=True, slots=True, kw_only=True)
class Rival:
    """A system that can be asked, with the version that was."""

    name: str
    version: str
    build: Build


NEEDS_AN_EMBEDDER = "{}: needs an embedder, and the extra karte[embeddings] is not installed"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """A system that we know how to ask."""

    package: str
    imported: str
    build: Build
    needs_vectors: bool = False


def available() -> tuple[dict[str, Rival], dict[str, str]]:
    """The rivals that can run here, and why the others cannot."""
    found: dict[str, Rival] = {}
    skipped: dict[str, str] = {}
    for name, known in _KNOWN.items():
        if any(importlib.util.find_spec(each) is None for each in known.imported.split()):
            skipped[name] = f"{name}: not installed"
        elif known.needs_vectors and not _recall_embedder.IS_THERE:
            skipped[name] = NEEDS_AN_EMBEDDER.format(name)
        else:
            version = importlib.metadata.version(known.package)
            found[name] = Rival(name=name, version=version, build=known.build)
    for name, build in (("basic-memory text", notes.text), ("basic-memory hybrid", notes.hybrid)):
        if notes.COMMAND is None:
            skipped[name] = f"{name}: not installed"
        elif not _recall_embedder.IS_THERE:
            skipped[name] = NEEDS_AN_EMBEDDER.format(name)
        else:
            found[name] = Rival(name=name, version=notes.version(), build=build)
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


_KNOWN = {
    "bm25s": _Known(package="bm25s", imported="bm25s", build=_bm25s),
    "bm25s+stems": _Known(package="bm25s", imported="bm25s", build=_bm25s_stemmed),
    "txtai keyword": _Known(package="txtai", imported="txtai", build=vectors.txtai_keyword),
    "txtai hybrid": _Known(package="txtai", imported="txtai", build=vectors.txtai_hybrid, needs_vectors=True),
    "mem0": _Known(package="mem0ai", imported="mem0", build=vectors.mem0, needs_vectors=True),
    "mem0 keywords": _Known(
        package="mem0ai", imported="mem0 fastembed", build=vectors.mem0_keywords, needs_vectors=True
    ),
    "langgraph store": _Known(
        package="langgraph", imported="langgraph", build=vectors.langgraph_store, needs_vectors=True
    ),
}
