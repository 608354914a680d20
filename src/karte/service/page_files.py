"""Pages and their files: a file gets its text after the commit, and what a person changed in it is picked up.

What has to be written stands in the row until it is written, under the write lock; so a crash at any instant leaves a
page that the next call completes, and two processes never write one file at once.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Final

from karte.domain.page_names import PagePath, folder_of_agent, free_slug, read_page_path, slug_of
from karte.domain.page_reading import ReadPage, read_page_text
from karte.domain.page_rows import PageSource, PageState, StoredPage
from karte.domain.pages import AUTO_TRUST, PageLayer, SourceType
from karte.errors import ConfigError, InvalidInput, NotFound, StorageError
from karte.service.page_pointers import point, reword_pointer
from karte.service.scanning import Hit, record, scan
from karte.service.services import Services
from karte.service.transactions import reading, writing
from karte.storage.page_protocol import PageFolder
from karte.storage.protocol import Session

logger = logging.getLogger(__name__)

BY_HAND: Final = "import:pages"
"""The origin of a page that somebody laid into the folder."""
_MISSING: Final = "its file is missing"


@dataclass(frozen=True, slots=True)
class _Seen:
    """A file that is not as it was when it was last read."""

    place: str
    sign: str
    page: StoredPage | None
    read: ReadPage | None
    problem: str | None


def folder_of(services: Services) -> PageFolder:
    """The folder of the pages; raises ``ConfigError`` where none can be."""
    if services.pages is None:
        raise ConfigError(
            "a memory without a file has no folder for pages",
            field="pages.root",
            remedy="set [pages] root, or KARTE_PAGES__ROOT, to a folder",
        )
    return services.pages


def place_of(page: StoredPage) -> str:
    """Where the file of a page is, under the pages root."""
    return place_of_name(page.agent_id, page.state, page.doc_type, page.slug)


def place_of_name(agent: str, state: str, doc_type: str, slug: str) -> str:
    """The same, of what a page is told by."""
    part = "_archive" if state == PageState.ARCHIVED else "auto"
    return f"{folder_of_agent(agent)}/{part}/{doc_type}/{slug}.md"


def text_of(services: Services, page: StoredPage) -> str | None:
    """What stands in the file of a page, or will; None where there is no file."""
    return folder_of(services).read(place_of(page)) if page.pending is None else page.pending


def refresh(services: Services, agent: str) -> None:
    """Writes the files that still have to be written, and picks up what was changed by hand."""
    if services.pages is None or services.store.is_read_only:
        return
    complete(services)
    pick_up(services, services.pages, agent)


def complete(services: Services) -> None:
    """Gives every file its text that has not got it yet."""
    if services.pages is None or services.store.is_read_only:
        return
    with services.store.read() as session:
        if not session.pages.pending():
            return
    with services.store.note(wait=True) as session:
        for page in session.pages.pending():
            place = place_of(page)
            sign = services.pages.write(place, page.pending or "")
            if page.moved_from is not None and page.moved_from != place:
                services.pages.remove(page.moved_from)
            session.pages.put(replace(page, pending=None, moved_from=None, file_sign=sign))
            session.pages.index(page.ordinal, page.title, read_page_text(page.pending or "").visible)


def finish(services: Services) -> None:
    """``complete`` after an operation that stands already: a file that cannot be written now is written later."""
    try:
        complete(services)
    except StorageError as error:
        logger.warning("the pages' files are behind, and are written with the next call about pages: %s", error)


def pick_up(services: Services, folder: PageFolder, agent: str) -> None:
    """Reads the files that changed since they were last read, each through the guard like every other text."""
    with reading(services) as session:
        pages = session.pages.all(agent)
    seen = list(_seen(services, folder, agent, pages))
    if not seen:
        return
    with writing(services) as session:
        for each in seen:
            if each.page is None:
                _adopt(services, session, agent, each)
            elif session.pages.of_id(each.page.id) == each.page:  # nobody else has touched it meanwhile
                _note_change(services, session, each.page, each)


def _seen(services: Services, folder: PageFolder, agent: str, pages: Iterable[StoredPage]) -> Iterable[_Seen]:
    home = folder_of_agent(agent)
    signs = {**folder.signs(f"{home}/auto"), **folder.signs(f"{home}/_archive")}
    known = {place_of(page): page for page in pages}
    going = {page.moved_from for page in pages if page.pending is not None}
    for place, page in known.items():
        sign = signs.get(place, "missing")
        if page.pending is None and sign != page.file_sign:
            yield _look(services, folder, _Seen(place, sign, page, None, None), page.origin)
    for place, sign in signs.items():
        if place not in known and place not in going and _name_of(place) is not None:
            yield _look(services, folder, _Seen(place, sign, None, None, None), BY_HAND)


def _look(services: Services, folder: PageFolder, seen: _Seen, origin: str) -> _Seen:
    agent = seen.page.agent_id if seen.page is not None else ""
    try:
        text = folder.read(seen.place)
        if text is None:
            return replace(seen, problem=_MISSING)
        scan(services, [("page", text)], agent, origin)
    except Hit as hit:
        if agent:
            record(services, [hit.event])
        return replace(seen, problem=str(hit))
    except StorageError as error:
        return replace(seen, problem=error.message)
    read = read_page_text(text)
    if not read.visible.strip():
        return replace(seen, problem="nothing stands in its file")
    return replace(seen, read=read)


def strays(services: Services, agent: str) -> dict[str, str]:
    """What lies in the agent's folder and is no page, and why; named as pages are, under that folder."""
    if services.pages is None:
        return {}
    with reading(services) as session:
        known = {place_of(page) for page in session.pages.all(agent)}
    home = folder_of_agent(agent)
    found = dict(services.pages.ignored(f"{home}/auto"))
    for place in services.pages.signs(f"{home}/auto"):
        if place in known:
            continue
        looked = _look(services, services.pages, _Seen(place, "", None, None, None), BY_HAND)
        no_name = "no page can have this name" if _name_of(place) is None else "it is not taken in yet"
        found[place] = looked.problem or no_name
    return {place.removeprefix(f"{home}/"): why for place, why in found.items() if place not in known}


