"""What is in force and where it came from: ``config.toml``, the environment, arguments.

The later wins. A setting that cannot be read falls back *alone*, to what the layer below says
and in the end to its default, with a warning that names it; so a slip in one key never switches
off another. Only an argument, which somebody says here and now, is refused instead.

::

    config.toml              [knowledge_guard]
                             max_per_subject = 8
    environment              KARTE_KNOWLEDGE_GUARD__MAX_PER_SUBJECT=8
                             KARTE_DB, KARTE_AGENT (short for KARTE_ENGINE__PATH, ..._AGENT)
                             KARTE_CONFIG (which file to read)
    arguments                karte --db notes.db --agent dudu

Plain checks over dataclasses, no validation library: this module is on the way of every start
of the command line.
"""

from __future__ import annotations

import os
import sys
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, ClassVar, Final, Literal, Protocol, TypeAlias, cast

from karte import kinds
from karte.domain.scopes import Scope
from karte.errors import ConfigError, shorten

Source: TypeAlias = Literal["default", "file", "environment", "argument"]
Synchronous: TypeAlias = Literal["normal", "full"]
EmbedderName: TypeAlias = Literal["none", "multilingual", "endpoint"]
ExtractorName: TypeAlias = Literal["rules", "endpoint"]

SHORT_NAMES: Final = {"KARTE_DB": "engine.path", "KARTE_AGENT": "engine.agent"}
LONGEST_WINDOW_SECS: Final = 100 * 366 * 86_400  # more would leave the years that a time can have
MANY: Final = 1_000_000_000
A_DAY_SECS: Final = 86_400
SHORTEST_SECRET: Final = 16


