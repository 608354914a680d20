"""What is installed from a checkout: all that the engine reads at run time, from locks that name no place."""

import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
LOCKS = sorted(ROOT.glob("requirements*.lock"))


def test_the_wheel_holds_every_file_of_the_package(tmp_path: Path) -> None:
    built = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stdout + built.stderr
    (wheel,) = tmp_path.glob("*.whl")
    packed = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("karte/")}
    present = {
        path.relative_to(ROOT / "src").as_posix()
        for path in (ROOT / "src" / "karte").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert "karte/py.typed" in packed
    assert packed == present


def test_lock_files_hold_names_versions_and_hashes_only() -> None:
    line = re.compile(r"[a-z0-9-]+==[\w.+]+( ; [^:/]+)? \\|    --hash=sha256:[0-9a-f]{64}( \\)?")
    assert len(LOCKS) == 3
    for lock in LOCKS:
        odd = [text for text in lock.read_text(encoding="utf-8").splitlines() if not line.fullmatch(text)]
        assert not odd, lock.name


def test_lock_files_agree_and_cover_what_is_declared() -> None:
    locked: dict[str, set[str]] = {}
    for lock in LOCKS:
        lines = re.findall(r"^([a-z0-9-]+)==([\w.+]+)( ;[^\n\\]*)?", lock.read_text(encoding="utf-8"), re.MULTILINE)
        for name, version, marker in lines:  # a version of its own for some Pythons is told by a marker
            locked.setdefault(f"{name}{marker}".strip(), set()).add(version)
    assert not {name: versions for name, versions in locked.items() if len(versions) > 1}

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    groups = [project["project"]["dependencies"], *project["dependency-groups"].values()]
    declared = {re.split(r"[\[<>=!~; ]", needed)[0].lower() for group in groups for needed in group}
    assert declared <= {name.split()[0] for name in locked}, "run scripts/lock"
