"""Names are taken apart into words, wholes and inner parts."""

import pytest

from karte.domain.text.identifiers import LONGEST_TOKEN, Pieces, take_apart

pytestmark = pytest.mark.requirement("search.identifiers")


@pytest.mark.parametrize(
    ("piece", "words", "wholes", "inner"),
    [
        ("deployTarget", ("deployTarget",), (), ("deploy", "Target")),
        ("parseHTTPReply2", ("parseHTTPReply2",), (), ("parse", "HTTP", "Reply", "2")),
        ("Jürgen", ("Jürgen",), (), ()),
        ("größeMaß", ("größeMaß",), (), ("größe", "Maß")),
        ("PDFs", ("PDFs",), (), ()),
        ("deploy_target", ("deploy", "target"), ("deploytarget",), ()),
        ("deploy-target", ("deploy", "target"), ("deploytarget",), ()),
        ("cart_store_v2", ("cart", "store", "v2"), ("cartstorev2",), ()),
        ("__init__", ("init",), (), ()),
        ("NOTES.md", ("NOTES", "md"), ("NOTES.md",), ()),
        ("lib/parse.py", ("lib", "parse", "py"), ("lib/parse.py", "parse.py"), ()),
        ("C\\temp\\x.txt", ("C", "temp", "x", "txt"), ("C/temp/x.txt", "x.txt"), ()),
        ("kim@example.com", ("kim", "example", "com"), ("kim@example.com", "example.com"), ()),
        ("std::vector", ("std", "vector"), ("std::vector",), ()),
        ("8MB/s", ("8MB", "s"), ("8MB/s",), ("8", "MB")),
        ("gpt4", ("gpt4",), (), ("gpt", "4")),
        ("v2", ("v2",), (), ()),
        ("2026-01-02", ("2026", "01", "02"), ("2026-01-02",), ()),
        ("3.14", ("3", "14"), ("3.14",), ()),
        ("30,000", ("30000",), (), ()),
        ("team's", ("team",), (), ()),
        ("team’s", ("team",), (), ()),
        ("don't", ("dont",), (), ()),
        ("o'clock", ("oclock",), (), ("clock",)),
        ("rock'n'roll", ("rocknroll",), (), ("rock", "roll")),
        ("v1.2.3-rc.1", ("v1", "2", "3", "rc", "1"), ("v1.2.3rc.1",), ("1.2.3",)),
        ("l'école", ("l", "école"), (), ()),
        ("dell'arte", ("dell", "arte"), (), ()),
        ("U.S.A", ("USA",), (), ()),
        ("d'U.S.A", ("d", "USA"), (), ()),
        ("C++", ("C++",), (), ()),
        ("C#", ("C#",), (), ()),
        ("A+", ("A+",), (), ()),
        ("notepad++", ("notepad",), (), ()),
        ("___", (), (), ()),
    ],
)
def test_a_piece_has_these_parts(
    piece: str, words: tuple[str, ...], wholes: tuple[str, ...], inner: tuple[str, ...]
) -> None:
    assert take_apart(piece) == Pieces(words, wholes, inner)


def test_names_that_differ_in_their_joints_alone_are_one_name() -> None:
    wholes = {take_apart(name).wholes for name in ("deploy-target-two", "deploy_target_two", "deploy_target-two")}
    assert wholes == {("deploytargettwo",)}


def test_an_endless_name_is_cut() -> None:
    assert all(len(whole) == LONGEST_TOKEN for whole in take_apart("part-" * 10_000 + "end").wholes)