# --- the sections ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineSettings:
    """``[engine]``: the file, how long to wait for it, how hard to sync, whose memory it is."""

    path: str = field(default="", metadata=kinds.may_be(kinds.text()))  # "": the platform's place, see default_path
    busy_timeout_secs: float = field(default=30.0, metadata=kinds.may_be(kinds.seconds(A_DAY_SECS)))
    synchronous: Synchronous = field(default="normal", metadata=kinds.may_be(kinds.choice("normal", "full")))
    agent: str = field(default="default", metadata=kinds.may_be(kinds.text()))


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalSettings:
    """``[retrieval]``: search by meaning, and what has faded (the weight of trust is deliberately no setting).

    ``embedder`` is ``none``, ``multilingual`` (the extra ``karte[embeddings]``) or ``endpoint``: a model behind an
    OpenAI-compatible ``embedder_url``, whose vectors have ``embedder_dimension`` numbers. No query waits for it longer
    than ``embedder_timeout_secs``.
    A decay takes a memory whose retrievability is under ``decay_below``, that nobody has seen for
    ``decay_after_days``, and whose importance is at most ``decay_up_to_importance``.
    """

    decay_below: float = field(default=0.05, metadata=kinds.may_be(kinds.number(0, 1)))
    decay_after_days: float = field(default=90.0, metadata=kinds.may_be(kinds.number(0, 1_000_000)))
    decay_up_to_importance: float = field(default=5.0, metadata=kinds.may_be(kinds.number(0, 10)))
    embedder: EmbedderName = field(
        default="none", metadata=kinds.may_be(kinds.choice("none", "multilingual", "endpoint"))
    )
    embedder_url: str = field(default="", metadata=kinds.may_be(kinds.web_address()))
    embedder_model: str = field(default="", metadata=kinds.may_be(kinds.text()))
    embedder_dimension: int = field(default=0, metadata=kinds.may_be(kinds.whole_number(1, 100_000)))
    embedder_timeout_secs: float = field(default=2.0, metadata=kinds.may_be(kinds.number(0.1, A_DAY_SECS)))
    embedder_key: str = field(default="", repr=False, metadata=kinds.may_be(kinds.secret(1), is_secret=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class KnowledgeGuardSettings:
    """``[knowledge_guard]``: the burst detector. The injection scan has no switch.

    ``enabled = false`` counts only as a TOML boolean in a section whose other keys can be read:
    in a malformed section the detector stays on. ``pack`` is a file of rules of one's own; a file
    that cannot be used stops the engine from opening, or it would run less guarded than was meant.
    """

    enabled: bool = field(default=True, metadata=kinds.may_be(kinds.boolean()))
    window_secs: int = field(default=3600, metadata=kinds.may_be(kinds.whole_number(1, LONGEST_WINDOW_SECS)))
    max_per_subject: int = field(default=5, metadata=kinds.may_be(kinds.whole_number(1, MANY)))
    pack: str = field(default="", metadata=kinds.may_be(kinds.text()))  # "": the built-in rules alone


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthoritySettings:
    """``[authority]``: whether a curated word is protected against unverified ones."""

    protect_curated: bool = field(default=True, metadata=kinds.may_be(kinds.boolean()))


@dataclass(frozen=True, slots=True, kw_only=True)
class DistillSettings:
    """``[distill]``: what reads conversations: built-in ``rules``, or a model at an OpenAI-compatible ``endpoint``.

    ``timeout_secs`` is how long the endpoint may take for one answer.
    """

    extractor: ExtractorName = field(default="rules", metadata=kinds.may_be(kinds.choice("rules", "endpoint")))
    url: str = field(default="", metadata=kinds.may_be(kinds.web_address()))
    model: str = field(default="", metadata=kinds.may_be(kinds.text()))
    key: str = field(default="", repr=False, metadata=kinds.may_be(kinds.secret(1), is_secret=True))
    timeout_secs: float = field(default=60.0, metadata=kinds.may_be(kinds.number(1, A_DAY_SECS)))


@dataclass(frozen=True, slots=True, kw_only=True)
class PagesSettings:
    """``[pages]``: the folder of the pages."""

    root: str = field(default="", metadata=kinds.may_be(kinds.text()))  # "": beside the memory file


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """``[server]``: what an MCP client over stdio may do, where its writes come from, and who hears of events.

    Events are POSTed to ``webhook_url``, signed with ``webhook_secret``; nothing is sent without both.
    """

    scopes: tuple[str, ...] = field(default=("memory:read", "memory:write"), metadata=kinds.may_be(kinds.names(*Scope)))
    origin: str = field(default="agent_derived", metadata=kinds.may_be(kinds.text()))
    webhook_url: str = field(
        default="",
        repr=False,
        metadata=kinds.may_be(kinds.web_address(), is_secret=True, shown=kinds.only_the_host),
    )
    webhook_secret: str = field(
        default="", repr=False, metadata=kinds.may_be(kinds.secret(SHORTEST_SECRET), is_secret=True)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Everything in force. ``sources`` and ``warnings`` say where it came from and what failed.

    ``Config()`` is all defaults, whatever files and variables there are.
    """

    engine: EngineSettings = field(default_factory=EngineSettings)
    retrieval: RetrievalSettings = field(default_factory=RetrievalSettings)
    knowledge_guard: KnowledgeGuardSettings = field(default_factory=KnowledgeGuardSettings)
    authority: AuthoritySettings = field(default_factory=AuthoritySettings)
    distill: DistillSettings = field(default_factory=DistillSettings)
    pages: PagesSettings = field(default_factory=PagesSettings)
    server: ServerSettings = field(default_factory=ServerSettings)
    sources: Mapping[str, Source] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    file: str | None = None

    def settings(self) -> dict[str, object]:
        """Every setting in force by ``section.key``; a secret only as whether it is set, or where it leads."""
        shown: dict[str, object] = {}
        for section in _SECTIONS:
            values = getattr(self, section)
            for each in fields(values):
                value = getattr(values, each.name)
                if each.metadata["is_secret"]:
                    value = each.metadata["shown"](value) if value else "(not set)"
                shown[f"{section}.{each.name}"] = value
        return shown

    def settings_from(self) -> dict[str, str]:
        """Where every setting came from: default, file, environment or argument."""
        return {name: self.sources.get(name, "default") for name in self.settings()}


class _Section(Protocol):
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]


_SECTIONS: Final[dict[str, Callable[[], _Section]]] = {
    "engine": EngineSettings,
    "retrieval": RetrievalSettings,
    "knowledge_guard": KnowledgeGuardSettings,
    "authority": AuthoritySettings,
    "distill": DistillSettings,
    "pages": PagesSettings,
    "server": ServerSettings,
}
_FIELDS: Final[dict[str, Field[Any]]] = {
    f"{section}.{each.name}": each for section, make in _SECTIONS.items() for each in fields(make())
}


# --- reading ---------------------------------------------------------------------------------


def load(
    file: str | Path | None = None,
    *,
    environment: Mapping[str, str] | None = None,
    arguments: Mapping[str, object] | None = None,
) -> Config:
    """What is in force: the file, then ``KARTE_*`` variables, then arguments; the later wins.

    ``file`` None means ``KARTE_CONFIG`` or the platform's place, where none need be.
    ``arguments`` are ``section.key`` to value; None values are left out, and one that cannot be
    read raises ``ConfigError``.
    """
    variables = os.environ if environment is None else environment
    reading = _Reading()
    path = _file_to_read(file, variables, reading)
    if path is not None:
        reading.take_file(path)
    reading.take_environment(variables)
    reading.take_arguments(arguments or {})
    reading.keep_guard_on_in_a_malformed_section()
    reading.warn_of_a_webhook_without_secret()
    return reading.config(path, variables)


def default_path(environment: Mapping[str, str] | None = None, platform: str = sys.platform) -> str:
    """Where the memory file is when nobody says: the platform's place for a program's data."""
    variables = os.environ if environment is None else environment
    return str(_place(variables, platform, "XDG_DATA_HOME", ".local/share") / "memory.db")


def default_config_file(environment: Mapping[str, str] | None = None, platform: str = sys.platform) -> Path:
    """Where ``config.toml`` is looked for when nobody says."""
    variables = os.environ if environment is None else environment
    return _place(variables, platform, "XDG_CONFIG_HOME", ".config") / "config.toml"


def _place(variables: Mapping[str, str], platform: str, xdg: str, below_home: str) -> Path:
    home = Path(variables.get("HOME") or "~").expanduser()
    if platform == "win32":
        local = variables.get("LOCALAPPDATA")
        return (Path(local) if local else home / "AppData" / "Local") / "karte"
    if platform == "darwin":
        return home / "Library" / "Application Support" / "karte"
    named = Path(variables.get(xdg, ""))
    return (named if named.is_absolute() else home / below_home) / "karte"


def _from_home(path: str) -> str:
    """The path with its ``~`` expanded, which no shell has done in an MCP client's settings."""
    return str(Path(path).expanduser()) if path.startswith("~") else path


def _file_to_read(file: str | Path | None, variables: Mapping[str, str], reading: _Reading) -> Path | None:
    """The file to read, if there is one; a file that was named and is not there is warned of."""
    named = file or variables.get("KARTE_CONFIG")
    path = Path(named).expanduser() if named else default_config_file(variables)
    try:
        if path.is_file():
            return path
    except (OSError, ValueError):  # a name that no file can have
        pass
    if named:
        reading.warn(f"{shorten(str(named))}: no such configuration file; using defaults")
    return None


class _Reading:
    """Settings as they are found, layer on layer, with where each came from."""

    def __init__(self) -> None:
        self.values: dict[str, object] = {}
        self.sources: dict[str, Source] = {}
        self.warnings: list[str] = []
        self.malformed: set[str] = set()

    def warn(self, sentence: str) -> None:
        self.warnings.append(sentence)

    def take_file(self, path: Path) -> None:
        try:
            text = path.read_bytes().decode("utf-8-sig")  # Windows editors begin with a mark
            found = tomllib.loads(text)
        except (OSError, ValueError, RecursionError) as error:
            self.malformed.update(f"{section}.*" for section in _SECTIONS)
            self.warn(f"{path}: cannot be read ({error}); using defaults for all it says")
            return
        for section, values in found.items():
            if section not in _SECTIONS:
                self.warn(f"{path}: unknown section [{shorten(section)}]; ignored")
            elif not isinstance(values, dict):
                self.malformed.add(f"{section}.*")
                self.warn(f"{path}: [{section}] is not a section; using its defaults")
            else:
                for key, value in values.items():
                    self._take(f"{section}.{key}", value, "file", str(path))
        self._resolve_paths(path)

    def _resolve_paths(self, config_file: Path) -> None:
        """A relative ``[engine] path`` or ``[pages] root`` is beside the file that says it, wherever one stands."""
        for name in ("engine.path", "pages.root"):
            path = self.values.get(name)
            if isinstance(path, str) and not path.startswith((":", "file:")):
                self.values[name] = str(config_file.parent / Path(path).expanduser())

    def take_environment(self, variables: Mapping[str, str]) -> None:
        for name, text in sorted(variables.items()):
            upper = name.upper()
            if not upper.startswith("KARTE_") or "__" not in upper:
                continue
            section, _, key = upper.removeprefix("KARTE_").lower().partition("__")
            if section not in _SECTIONS:
                self.warn(f"{name}: unknown section [{shorten(section)}]; ignored")
                continue
            self._take_text(f"{section}.{key}", text, name)
        for name, setting in SHORT_NAMES.items():  # last, so that the short name wins
            if variables.get(name):
                self._take_text(setting, variables[name], name)

    def take_arguments(self, arguments: Mapping[str, object]) -> None:
        for name, value in arguments.items():
            if value is None:
                continue
            setting = _FIELDS.get(name)
            if setting is None:
                raise ConfigError("no such setting", field=name)
            kind: kinds.Kind = setting.metadata["kind"]
            if not kind.fits(value):
                shown = None if setting.metadata["is_secret"] else value
                raise ConfigError("cannot be meant", field=name, value=shown, remedy=f"give {kind.wanted}")
            self._keep(name, value, "argument")

    def keep_guard_on_in_a_malformed_section(self) -> None:
        enabled = "knowledge_guard.enabled"
        others = {name for name in self.malformed if name.startswith("knowledge_guard.")}
        if others - {enabled} and self.values.get(enabled) is False:
            del self.values[enabled], self.sources[enabled]
            self.warn(
                f"{enabled}: false does not count while another key of [knowledge_guard] "
                "cannot be read; the burst detector stays on"
            )

    def warn_of_a_webhook_without_secret(self) -> None:
        if "server.webhook_url" in self.values and "server.webhook_secret" not in self.values:
            self.warn("server.webhook_url: nothing is sent there without a server.webhook_secret to sign with")

    def config(self, path: Path | None, variables: Mapping[str, str]) -> Config:
        made = {}
        for section, make in _SECTIONS.items():
            mine = {
                name.partition(".")[2]: value for name, value in self.values.items() if name.startswith(f"{section}.")
            }
            made[section] = replace(cast(Any, make()), **mine)
        path_in_force = made["engine"].path or default_path(variables)
        made["engine"] = replace(made["engine"], path=_from_home(path_in_force))
        made["pages"] = replace(made["pages"], root=_from_home(made["pages"].root))
        return Config(
            **made,
            sources=dict(self.sources),
            warnings=tuple(self.warnings),
            file=None if path is None else str(path),
        )

    def _take_text(self, name: str, text: str, variable: str) -> None:
        setting = _FIELDS.get(name)
        value = text if setting is None else setting.metadata["kind"].of_text(text.strip())
        self._take(name, value, "environment", variable, shown=text)

    def _take(self, name: str, value: object, source: Source, where: str, *, shown: object = None) -> None:
        setting = _FIELDS.get(name)
        if setting is None:  # its value is not shown: it may be a secret under a wrong name
            self.warn(f"{where}: unknown setting {shorten(name)}; ignored")
            return
        kind: kinds.Kind = setting.metadata["kind"]
        if kind.fits(value):
            self._keep(name, value, source)
            return
        self.malformed.add(name)
        got = "" if setting.metadata["is_secret"] else f" (got {shorten(repr(value if shown is None else shown))})"
        keeping = f"what the {self.sources[name]} says" if name in self.sources else "the default"
        self.warn(f"{where}: {name} is not {kind.wanted}{got}; keeping {keeping}")

    def _keep(self, name: str, value: object, source: Source) -> None:
        if isinstance(value, list | tuple):
            value = tuple(dict.fromkeys(value))
        self.values[name] = value
        self.sources[name] = source