def stray_names(services: Services, agent: str, doc_type: str, pages: Iterable[StoredPage]) -> set[str]:
    """The names of files of a kind that are no page, and must not be written over."""
    known = {place_of(page) for page in pages}
    folder = f"{folder_of_agent(agent)}/auto"
    places = folder_of(services).signs(folder)
    beginning = f"{folder}/{doc_type}/"
    mine = (place for place in places if place.startswith(beginning) and place not in known)
    return {place.removeprefix(beginning).removesuffix(".md") for place in mine}


def _name_of(place: str) -> PagePath | None:
    """The page that a file in ``auto`` is; None for one that has no name of a page."""
    _, part, rest = place.split("/", 2)
    try:
        name = read_page_path(f"auto/{rest}") if part == "auto" else None
    except InvalidInput:
        return None
    return name if name is not None and slug_of(name.slug) == name.slug else None


def _laid_in(services: Services, agent: str, seen: _Seen, read: ReadPage) -> StoredPage:
    name = _name_of(seen.place)
    if name is None:
        raise InvalidInput("no page has this name", field="path", value=seen.place)
    return StoredPage(
        ordinal=0,
        id=services.new_id(),
        agent_id=agent,
        doc_type=name.doc_type,
        slug=name.slug,
        title=read.title,
        summary=read.summary,
        tags=tuple(read.fields.tags),
        layer=PageLayer.CONTEXT.value,
        trust=min(AUTO_TRUST, read.fields.trust),
        source_type=SourceType.RAW_DIALOGUE.value,
        origin=BY_HAND,
        author=read.fields.author,
        text_digest=read.digest,
        created_at="",
        updated_at="",
        file_sign=seen.sign,
    )


