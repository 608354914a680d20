"""Distillation and knowledge pages, as the calls of ``Karte``, for its one agent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from karte.domain.distilling import DistillReport
from karte.domain.knowledge_pages import KnowledgePage, PageHit, PageOutcome, PageProposal, PageText
from karte.domain.page_links import PageLink
from karte.domain.page_lint import PageFinding
from karte.engine import MemoryEngine
from karte.extraction.protocol import Extractor


class AgentPages:
    """The calls of ``Karte`` about what a conversation leaves behind, and about pages."""

    agent: str
    engine: MemoryEngine

    def distill(
        self, turns: Sequence[Any], origin: str | None = None, *, extractor: Extractor | None = None
    ) -> DistillReport:
        """Keeps what is worth keeping of a conversation (``MemoryEngine.distill``)."""
        return self.engine.distill(self.agent, turns, origin, extractor=extractor)

    def file_page(
        self,
        text: str,
        *,
        title: str | None = None,
        doc_type: str | None = None,
        tags: Sequence[str] = (),
        origin: str | None = None,
    ) -> PageOutcome:
        """Files a document as a page."""
        return self.engine.file_page(self.agent, text, title=title, doc_type=doc_type, tags=tags, origin=origin)

    def list_pages(self, *, with_archived: bool = False) -> list[KnowledgePage]:
        """The pages, by their paths."""
        return self.engine.list_pages(self.agent, with_archived=with_archived)

    def read_page(self, path: str) -> PageText:
        """A page with its text."""
        return self.engine.read_page(self.agent, path)

    def search_pages(self, query: str, limit: int = 10) -> list[PageHit]:
        """The live pages that hold words of a query, best first."""
        return self.engine.search_pages(self.agent, query, limit)

    def promote_page(self, path: str, *, author: str, **granted: Any) -> KnowledgePage:
        """Confirms a page; takes ``layer``, ``trust``, ``source_type`` and ``origin`` as the engine does."""
        return self.engine.promote_page(self.agent, path, author=author, **granted)

    def archive_page(self, path: str) -> KnowledgePage:
        """Puts a page away."""
        return self.engine.archive_page(self.agent, path)

    def restore_page(self, path: str) -> KnowledgePage:
        """Brings a page back."""
        return self.engine.restore_page(self.agent, path)

    def list_page_proposals(self) -> list[PageProposal]:
        """The texts that wait for a person."""
        return self.engine.list_page_proposals(self.agent)

    def accept_page_proposal(self, id: str, *, author: str, origin: str | None = None) -> KnowledgePage:
        """Gives a page the text that waits."""
        return self.engine.accept_page_proposal(self.agent, id, author=author, origin=origin)

    def decline_page_proposal(self, id: str) -> KnowledgePage:
        """Lets the text that waits go."""
        return self.engine.decline_page_proposal(self.agent, id)

    def lint_pages(self) -> tuple[PageFinding, ...]:
        """What is wrong with the pages, or may be."""
        return self.engine.lint_pages(self.agent)

    def page_links(self, path: str) -> tuple[PageLink, ...]:
        """Where a page leads to."""
        return self.engine.page_links(self.agent, path)

    def page_backlinks(self, path: str) -> tuple[str, ...]:
        """The paths of the pages that lead to a page."""
        return self.engine.page_backlinks(self.agent, path)

    def page_duplicates(self) -> list[tuple[str, str, float]]:
        """Pairs of pages that may be one document."""
        return self.engine.page_duplicates(self.agent)

    def export_page_graph(self) -> str:
        """The pages and their links, as a Mermaid flowchart."""
        return self.engine.export_page_graph(self.agent)
