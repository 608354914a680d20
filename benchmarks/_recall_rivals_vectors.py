"""Rivals that search by meaning, each with Karte's own embedder in place of the one it would fetch from a network."""

from __future__ import annotations

import importlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks._recall_embedder import shared
from benchmarks._recall_sets import Corpus
from benchmarks._recall_systems import Search
from karte.domain.text.stopwords import ENGLISH


def langgraph_store(corpus: Corpus) -> Search:
    """Its store in memory with an index over the text: cosine, nothing else."""
    memory: Any = importlib.import_module("langgraph.store.memory")
    embedder = shared()
    store = memory.InMemoryStore(index={"dims": embedder.dimension, "embed": embedder.embed, "fields": ["text"]})
    shared().embed([item.text for item in corpus.items])
    for item in corpus.items:  # one by one: a batch that holds a text twice is refused
        store.put(("memories",), item.id, {"text": item.text})

    def search(query: str, k: int) -> list[str]:
        return [found.key for found in store.search(("memories",), query=query, limit=k)]

    return search


def txtai_keyword(corpus: Corpus) -> Search:
    """Its own BM25."""
    return _txtai(corpus, {"keyword": True})


def txtai_hybrid(corpus: Corpus) -> Search:
    """Vectors and BM25, half and half, as it does by default."""
    return _txtai(corpus, {"method": "external", "transform": _vectors, "hybrid": True})


def _vectors(texts: list[str]) -> Any:
    numpy: Any = importlib.import_module("numpy")
    return numpy.array(shared().embed(texts), dtype=numpy.float32)


def _txtai(corpus: Corpus, settings: dict[str, Any]) -> Search:
    embeddings: Any = importlib.import_module("txtai").Embeddings(settings)
    embeddings.index([(number, item.text, None) for number, item in enumerate(corpus.items)])

    def search(query: str, k: int) -> list[str]:
        return [corpus.items[int(number)].id for number, _ in embeddings.search(query, k)]

    return search


class _ForMem0:
    """Our embedder with the methods that mem0 calls."""

    def embed(self, text: str, _action: str | None = None) -> list[float]:
        return shared().embed([text])[0]

    def embed_batch(self, texts: list[str], _action: str | None = None) -> list[list[float]]:
        return shared().embed(texts)


def mem0(corpus: Corpus) -> Search:
    """Inference off, Qdrant in a folder, everything else as it comes, without the keywords that need a download."""
    return _mem0(corpus, lambda _folder: False)


def mem0_keywords(corpus: Corpus) -> Search:
    """The same with its keywords: the BM25 of fastembed, which would fetch a list of stop words. It gets ours."""
    return _mem0(corpus, _bm25_of_fastembed)


def _bm25_of_fastembed(folder: Path) -> Any:
    (folder / "english.txt").write_text("\n".join(sorted(ENGLISH)), encoding="utf-8")
    fastembed: Any = importlib.import_module("fastembed")
    return fastembed.SparseTextEmbedding(model_name="Qdrant/bm25", specific_model_path=str(folder))


def _mem0(corpus: Corpus, keywords: Callable[[Path], Any]) -> Search:
    folder = tempfile.TemporaryDirectory(prefix="karte-mem0-")
    os.environ["MEM0_TELEMETRY"] = "False"
    os.environ["MEM0_DIR"] = folder.name
    made: Any = importlib.import_module("mem0").Memory.from_config(_settings_of_mem0(Path(folder.name)))
    made.embedding_model = _ForMem0()
    made.vector_store._bm25_encoder = keywords(Path(folder.name))  # noqa: SLF001 (False: none is looked for)
    shared().embed([item.text for item in corpus.items])
    ids = {}
    for item in corpus.items:
        added = made.add(item.text, user_id=corpus.name, infer=False)
        ids[added["results"][0]["id"]] = item.id

    def search(query: str, k: int, _kept: object = folder) -> list[str]:
        found = made.search(query, top_k=k, filters={"user_id": corpus.name})
        return [ids[each["id"]] for each in found["results"]]

    return search


def _settings_of_mem0(folder: Path) -> dict[str, Any]:
    never_called = {"provider": "openai", "config": {"api_key": "none"}}
    store = {"collection_name": "memories", "path": str(folder / "qdrant"), "embedding_model_dims": shared().dimension}
    return {
        "llm": never_called,
        "embedder": never_called,
        "vector_store": {"provider": "qdrant", "config": store},
        "history_db_path": str(folder / "history.db"),
    }
