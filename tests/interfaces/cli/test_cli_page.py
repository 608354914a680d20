"""docs/cli.md is true: every example runs, in its order, and every command and option is on the page."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from karte.interfaces.cli.main import COMMANDS, cli
from tests.interfaces.cli.conftest import environment_of

PAGE = Path(__file__).parents[3] / "docs" / "cli.md"
TEXT = PAGE.read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^\$ (.+)$", TEXT, re.MULTILINE)


@pytest.mark.slow
@pytest.mark.requirement("cli.commands", "house.documentation-runs")
@pytest.mark.skipif(sys.platform == "win32", reason="examples are for a POSIX shell")
def test_every_example_of_the_page_runs_in_its_order(tmp_path: Path) -> None:
    (tmp_path / "facts.jsonl").write_text('{"content": "from a file", "subject": "a", "predicate": "b"}\n')
    (tmp_path / "conversations.json").write_text('[{"session": "s", "speaker": "Ann", "text": "Hello"}]')
    (tmp_path / "karte").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m karte "$@"\n')
    (tmp_path / "karte").chmod(0o755)
    environment = environment_of(tmp_path)
    environment["PATH"] = f"{tmp_path}{os.pathsep}{environment['PATH']}"
    assert len(EXAMPLES) > 30
    for example in EXAMPLES:
        done = subprocess.run(
            ["sh", "-c", example], capture_output=True, cwd=tmp_path, env=environment, timeout=60, check=False
        )
        assert done.returncode == 0, f"{example}\n{done.stdout.decode()}{done.stderr.decode()}"


def _commands() -> dict[str, click.Command]:
    context = click.Context(cli)
    found: dict[str, click.Command] = {}
    for name in COMMANDS:
        command = cli.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            found |= {f"{name} {inner}": each for inner, each in command.commands.items()}
        else:
            found[name] = command
    return found


def test_every_command_has_an_example_and_every_option_is_on_the_page() -> None:
    for name, command in _commands().items():
        if name != "mcp":  # it would wait for a client
            assert any(re.search(rf"karte .*\b{name}\b|karte {name}\b", example) for example in EXAMPLES), name
        for option in command.params:
            if isinstance(option, click.Option):
                assert any(form in TEXT for form in option.opts), f"{name} {option.opts}"