def _adopt(services: Services, session: Session, agent: str, seen: _Seen) -> None:
    """Takes in a page that somebody laid into the folder: unconfirmed, whatever it claims."""
    if seen.read is None:
        return  # reported when it is asked for what is wrong with the pages
    made = _laid_in(services, agent, seen, seen.read)
    if session.pages.get(agent, made.doc_type, made.slug) is not None:
        return  # another process was faster, or a page put away has the name
    page = session.pages.add(replace(made, created_at=session.now, updated_at=session.now))
    session.pages.add_source(agent, source_of(page, BY_HAND, session.now))
    session.pages.index(page.ordinal, page.title, seen.read.visible)
    point(services, session, page, BY_HAND)


def _note_change(services: Services, session: Session, page: StoredPage, seen: _Seen) -> None:
    if seen.read is None:
        session.pages.put(replace(page, problem=seen.problem, file_sign=seen.sign))
        return
    read = seen.read
    is_new_text = read.digest != page.text_digest
    changed = replace(
        page,
        title=read.title,
        summary=read.summary,
        tags=tuple(read.fields.tags),
        text_digest=read.digest,
        updated_at=session.now if is_new_text else page.updated_at,
        problem=None,
        file_sign=seen.sign,
    )
    if is_new_text:  # it rests on what was written there before, and falls with it
        for source in session.pages.sources(page.id):
            if source.text_digest == page.text_digest:
                session.pages.add_source(page.agent_id, replace(source, text_digest=read.digest))
    session.pages.put(changed)
    session.pages.index(page.ordinal, changed.title, read.visible)
    if (changed.title, changed.summary) != (page.title, page.summary):
        reword_pointer(services, session, changed)


def with_file(services: Services, row: dict[str, Any]) -> dict[str, Any]:
    """The row of a page as an export gives it: with the text of its file, which a new file will write again."""
    kept = {name: value for name, value in row.items() if name not in ("file_sign", "moved_from", "pending")}
    place = place_of_name(row["agent_id"], row["state"], row["doc_type"], row["slug"])
    try:
        text = row.get("pending") or (services.pages.read(place) if services.pages is not None else None)
    except StorageError:
        text = None
    return kept | {"file_sign": ""} | ({} if text is None else {"pending": text})


def remove_files(services: Services, pages: Iterable[StoredPage]) -> None:
    """Removes the files of pages whose rows go."""
    for page in pages:
        if services.pages is not None:
            services.pages.remove(place_of(page))
            if page.moved_from is not None:
                services.pages.remove(page.moved_from)


def move_pages(services: Services, session: Session, old: str, new: str) -> int:
    """Gives the pages of one agent to another, under free names; their files follow after the commit."""
    taken = {(page.doc_type, page.slug) for page in session.pages.all(new)}
    pages = session.pages.all(old)
    for page in pages:
        slug = free_slug(page.slug, [name for kind, name in taken if kind == page.doc_type])
        taken.add((page.doc_type, slug))
        try:
            text = None if services.pages is None else text_of(services, page)
        except StorageError:
            text = None
        moved = replace(page, agent_id=new, slug=slug)
        if text is not None:
            moved = replace(moved, pending=text, moved_from=page.moved_from or place_of(page))
        session.pages.put(moved)
        if slug != page.slug and page.state is PageState.LIVE:  # the name it had is another page's
            point(services, session, moved, page.origin, puts_back=True)
    return len(pages)


def source_of(page: StoredPage, origin: str, now: str) -> PageSource:
    """That an origin filed the present text of a page."""
    return PageSource(page_id=page.id, origin=origin, text_digest=page.text_digest, filed_at=now)


def expect(session: Session, agent: str, path: str) -> StoredPage:
    """The page of a path; raises ``NotFound``, also for a text that no page can be called, as for any unknown id."""
    try:
        name = read_page_path(path)
    except InvalidInput as error:
        if not isinstance(path, str):
            raise
        raise NotFound("no such page", field="path", value=error.value, remedy=error.remedy) from error
    page = session.pages.get(agent, name.doc_type, name.slug)
    if page is None:
        raise NotFound("no such page", field="path", value=path, remedy="look at the list of pages")
    return page
