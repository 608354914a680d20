"""Configuration: the later wins, and a slip in one key switches nothing else off."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from karte.config import Config, DistillSettings, KnowledgeGuardSettings, default_config_file, default_path, load
from karte.errors import ConfigError

DOCUMENTED = Path(__file__).parents[1] / "docs" / "configuration.md"


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "config.toml"
    path.write_text(text, encoding="utf-8")
    return path


def loaded(tmp_path: Path, text: str, **environment: str) -> Config:
    return load(written(tmp_path, text), environment=environment)


@pytest.mark.requirement("config.precedence")
def test_arguments_win_over_the_environment_and_that_over_the_file(tmp_path: Path) -> None:
    file = written(tmp_path, '[engine]\nagent = "a"\nbusy_timeout_secs = 5\nsynchronous = "full"\n')
    config = load(
        file,
        environment={"KARTE_ENGINE__AGENT": "b", "KARTE_ENGINE__BUSY_TIMEOUT_SECS": "6.5"},
        arguments={"engine.agent": "c", "engine.path": None},
    )
    assert (config.engine.agent, config.engine.busy_timeout_secs, config.engine.synchronous) == ("c", 6.5, "full")
    sources = config.settings_from()
    assert sources["engine.agent"] == "argument"
    assert sources["engine.busy_timeout_secs"] == "environment"
    assert sources["engine.synchronous"] == "file"
    assert sources["engine.path"] == sources["authority.protect_curated"] == "default"
    assert config.warnings == ()


@pytest.mark.requirement("config.precedence")
def test_short_names_stand_for_the_file_and_the_agent() -> None:
    config = load(
        environment={"KARTE_DB": "/x/m.db", "KARTE_AGENT": "dudu", "KARTE_ENGINE__AGENT": "long", "HOME": "/h"}
    )
    assert (config.engine.path, config.engine.agent) == ("/x/m.db", "dudu")
    assert config.settings_from()["engine.path"] == "environment"


@pytest.mark.requirement("config.precedence")
def test_karte_config_names_the_file(tmp_path: Path) -> None:
    file = written(tmp_path, '[engine]\nagent = "from the file"\n')
    config = load(environment={"KARTE_CONFIG": str(file)})
    assert config.engine.agent == "from the file"
    assert config.file == str(file)


def test_a_named_file_that_is_not_there_is_warned_of_and_an_unnamed_one_is_not(tmp_path: Path) -> None:
    named = load(environment={"KARTE_CONFIG": str(tmp_path / "no.toml")})
    assert "no.toml" in named.warnings[0]
    assert load(environment={"HOME": str(tmp_path)}).warnings == ()


@pytest.mark.requirement("config.bad-key-falls-back")
@pytest.mark.parametrize("value", ["0", "-1", '"5"', "5.0", "true", "nan", "[5]", "{}", "99999999999999999999"])
def test_a_malformed_number_falls_back_alone_with_a_warning_that_names_it(tmp_path: Path, value: str) -> None:
    config = loaded(tmp_path, f"[knowledge_guard]\nwindow_secs = {value}\nmax_per_subject = 9\n")
    assert config.knowledge_guard == KnowledgeGuardSettings(max_per_subject=9)
    assert len(config.warnings) == 1
    assert "knowledge_guard.window_secs" in config.warnings[0]


@pytest.mark.requirement("config.bad-key-falls-back")
def test_unknown_keys_and_sections_are_named_and_ignored(tmp_path: Path) -> None:
    config = loaded(tmp_path, '[engine]\npaht = "x"\n[guard]\nenabled = false\n', KARTE_NO__SUCH="1", KARTE_DEBUG="1")
    assert config.engine.path == default_path({})
    assert [re.search(r"unknown \w+ \S+", warning)[0] for warning in config.warnings] == [  # type: ignore[index]
        "unknown setting engine.paht;",
        "unknown section [guard];",
        "unknown section [no];",
    ]


@pytest.mark.requirement("config.bad-key-falls-back")
@pytest.mark.parametrize("text", ["[engine\n", "\x00", "a = 'é\n", "= 1", "[engine]\nagent = 'a'\nagent = 'b'\n"])
def test_a_file_that_is_no_toml_gives_all_defaults_and_one_warning(tmp_path: Path, text: str) -> None:
    config = loaded(tmp_path, text)
    assert config.engine.agent == "default"
    assert len(config.warnings) == 1
    assert "config.toml" in config.warnings[0]


def test_a_file_that_is_not_utf8_gives_defaults_and_a_byte_order_mark_is_tolerated(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(b'[engine]\nagent = "\xe9"\n')
    assert "cannot be read" in load(path, environment={}).warnings[0]
    path.write_bytes(b'\xef\xbb\xbf[engine]\nagent = "x"\n')
    assert load(path, environment={}).engine.agent == "x"


@pytest.mark.requirement("config.bad-key-falls-back")
@pytest.mark.parametrize(
    ("text", "is_on"),
    [
        ("enabled = false", False),
        ("enabled = false\nwindow_secs = 60", False),
        ("enabled = false\nunknown = 1", False),  # an unknown key can be read, it says nothing
        ("enabled = 0", True),
        ('enabled = "false"', True),
        ("enabled = false\nwindow_secs = 0", True),
        ('enabled = false\nmax_per_subject = "5"', True),
    ],
)
def test_the_detector_goes_off_only_by_a_boolean_in_a_section_that_can_be_read(
    tmp_path: Path, text: str, is_on: bool
) -> None:
    assert loaded(tmp_path, f"[knowledge_guard]\n{text}\n").knowledge_guard.enabled is is_on


@pytest.mark.requirement("config.bad-key-falls-back")
def test_a_section_that_is_none_keeps_the_detector_on_whatever_a_variable_says(tmp_path: Path) -> None:
    off = {"KARTE_KNOWLEDGE_GUARD__ENABLED": "false"}
    assert loaded(tmp_path, "", **off).knowledge_guard.enabled is False
    malformed = loaded(tmp_path, "knowledge_guard = 5\n", **off)
    assert malformed.knowledge_guard.enabled is True
    assert any("knowledge_guard.enabled" in warning for warning in malformed.warnings)


@pytest.mark.requirement("config.bad-key-falls-back")
def test_a_malformed_variable_keeps_what_the_file_says(tmp_path: Path) -> None:
    config = loaded(tmp_path, "[knowledge_guard]\nmax_per_subject = 3\n", KARTE_KNOWLEDGE_GUARD__MAX_PER_SUBJECT="many")
    assert config.knowledge_guard.max_per_subject == 3
    assert "KARTE_KNOWLEDGE_GUARD__MAX_PER_SUBJECT" in config.warnings[0]


@pytest.mark.parametrize("text", ["yes", "False", "0", ""])
def test_a_variable_is_true_or_false_and_nothing_else(text: str) -> None:
    config = load(environment={"KARTE_AUTHORITY__PROTECT_CURATED": text})
    assert config.authority.protect_curated is True
    assert len(config.warnings) == 1


@pytest.mark.parametrize("value", ["inf", "-0.1", "nan", "true", "86401", '"3"'])
def test_a_time_out_that_is_no_span_of_seconds_falls_back(tmp_path: Path, value: str) -> None:
    assert loaded(tmp_path, f"[engine]\nbusy_timeout_secs = {value}\n").engine.busy_timeout_secs == 30.0


def test_scopes_are_a_list_in_the_file_and_words_in_a_variable(tmp_path: Path) -> None:
    assert loaded(tmp_path, '[server]\nscopes = ["memory:read", "memory:read"]\n').server.scopes == ("memory:read",)
    by_variable = load(environment={"KARTE_SERVER__SCOPES": "memory:read, admin"})
    assert by_variable.server.scopes == ("memory:read", "admin")
    unknown = loaded(tmp_path, '[server]\nscopes = ["root"]\n')
    assert unknown.server.scopes == ("memory:read", "memory:write")
    assert "server.scopes" in unknown.warnings[0]
    assert loaded(tmp_path, "[server]\nscopes = []\n").server.scopes == ()


@pytest.mark.parametrize(
    ("name", "value"), [("engine.agent", ""), ("engine.path", "a\x00b"), ("server.scopes", ["root"]), ("no.such", 1)]
)
def test_an_argument_that_cannot_be_meant_is_refused_by_name(name: str, value: object) -> None:
    with pytest.raises(ConfigError) as caught:
        load(environment={}, arguments={name: value})
    assert caught.value.field == name


def test_a_relative_path_in_the_file_is_beside_the_file(tmp_path: Path) -> None:
    assert loaded(tmp_path, '[engine]\npath = "m.db"\n').engine.path == str(tmp_path / "m.db")
    assert loaded(tmp_path, '[engine]\npath = ":memory:"\n').engine.path == ":memory:"


def test_a_tilde_is_the_home_folder_also_where_no_shell_expands_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/somewhere")
    assert load(environment={"KARTE_DB": "~/m.db"}).engine.path == "/somewhere/m.db"


@pytest.mark.parametrize(
    ("platform", "environment", "path"),
    [
        ("linux", {"HOME": "/h"}, "/h/.local/share/karte/memory.db"),
        ("linux", {"HOME": "/h", "XDG_DATA_HOME": "/d"}, "/d/karte/memory.db"),
        ("linux", {"HOME": "/h", "XDG_DATA_HOME": "relative"}, "/h/.local/share/karte/memory.db"),
        ("darwin", {"HOME": "/h", "XDG_DATA_HOME": "/d"}, "/h/Library/Application Support/karte/memory.db"),
        ("win32", {"LOCALAPPDATA": "/l"}, "/l/karte/memory.db"),
        ("win32", {"HOME": "/h"}, "/h/AppData/Local/karte/memory.db"),
    ],
)
def test_the_file_has_its_place_on_every_platform(platform: str, environment: dict[str, str], path: str) -> None:
    assert default_path(environment, platform) == path
    assert load(environment={"HOME": "/h"}).engine.path.startswith("/h/")
    assert default_config_file({"HOME": "/h"}, "linux") == Path("/h/.config/karte/config.toml")


def test_no_value_of_an_unknown_setting_is_shown(tmp_path: Path) -> None:
    config = loaded(tmp_path, '[server]\napi_kye = "s3cret"\n', KARTE_SERVER__TOKEN="s3cret")
    assert len(config.warnings) == 2
    assert "s3cret" not in " ".join(config.warnings)


def test_every_setting_is_documented_with_its_default() -> None:
    page = DOCUMENTED.read_text(encoding="utf-8")
    config = Config()
    for section in ("engine", "knowledge_guard", "authority", "distill", "pages", "server"):
        for each in fields(getattr(config, section)):
            assert f"`{each.name}`" in page, f"{section}.{each.name} is not in {DOCUMENTED.name}"
    for section in ("retrieval", "distill", "pages"):
        assert f"[{section}]" in page


# --- distillation and pages ------------------------------------------------------------------


def test_distillation_is_by_rules_until_an_endpoint_is_named(tmp_path: Path) -> None:
    assert (Config().distill.extractor, Config().distill.timeout_secs) == ("rules", 60.0)
    named = loaded(
        tmp_path,
        '[distill]\nextractor = "endpoint"\nurl = "http://127.0.0.1:9/v1"\nmodel = "small"\n',
        KARTE_DISTILL__KEY="k-123",
        KARTE_DISTILL__TIMEOUT_SECS="5",
    )
    assert named.warnings == ()
    assert (named.distill.extractor, named.distill.url, named.distill.model) == (
        "endpoint",
        "http://127.0.0.1:9/v1",
        "small",
    )
    assert (named.distill.key, named.distill.timeout_secs) == ("k-123", 5.0)


def test_the_key_of_the_endpoint_is_never_shown(tmp_path: Path) -> None:
    config = loaded(tmp_path, '[distill]\nkey = "k-123"\n')
    assert config.settings()["distill.key"] == "(set)"
    assert Config().settings()["distill.key"] == "(not set)"
    assert "k-123" not in repr(config)
    malformed = loaded(tmp_path, '[distill]\nkey = "k-123 with spaces"\n')
    assert "distill.key" in malformed.warnings[0]
    assert "k-123" not in malformed.warnings[0]


@pytest.mark.requirement("config.bad-key-falls-back")
@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("extractor", '"magic"'),
        ("extractor", "[]"),
        ("url", '"ftp://example.org"'),
        ("url", '"http://me:pw@example.org"'),
        ("model", '""'),
        ("timeout_secs", "0"),
        ("timeout_secs", "nan"),
        ("timeout_secs", "86401"),
        ("timeout_secs", "true"),
    ],
)
def test_a_malformed_setting_of_distillation_falls_back_alone(tmp_path: Path, key: str, value: str) -> None:
    config = loaded(tmp_path, f'[distill]\n{key} = {value}\nkey = "k-123"\n')
    assert config.distill == DistillSettings(key="k-123")
    assert f"distill.{key}" in config.warnings[0]


def test_the_pages_are_beside_the_memory_file_or_where_the_root_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/somewhere")
    assert Config().pages.root == loaded(tmp_path, "").pages.root == ""
    assert loaded(tmp_path, '[pages]\nroot = "pages"\n').pages.root == str(tmp_path / "pages")
    assert loaded(tmp_path, '[pages]\nroot = "/abs"\n').pages.root == "/abs"
    assert loaded(tmp_path, "", KARTE_PAGES__ROOT="~/pages").pages.root == "/somewhere/pages"
    assert "pages.root" in loaded(tmp_path, "[pages]\nroot = 5\n").warnings[0]
