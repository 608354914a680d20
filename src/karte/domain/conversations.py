"""Conversation files as turns: exports of ChatGPT and Claude, and plain lists of who said what.

Nothing is stored here, and nothing is trusted: a file is read part by part, what can be used becomes a ``Turn``, what
cannot becomes ``Unusable`` with its place, and both come in the order of the file. Ids are derived from what the source
calls a turn, or from the turn itself, so that the same file read twice names the same memories.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from karte.domain.text.sequences import without_sequences
from karte.errors import KarteError

Object = Mapping[str, Any]

ROLES: Final = frozenset({"user", "assistant", "human", "ai", "bot", "system", "tool", "model"})
UNSPOKEN: Final = frozenset({"system", "tool"})
"""What runs a chat and was said by nobody; left out of the exports."""
_EPOCH: Final = re.compile(r"[0-9]{10}([0-9]{3})?(\.[0-9]+)?", re.ASCII)
"""Seconds or milliseconds since 1970 as text; days and minutes in digits have 8 and 12 of them."""
MILLISECONDS: Final = range(10**12, 10**13)
"""What is milliseconds, from 2001 to 2286; as seconds it would be after the year 9999."""
SPOKEN_CONTENT: Final = frozenset({"text", "multimodal_text"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What one speaker said once. ``time`` is as the file gives it: text, or seconds since 1970."""

    id: str
    where: str
    text: str
    session: str
    turn: int
    speaker: str | None = None
    time: str | float | None = None
    title: str | None = None
    source_event: str

    @property
    def content(self) -> str:
        """What is remembered: the text, behind the speaker's name if that is more than a role."""
        if self.speaker is None or self.speaker.casefold() in ROLES or self.text.startswith(f"{self.speaker}:"):
            return self.text
        return f"{self.speaker}: {self.text}"

    def id_for(self, agent: str) -> str:
        """The memory's id: those of a file are all different, and another agent may take in the same export."""
        digest = hashlib.sha256(json.dumps([agent, self.id]).encode("ascii")).hexdigest()[:32]
        return f"{self.source_event.partition(':')[0]}-{digest}"

    @property
    def metadata(self) -> dict[str, Any]:
        """What search reads of a conversation: the session, the place in it, who spoke."""
        said = {"session": self.session, "turn": self.turn, "speaker": self.speaker, "title": self.title}
        return {name: value for name, value in said.items() if value is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class Unusable:
    """A part of the file that is no turn: where it stands, and what is wrong with it."""

    where: str
    why: str


Part = Turn | Unusable


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversations:
    """What a file holds; ``source`` is ``chatgpt``, ``claude``, ``chat``, or ``karte`` for an export of ours."""

    source: str
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True, slots=True)
class ImportProblem:
    """A part of a file that was not taken in: where it stands, and why."""

    where: str
    error: KarteError


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """What became of a conversation file: turns stored, known already, held for a decision, and what was refused."""

    source: str
    origin: str
    sessions: int
    stored: int
    known: int
    held: int
    problems: tuple[ImportProblem, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said:
    """One part as its format gives it, before it has an id; ``key`` is the source's own name for it, if it has one."""

    where: str
    text: object
    session: str
    turn: object = None
    speaker: object = None
    time: object = None
    title: object = None
    key: str | None = None


def read_conversations(text: str, *, name: str) -> Conversations:
    """The turns of a file, and what in it cannot be used. ``name`` is the session of turns that name none."""
    text = text.removeprefix("\ufeff")
    try:
        whole: object = json.loads(text)
    except (ValueError, RecursionError):
        whole = None
        said = list(_lines(text, name))
    else:
        said = []
    first = _first(text, whole)
    if "karte_export" in first:
        return Conversations(source="karte")
    source = "chatgpt" if "mapping" in first else "claude" if "chat_messages" in first else "chat"
    if whole is not None or not said:
        said = list(_values(whole, source, name))
    return Conversations(source=source, parts=tuple(_named(said, source)))


def _first(text: str, whole: object) -> Object:
    """The first object of the file, which tells its kind."""
    if isinstance(whole, list):
        return next((value for value in whole if isinstance(value, dict)), {})
    if isinstance(whole, dict):
        return whole
    try:
        value = json.loads(next((line for line in text.split("\n") if line.strip()), ""))
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _named(said: list[_Said | Unusable], source: str) -> Iterator[Part]:
    """The parts with ids; equal turns of one session are told apart by their count, so that none is lost."""
    places: Counter[str] = Counter()
    seen: Counter[tuple[str, ...]] = Counter()
    for part in said:
        if isinstance(part, Unusable):
            yield part
            continue
        fault = _fault(part)
        if fault is not None:
            yield Unusable(where=part.where, why=fault)
            continue
        places[part.session] += 1
        turn = part.turn if isinstance(part.turn, int) else places[part.session]
        own = (str(part.turn), str(part.speaker), str(part.time), str(part.text)) if part.key is None else (part.key,)
        key = (source, part.session, *own)
        seen[key] += 1
        digest = hashlib.sha256(json.dumps([*key, seen[key]]).encode("ascii")).hexdigest()[:32]
        yield Turn(
            id=f"{source}-{digest}",
            where=part.where,
            text=str(part.text),
            session=part.session,
            turn=turn,
            speaker=None if part.speaker is None else _text(without_sequences(str(part.speaker))),
            time=_time(part.time),
            title=_text(part.title),
            source_event=f"{source}:{part.session}",
        )


def _time(value: object) -> str | float | None:
    """The time as it is read: a number that stands as text is a number, and one too large for seconds milliseconds."""
    if isinstance(value, str) and _EPOCH.fullmatch(value.strip()):
        value = float(value)
    if isinstance(value, int | float) and MILLISECONDS.start <= value < MILLISECONDS.stop:
        return value / 1000
    return value if isinstance(value, str | int | float) else None


def _fault(part: _Said) -> str | None:
    if not isinstance(part.text, str):
        return "no text"
    if not part.text.strip():
        return "an empty text"
    if part.turn is not None and (isinstance(part.turn, bool) or not isinstance(part.turn, int)):
        return "the turn is not a whole number"
    if part.speaker is not None and (isinstance(part.speaker, bool) or not isinstance(part.speaker, str | int | float)):
        return "the speaker is neither text nor a number"
    if part.time is not None and (isinstance(part.time, bool) or not isinstance(part.time, str | int | float)):
        return "the time is neither text nor a number"
    return None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value.strip() else None


def _objects(values: object, what: str) -> Iterator[tuple[str, Object] | Unusable]:
    """Each object of a list with its place; everything else in it is named."""
    if not isinstance(values, list):
        yield Unusable(where=what, why="not a list")
        return
    for number, value in enumerate(values, 1):
        place = f"{what} {number}"
        yield (place, value) if isinstance(value, dict) else Unusable(where=place, why="not an object")


# --- plain lists ------------------------------------------------------------------------------


def _lines(text: str, name: str) -> Iterator[_Said | Unusable]:
    """One JSON object a line."""
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        where = f"line {number}"
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            yield Unusable(where=where, why="not JSON")
            continue
        if isinstance(value, dict):
            yield from _plain(where, value, name)
        else:
            yield Unusable(where=where, why="not an object")


def _values(whole: object, source: str, name: str) -> Iterator[_Said | Unusable]:
    read = {"chatgpt": _of_chatgpt, "claude": _of_claude}.get(source)
    what = "turn" if read is None else "conversation"
    for each in _objects([whole] if isinstance(whole, dict) else whole, what):
        if isinstance(each, Unusable):
            yield each
        elif read is None:
            yield from _plain(*each, name)
        else:
            yield from read(*each)


def _plain(where: str, value: Object, name: str) -> Iterator[_Said | Unusable]:
    """A turn, or a session with its turns."""
    session = value.get("session")
    if session is not None and not _is_name(session):
        yield Unusable(where=where, why="the session is neither text nor a number")
        return
    chosen = name if session is None else str(session)
    turns = value.get("turns", value.get("messages"))
    if turns is None:
        yield _plain_turn(where, value, chosen, value.get("time"))
        return
    for each in _objects(turns, f"{_of_session(where)}, turn"):
        if isinstance(each, Unusable):
            yield each
        else:
            yield _plain_turn(*each, chosen, each[1].get("time", value.get("time")))


def _of_session(where: str) -> str:
    """The place of an object that has turns: what is called a turn by its place in the list is a session."""
    return where.replace("turn", "session")


def _plain_turn(where: str, value: Object, session: str, time: object) -> _Said:
    content = value.get("text", value.get("content"))
    return _Said(
        where=where,
        text=_joined(content) if isinstance(content, list) else content,
        session=session,
        turn=value.get("turn"),
        speaker=value.get("speaker", value.get("role")),
        time=time,
    )


def _is_name(value: object) -> bool:
    return _text(value) is not None or (isinstance(value, int) and not isinstance(value, bool))


# --- exports ----------------------------------------------------------------------------------


def _of_chatgpt(where: str, value: Object) -> Iterator[_Said | Unusable]:
    """A tree of messages: the branch that ends in the current one, what was said in it."""
    nodes, session = value.get("mapping"), _text(value.get("conversation_id")) or _text(value.get("id"))
    if not isinstance(nodes, dict):
        yield Unusable(where=where, why="no mapping of messages")
        return
    if session is None:
        session = hashlib.sha256(json.dumps(sorted(nodes)).encode("ascii")).hexdigest()[:32]
    branch = _branch(nodes, value.get("current_node"))
    if not branch and nodes:
        yield Unusable(where=where, why="no message of it is the current one, nor the end of a branch")
    for key in branch:
        message = nodes[key].get("message")
        if message is None:
            continue  # the root
        place = f"{where}, message {key}"
        if not isinstance(message, dict):
            yield Unusable(where=place, why="not an object")
            continue
        author, content, about = (_object(message.get(name)) for name in ("author", "content", "metadata"))
        role = author.get("role")
        if role in UNSPOKEN or about.get("is_visually_hidden_from_conversation"):
            continue
        if content.get("content_type", "text") not in SPOKEN_CONTENT:
            continue  # thoughts, code that ran, settings
        text = _joined(content.get("parts"))
        if text == "":
            continue  # an answer that was broken off, a picture alone
        title, time = value.get("title"), message.get("create_time") or value.get("create_time")
        yield _Said(where=place, text=text, session=session, speaker=role, time=time, title=title, key=key)


def _branch(nodes: Object, current: object) -> list[str]:
    """From the root to the current message; without one, to the newest that nothing follows."""
    if not isinstance(current, str) or not isinstance(nodes.get(current), dict):
        parents = {node.get("parent") for node in nodes.values() if isinstance(node, dict) and _is_name_of(node)}
        ends = [key for key, node in nodes.items() if isinstance(node, dict) and key not in parents]
        current = max(ends, key=lambda key: (_created(nodes[key]), key), default=None)
    branch: dict[str, None] = {}
    while isinstance(current, str) and current not in branch and isinstance(nodes.get(current), dict):
        branch[current] = None
        current = nodes[current].get("parent")
    return list(branch)[::-1]


def _is_name_of(node: Object) -> bool:
    return isinstance(node.get("parent"), str)


def _created(node: Object) -> float:
    time = _object(node.get("message")).get("create_time")
    return float(time) if isinstance(time, float) or (isinstance(time, int) and abs(time) < 10**15) else 0.0


def _of_claude(where: str, value: Object) -> Iterator[_Said | Unusable]:
    session = _text(value.get("uuid"))
    if session is None:
        yield Unusable(where=where, why="no uuid")
        return
    for each in _objects(value.get("chat_messages"), f"{where}, message"):
        if isinstance(each, Unusable):
            yield each
            continue
        place, message = each
        text = _joined(message.get("content"))
        if not text:
            text = message.get("text")
        if text == "":
            continue  # an attachment alone
        yield _Said(
            where=place,
            text=text,
            session=session,
            speaker=message.get("sender"),
            time=message.get("created_at", value.get("created_at")),
            title=value.get("name"),
            key=_text(message.get("uuid")),
        )


def _object(value: object) -> Object:
    return value if isinstance(value, dict) else {}


def _joined(parts: object) -> str | None:
    """The texts among the parts, one after another; None where there are no parts."""
    if not isinstance(parts, list):
        return None
    texts = [part if isinstance(part, str) else _object(part).get("text") for part in parts]
    return "\n\n".join(text for text in texts if isinstance(text, str) and text.strip())
