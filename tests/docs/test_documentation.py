"""What the documentation shows is true: its programs run, its commands work, its links lead somewhere."""

import ast
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
README = ROOT / "README.md"
EXAMPLES = sorted((DOCS / "examples").glob("*.py"))
PAGES = [README, ROOT / "CHANGELOG.md", *sorted(DOCS.rglob("*.md"))]

FENCE = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)#\s]+)")
SHOWN = re.compile(r"^(?P<indent>\s*)(?P<code>\S.*?)\s+# (?P<value>.+)$")


def _blocks(page: Path, language: str) -> list[str]:
    return [body for name, body in FENCE.findall(page.read_text(encoding="utf-8")) if name == language]


def _python_blocks() -> dict[str, str]:
    """By page and place, every Python block that is not the text of a whole example, which runs by itself."""
    examples = {path.read_text(encoding="utf-8") for path in EXAMPLES}
    return {
        f"{page.relative_to(ROOT).as_posix()}-{number}": body
        for page in PAGES
        for number, body in enumerate(_blocks(page, "python"), 1)
        if page == README or body not in examples
    }


def _asserting(program: str) -> str:
    """The program, with each line `expression  # literal` turned into an assertion that it has that value."""
    return "".join(_asserting_line(line) + "\n" for line in program.splitlines())


def _asserting_line(line: str) -> str:
    shown = SHOWN.match(line)
    if not shown:
        return line
    try:
        ast.parse(shown["code"], mode="eval")
        value = ast.literal_eval(shown["value"])
    except (SyntaxError, ValueError):
        return line
    return f"{shown['indent']}assert ({shown['code']}) == {value!r}"


def _environment(tmp_path: Path) -> dict[str, str]:
    """An environment in which nothing of this machine's own Karte is read or written, and `karte` is found."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("KARTE_", "XDG_"))}
    scripts = str(Path(sys.executable).parent)
    return kept | {
        "HOME": str(tmp_path),
        "PATH": os.pathsep.join([scripts, kept.get("PATH", "")]),
        "PYTHONUTF8": "1",
        "PYTHONWARNINGS": "error",
    }


def _run(command: list[str], tmp_path: Path, **environment: str) -> str:
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env=_environment(tmp_path) | environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, f"{shlex.join(command)}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.mark.requirement("house.documentation-runs")
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_an_example_runs(example: Path, tmp_path: Path) -> None:
    program = tmp_path / example.name
    program.write_text(_asserting(example.read_text(encoding="utf-8")), encoding="utf-8")
    _run([sys.executable, str(program)], tmp_path)


@pytest.mark.requirement("house.documentation-runs")
@pytest.mark.parametrize("place", sorted(_python_blocks()))
def test_a_python_block_runs(place: str, tmp_path: Path) -> None:
    _run([sys.executable, "-c", _asserting(_python_blocks()[place])], tmp_path)


@pytest.mark.requirement("house.documentation-runs")
def test_the_commands_of_the_readme_work_in_their_order(tmp_path: Path) -> None:
    commands = [line for body in _blocks(README, "sh") for line in body.splitlines() if line.startswith("karte ")]
    assert commands
    shown = {line: _run(shlex.split(line, comments=True), tmp_path, KARTE_DB="memory.db") for line in commands}
    assert "Vercel" in shown["karte at user deploy_target 2026-02-01"]
    assert "Cloudflare Workers" in shown['karte search "where do we deploy?" --json']


def test_the_readme_is_short_and_starts_with_the_quickstart() -> None:
    assert len(README.read_text(encoding="utf-8").splitlines()) <= 150
    assert _blocks(README, "python")[0] == (DOCS / "examples" / "quickstart.py").read_text(encoding="utf-8")


def test_scripts_that_the_readme_names_can_be_run() -> None:
    named = set(re.findall(r"\bscripts/(\w+)", README.read_text(encoding="utf-8")))
    assert {"demo", "test"} <= named
    for name in named:
        assert os.access(ROOT / "scripts" / name, os.X_OK), name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    dead = [link for link in LINK.findall(page.read_text(encoding="utf-8")) if not (page.parent / link).exists()]
    assert not dead


def test_every_decision_is_listed() -> None:
    listed = (DOCS / "decisions" / "README.md").read_text(encoding="utf-8")
    assert not [path.name for path in (DOCS / "decisions").glob("0*.md") if f"({path.name})" not in listed]


def test_a_value_in_a_comment_becomes_an_assertion() -> None:
    assert _asserting_line("    x.object    # 'Vercel'") == "    assert (x.object) == 'Vercel'"
    assert _asserting_line("x = 1  # 'Vercel'") == "x = 1  # 'Vercel'"
    assert _asserting_line("f(x)  # a remark") == "f(x)  # a remark"
