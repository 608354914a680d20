"""How every kind of ending is told: a sentence, a code, and with --json an object."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from karte import errors
from karte.interfaces.cli.exits import Exit, exit_of
from tests import needs
from tests.interfaces.cli.conftest import Karte

pytestmark = pytest.mark.requirement("cli.exit-codes")


@pytest.mark.parametrize(
    "arguments",
    [
        ("at", "nobody", "knows"),
        ("history", "nobody", "knows"),
        ("show", "no-such-id"),
        ("fetch", "no-such-id"),
        ("forget", "no-such-id"),
        ("restore", "no-such-id"),
        ("update", "no-such-id", "--tag", "x"),
        ("retract", "no-such-id"),
        ("end", "nobody", "knows"),
        ("expire", "nobody"),
        ("alias", "remove", "nobody"),
    ],
)
def test_asked_and_not_there_is_1(karte: Karte, arguments: tuple[str, ...]) -> None:
    done = karte(*arguments)
    assert done.code == 1, done.err
    assert "Traceback" not in done.err
    assert done.out.count("\n") + done.err.count("\n") <= 3, "a sentence or two, and the note that the file is new"


@pytest.mark.parametrize(
    "arguments", [("search", "nothing"), ("search", ""), ("list",), ("predicate", "list"), ("alias", "list")]
)
def test_an_empty_answer_is_an_answer(karte: Karte, arguments: tuple[str, ...]) -> None:
    assert karte(*arguments).code == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ("no-such-command",),
        ("add",),
        ("add", "x", "--no-such-option"),
        ("add", "x", "--importance", "much"),
        ("add", "x", "--importance", "11"),
        ("add", "x", "--importance", "nan"),
        ("add", "x", "--confidence", "1.1"),
        ("add", "x", "--layer", "deep"),
        ("add", "x", "--from", "yesterday", "-s", "a", "-p", "b"),
        ("add", "x", "--from", "2024", "--until", "2023", "-s", "a", "-p", "b"),
        ("add", "x", "--metadata", "{"),
        ("add", "x", "--metadata", "[]"),
        ("add", "", "-s", "a", "-p", "b"),
        ("add", "x", "--jsonl", "lines.jsonl"),
        ("add", "--jsonl", "no-such-file.jsonl"),
        ("fetch",),
        ("fetch", *map(str, range(101))),
        ("at", "a"),
        ("at", "a", "b", "32 May"),
        ("history", "a", "b", "--known-at", "noon"),
        ("search", "x", "--min-trust", "2"),
        ("list", "--cursor", "broken"),
        ("predicate", "declare", "knows", "several"),
        ("mcp", "--scopes", "root"),
        ("mcp", "--origin", ""),
    ],
)
def test_usage_and_bad_input_is_2_and_says_why(karte: Karte, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    (tmp_path / "lines.jsonl").write_text("{}\n")
    done = karte("--json", *arguments)
    assert done.code == 2, done.err
    assert done.out == ""
    assert done.err.count("\n") <= 2, "the error, and the note that the file is new"
    assert done.error["code"]
    assert done.error["message"]


def test_without_arguments_it_shows_its_help_and_ends_in_2(karte: Karte) -> None:
    done = karte()
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("Usage: karte")


def test_bad_input_names_field_value_and_remedy(karte: Karte) -> None:
    done = karte("--json", "add", "x", "-s", "a", "-p", "b", "--from", "yesterday")
    assert done.error["code"] == "invalid_time"
    assert done.error["field"] == "--from"
    assert "yesterday" in done.error["message"]
    assert "2026-05-11" in done.error["remedy"]
    assert done.out == ""


def test_an_id_that_is_taken_is_2_and_changes_nothing(karte: Karte) -> None:
    assert karte("add", "first", "--id", "a").code == 0
    assert karte("--json", "add", "second", "--id", "a").error["code"] == "duplicate_id"
    assert karte("add", "second", "--id", "a").code == 2
    assert karte("--json", "show", "a").data["memory"]["content"] == "first"


def test_a_name_that_belongs_to_a_part_of_karte_is_refused_by_name(karte: Karte) -> None:
    done = karte("--json", "add", "x", "--source-event", "origin_purge")
    assert done.code == Exit.USAGE
    assert done.error["code"] == "reserved_name"
    assert done.error["field"] == "--source-event"


@pytest.mark.parametrize(
    ("arguments", "option"),
    [
        (("summarize", "--from", "garbage"), "--from"),
        (("summarize", "--from", "2026-01-01", "--until", "garbage"), "--until"),
        (("summarize", "--from", "2026-01-02", "--until", "2026-01-01"), "--from, --until"),
        (("summarize", "--days", "0"), "--days"),
        (("decisions", "open", "q", "--days", "-1"), "--days"),
        (("search", "q", "--as-of", "foo"), "--as-of"),
        (("search", "q", "-n", "0"), "-n/--limit"),
        (("list", "--limit", "0"), "-n/--limit"),
        (("search", "q", "--known-at", "foo"), "--known-at"),
        (("end", "a", "b", "--at", "foo"), "--at"),
        (("context", "hello", "--budget", "-1"), "--budget"),
    ],
)
def test_an_error_names_the_option_that_was_typed(karte: Karte, arguments: tuple[str, ...], option: str) -> None:
    done = karte(*arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.splitlines()[-1].startswith(f"karte: {option}: ")


@pytest.mark.parametrize(
    ("arguments", "first", "second"),
    [
        (("decisions", "open", "q", "--days", "5", "--never-expires"), "--days", "--never-expires"),
        (("summarize", "--days", "1", "--from", "2026-01-01"), "--days", "--from"),
        (("update", "id", "--tag", "x", "--no-tags"), "--tag", "--no-tags"),
        (("import", "--restore", "--origin", "channel:x", "-"), "--restore", "--origin"),
    ],
)
def test_options_that_contradict_each_other_are_refused_by_name(
    karte: Karte, tmp_path: Path, arguments: tuple[str, ...], first: str, second: str
) -> None:
    done = karte(*arguments)
    assert done.code == 2
    assert {first, second} <= set(done.err.splitlines()[-1].split())
    assert not (tmp_path / "memory.db").exists()


@pytest.mark.parametrize("content", [b"this is no database, only text\n" * 100, b"SQLite format 3\x00" + bytes(4000)])
def test_a_file_that_is_something_else_is_5_and_stays_untouched(karte: Karte, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other.db"
    path.write_bytes(content)
    for command in (("list",), ("add", "x"), ("doctor",), ("status",)):
        done = karte("--json", "--db", str(path), *command)
        assert done.code == 5, (command, done.err)
        assert done.error["code"] in {"not_a_karte_file", "corrupt_file"}
        assert path.read_bytes() == content


def test_a_folder_that_is_not_there_is_5(karte: Karte, tmp_path: Path) -> None:
    for path in (tmp_path / "no" / "such" / "folder.db", tmp_path):
        done = karte("--db", str(path), "add", "x")
        assert done.code == 5, done.err
        assert path.name[-10:] in done.err
        assert "Traceback" not in done.err


def test_a_file_that_cannot_be_opened_is_not_called_new_and_a_folder_is_called_one(
    karte: Karte, tmp_path: Path
) -> None:
    done = karte("--db", str(tmp_path / "no" / "x.db"), "search", "a")
    assert (done.code, done.err.count("\n")) == (5, 1)
    assert done.err.startswith("karte: --db: ")
    assert "--db: it is a folder" in karte("search", "a", "--db", str(tmp_path)).err


@pytest.mark.parametrize("arguments", [("graph", "-o"), ("export", "--out")])
def test_an_output_that_cannot_be_written_names_its_option_and_the_remedy(
    karte: Karte, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    done = karte(*arguments, str(tmp_path / "no" / "x.json"))
    assert done.code == 5
    assert "--out: cannot be written" in done.err
    assert "name another file" in done.err


def test_an_alias_that_meant_another_says_from_what_to_what(karte: Karte) -> None:
    assert karte("alias", "add", "Kenji", "Ken").err.count("meant") == 0
    assert "Ken would mean Other now, and meant kenji" in karte("alias", "add", "Other", "Ken", "--dry-run").err
    assert "Ken means other now, and meant kenji" in karte("alias", "add", "Other", "Ken").err
    assert "meant" not in karte("alias", "add", "Other", "Ken").err


READ_ONLY_MOUNT = """
mount -t tmpfs none "$1" && cp memory.db "$1"/ && mount -o remount,ro "$1" || exit 99
shift
for command in "$@"; do "$PYTHON" -m karte --db "$MOUNT/memory.db" $command; echo "code $?"; done
"""


@pytest.mark.requirement("process.read-only-file")
def test_a_read_only_file_can_be_read_and_writing_is_5(
    karte: Karte, tmp_path: Path, environment: dict[str, str]
) -> None:
    karte("add", "only to be read", "--id", "a")
    mount = tmp_path / "mount"
    mount.mkdir()
    if not shutil.which("unshare"):
        needs.lacking("mount", "there is no unshare")
    # A mount of its own, since a mode of 0444 does not stop root.
    done = subprocess.run(
        [
            "unshare",
            "--mount",
            "sh",
            "-c",
            READ_ONLY_MOUNT,
            "sh",
            str(mount),
            "show a",
            "search read",
            "add x",
            "doctor",
        ],
        capture_output=True,
        cwd=tmp_path,
        env={**environment, "PYTHON": sys.executable, "MOUNT": str(mount)},
        check=False,
    )
    if done.returncode == 99 or b"unshare failed" in done.stderr:
        needs.lacking("mount", "this machine does not let a test mount a file system")
    assert re.findall(rb"code (\d+)", done.stdout) == [b"0", b"0", b"5", b"0"], done.stderr
    assert done.stdout.count(b"only to be read") == 2
    assert b"Traceback" not in done.stderr


def test_a_fault_of_ours_is_70_in_one_line_and_the_traceback_only_on_request(karte: Karte, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import karte.interfaces.cli.session as s\n"
        "def broken(**_): raise ZeroDivisionError('of ours\\nand long')\n"
        "s.load = broken\n"
    )
    source = f"{tmp_path}:{Path(errors.__file__).parents[1]}"
    done = karte("list", PYTHONPATH=source)
    assert done.code == 70
    assert done.err.count("\n") == 1
    assert "ZeroDivisionError" in done.err
    assert "Traceback" not in done.err
    assert "Traceback" in karte("list", PYTHONPATH=source, KARTE_DEBUG="1").err
    assert karte("--json", "list", PYTHONPATH=source).error["code"] == "fault"


@pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX")
def test_ctrl_c_ends_cleanly(tmp_path: Path, environment: dict[str, str]) -> None:
    child = subprocess.Popen(
        [sys.executable, "-m", "karte", "add", "--jsonl", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env=environment,
        # A job in the background ignores the signal; the child must not. No thread of ours runs at the fork.
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    )
    assert child.stdin is not None
    child.stdin.write(b'{"content": "x"}\n' * 500)
    child.stdin.flush()
    deadline = time.monotonic() + 20
    while not (tmp_path / "memory.db").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(1)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=20)
    assert child.returncode == 130
    assert out == b""
    assert b"interrupted" in err
    assert b"Traceback" not in err


def test_every_error_of_the_tree_has_its_code() -> None:
    expected = {
        errors.InvalidTime: 2, errors.AmbiguousValue: 2, errors.DuplicateId: 2, errors.AliasCycle: 2,
        errors.ConfigError: 2, errors.InjectionRefused: 3, errors.ScopeDenied: 3, errors.QuotaExceeded: 3,
        errors.NotFound: 1, errors.Busy: 5, errors.DiskFull: 5, errors.NewerFile: 5, errors.EmbedderError: 5,
        errors.KarteError: 70,
    }  # fmt: skip
    assert {kind: int(exit_of(kind("x"))) for kind in expected} == expected
