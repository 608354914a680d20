"""Child processes of these tests: started, listened to with a deadline, and never left behind."""

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import karte

ROOT = Path(__file__).parents[2]
PATIENCE_SECS = 60.0
"""How long a test waits for a child before it fails; never how long it sleeps."""


def environment(**more: str) -> dict[str, str]:
    """This process's environment, with the package that is under test and no configuration of this machine's."""
    package = str(Path(karte.__file__).parents[1])
    kept = {name: value for name, value in os.environ.items() if not name.startswith("KARTE_")}
    found = os.pathsep.join(part for part in (package, str(ROOT), kept.get("PYTHONPATH", "")) if part)
    return {**kept, "PYTHONPATH": found, "KARTE_CONFIG": os.devnull, **more}


class Child:
    """A program of ``programs.py`` that speaks lines of JSON."""

    def __init__(self, program: str, *arguments: object) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.reliability.programs", program, *map(str, arguments)],
            cwd=ROOT,
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def hear(self) -> Any:
        """The next thing that the child says."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, f"the child ended with {self.process.wait(PATIENCE_SECS)}"
        return json.loads(line)

    def tell(self, what: object = None) -> None:
        """Says something to the child; most wait for a line to go on."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(what) + "\n")
        self.process.stdin.flush()

    def rest(self, timeout: float = PATIENCE_SECS) -> list[Any]:
        """Everything else that the child says until it ends; it must end well."""
        out, _ = self.process.communicate(timeout=timeout)
        assert self.process.returncode == 0, f"the child ended with {self.process.returncode}"
        return [json.loads(line) for line in out.splitlines()]

    def kill(self) -> None:
        """Ends the child without a word (SIGKILL), if it has not ended."""
        self.process.kill()
        self.process.communicate()


@contextmanager
def running(program: str, *arguments: object) -> Iterator[Child]:
    """A child that is gone when the test is over, whatever happened."""
    child = Child(program, *arguments)
    try:
        yield child
    finally:
        child.kill()


def karte_command(path: Path, *arguments: str, text: str = "", **more: str) -> subprocess.CompletedProcess[str]:
    """What ``python -m karte`` says and how it ends."""
    return subprocess.run(
        [sys.executable, "-m", "karte", "--db", str(path), *arguments],
        cwd=ROOT,
        env=environment(**more),
        input=text,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=PATIENCE_SECS,
        check=False,
    )


def wait_until(is_so: Any, what: str, timeout: float = PATIENCE_SECS) -> None:
    """Waits for another process to bring something about."""
    deadline = time.monotonic() + timeout
    while not is_so():
        assert time.monotonic() < deadline, f"waited in vain: {what}"
        time.sleep(0.005)


def in_a_fork(work: Any, patience_secs: float = 30.0) -> Any:
    """What a forked child's call of ``work`` gives (as JSON); fails where it raises or does not end."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            answer: Mapping[str, Any] = {"value": work()}
        except BaseException as error:  # noqa: BLE001 (the parent raises it)
            answer = {"error": f"{type(error).__name__}: {error}"}
        with os.fdopen(writing, "w", encoding="utf-8") as pipe:
            pipe.write(json.dumps(answer))
        os._exit(0)
    os.close(writing)
    text = _read_all(reading, patience_secs)
    if text is None:
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    assert text is not None, "the forked child hangs"
    assert text, "the forked child died"
    said = json.loads(text)
    assert "error" not in said, f"in the forked child: {said['error']}"
    return said["value"]


def _read_all(pipe: int, patience_secs: float) -> bytes | None:
    """What comes until the other end is closed; None where that takes too long."""
    deadline = time.monotonic() + patience_secs
    text = b""
    try:
        while select.select([pipe], [], [], max(0.0, deadline - time.monotonic()))[0]:
            piece = os.read(pipe, 1 << 16)
            if not piece:
                return text
            text += piece
        return None
    finally:
        os.close(pipe)
