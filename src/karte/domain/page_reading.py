"""What stands in the file of a page: its fields, its document, and the words by which it is found."""

from __future__ import annotations

from dataclasses import dataclass

from karte.domain.page_lines import summary_of, title_of
from karte.domain.page_text import digest_of, original_of, visible_of
from karte.domain.pages import PageFields, fields_of
from karte.domain.text.frontmatter import split


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadPage:
    """A file, read. ``problems`` are those of its front matter, which are reported and never fatal.

    ``document`` is the text that was filed, where it still stands as it was, else all that a reader sees.
    """

    text: str
    fields: PageFields
    document: str
    visible: str
    problems: tuple[str, ...]

    @property
    def digest(self) -> str:
        """By which the document is known again."""
        return digest_of(self.document)

    @property
    def title(self) -> str:
        """What it is called: by its front matter, else by its document."""
        return self.fields.title or title_of(self.document)

    @property
    def summary(self) -> str:
        """What it is about, on one short line."""
        return summary_of(self.document)


def read_page_text(text: str) -> ReadPage:
    """The parts of a file; any text has them."""
    written, _, problem = split(text)
    fields, problems = fields_of({} if written is None else written.values)
    visible = visible_of(text)
    original = original_of(text)
    return ReadPage(
        text=text,
        fields=fields,
        document=visible if original is None else original,
        visible=visible,
        problems=tuple([problem] if problem else problems),
    )
