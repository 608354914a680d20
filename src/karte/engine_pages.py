"""Distillation and knowledge pages, as the engine's calls."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from karte.config import Config
from karte.domain.distilling import DistillReport
from karte.domain.knowledge_pages import KnowledgePage, PageHit, PageOutcome, PageProposal, PageText
from karte.domain.page_links import PageLink
from karte.domain.page_lint import PageFinding
from karte.extraction.configured import configured_extractor
from karte.extraction.protocol import Extractor
from karte.service import distill, page_life, page_reading, page_review, pages
from karte.service.services import Services


def pages_root(file: str, config: Config) -> Path | None:
    """Where the pages are: the configured folder, else ``NAME.pages`` beside the memory file; None beside no file."""
    if config.pages.root:
        return Path(config.pages.root).expanduser()
    return None if file == ":memory:" else Path(file).with_suffix(".pages")


class EnginePages:
    """The calls about what a conversation leaves behind, and about pages. A page is named by its path.

    Every one of them first picks up what was changed in the files by hand.
    """

    _services: Services
    config: Config

    def distill(
        self, agent: str, turns: Sequence[Any], origin: str | None = None, *, extractor: Extractor | None = None
    ) -> DistillReport:
        """Keeps what is worth keeping of a conversation: dated facts, and a page for each document in it.

        ``turns`` are texts, or mappings with ``text``, and maybe ``speaker`` and ``time``. All of it is unconfirmed:
        trusted 0.3, of ``origin`` (``channel`` where none is named; ``channel:<name>:<chat>`` is better, for a
        rollback is by exact origin), and through the guard. ``extractor`` None takes the configured one.

        Raises ``ExtractorError`` where the extractor fails; then nothing was stored.
        """
        chosen = configured_extractor(self.config.distill) if extractor is None else extractor
        return distill.distill(self._services, agent, turns, origin=origin, extractor=chosen)

    def file_page(
        self,
        agent: str,
        text: str,
        *,
        title: str | None = None,
        doc_type: str | None = None,
        tags: Sequence[str] = (),
        origin: str | None = None,
    ) -> PageOutcome:
        """Files a document as a page: trusted 0.3, in the layer ``context``, whatever it says of itself.

        The same document again updates its page; where the page is not this origin's to change, the text waits.
        """
        return pages.file_page(self._services, agent, text, title=title, doc_type=doc_type, tags=tags, origin=origin)

    def list_pages(self, agent: str, *, with_archived: bool = False) -> list[KnowledgePage]:
        """The agent's pages, by their paths."""
        return page_reading.list_pages(self._services, agent, with_archived=with_archived)

    def read_page(self, agent: str, path: str) -> PageText:
        """A page with its text; raises ``NotFound``."""
        return page_reading.read_page(self._services, agent, path)

    def search_pages(self, agent: str, query: str, limit: int = 10) -> list[PageHit]:
        """The live pages that hold words of a query, best first."""
        return page_reading.search_pages(self._services, agent, query, limit)

    def promote_page(
        self,
        agent: str,
        path: str,
        *,
        author: str,
        layer: str = "core",
        trust: float = page_life.PROMOTED_TRUST,
        source_type: str = "verified_fact",
        origin: str | None = None,
    ) -> KnowledgePage:
        """Confirms a page on the account of ``author``, a person; ``identity`` and ``core`` join every context."""
        return page_life.promote_page(
            self._services,
            agent,
            path,
            author=author,
            layer=layer,
            trust=trust,
            source_type=source_type,
            origin=origin,
        )

    def archive_page(self, agent: str, path: str) -> KnowledgePage:
        """Puts a page away: its pointer in memory ends, its file goes to ``_archive``."""
        return page_life.archive_page(self._services, agent, path)

    def restore_page(self, agent: str, path: str) -> KnowledgePage:
        """Brings a page back that was put away."""
        return page_life.restore_page(self._services, agent, path)

    def list_page_proposals(self, agent: str) -> list[PageProposal]:
        """The texts that wait for a person to replace a page's."""
        return page_reading.list_proposals(self._services, agent)

    def accept_page_proposal(self, agent: str, id: str, *, author: str, origin: str | None = None) -> KnowledgePage:
        """Gives a page the text that waits, on the account of ``author``."""
        return page_life.accept_proposal(self._services, agent, id, author=author, origin=origin)

    def decline_page_proposal(self, agent: str, id: str) -> KnowledgePage:
        """Lets the text that waits go."""
        return page_life.decline_proposal(self._services, agent, id)

    def lint_pages(self, agent: str) -> tuple[PageFinding, ...]:
        """What is wrong with the pages, or may be: broken links, claims that nobody granted, doubles, changes."""
        return page_review.lint_pages(self._services, agent)

    def page_links(self, agent: str, path: str) -> tuple[PageLink, ...]:
        """Where a page leads to."""
        return page_review.links_of_page(self._services, agent, path)

    def page_backlinks(self, agent: str, path: str) -> tuple[str, ...]:
        """The paths of the pages that lead to a page."""
        return page_review.backlinks_of_page(self._services, agent, path)

    def page_duplicates(self, agent: str) -> list[tuple[str, str, float]]:
        """Pairs of pages that may be one document, with how alike they are (0 to 1), the most alike first."""
        return page_review.duplicates(self._services, agent)

    def export_page_graph(self, agent: str) -> str:
        """The pages and the links between them, as a Mermaid flowchart."""
        return page_review.page_graph(self._services, agent)
