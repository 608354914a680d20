"""The names of pages and folders: plain on every disk, confined, and never two for one file."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

import karte
from karte.domain.entities import normalise
from karte.domain.page_names import (
    LONGEST_SLUG,
    MOST_BYTES,
    PagePath,
    folder_of_agent,
    free_slug,
    read_page_path,
    slug_of,
)
from karte.domain.pages import DocType

pytestmark = pytest.mark.requirement("pages.names")

DEVICES = ["con", "PRN", "aux", "NUL", "com1", "LPT9", "COM¹", "ｃｏｎ", "conin$", "CONOUT$"]
HOSTILE = [
    "../outside", "..\\outside", "/elsewhere/outside", "a/../../b", "%2e%2e%2f", "..%c0%af", "a\u0000.md", "CON",
    "a" * 300, "．．／x", ".hidden", "auto/spec/../x", "auto/spec/x/../../y", "auto\\spec\\x", "auto/other/x",
    "spec/", "/", "", "auto/spec/X", "auto/spec/x.MD", "auto/spec/\u202ex", "auto//spec/x", "spec/x.md.md", "ｓpec/x",
]  # fmt: skip


@pytest.mark.parametrize("path", HOSTILE)
def test_what_would_lead_elsewhere_is_no_page(path: str) -> None:
    with pytest.raises(karte.InvalidInput) as caught:
        read_page_path(path)
    assert caught.value.field == "path"
    assert caught.value.remedy


@pytest.mark.parametrize("path", ["auto/spec/x", "auto/spec/x.md", "spec/x", "spec/x.md", "wiki:auto/spec/x"])
def test_every_way_to_name_a_page_names_the_same(path: str) -> None:
    found = read_page_path(path)
    assert found == PagePath(doc_type=DocType.SPEC, slug="x")
    assert (found.path, found.subject) == ("auto/spec/x.md", "wiki:auto/spec/x")


@pytest.mark.parametrize("name", DEVICES)
def test_no_device_of_windows_is_a_name(name: str) -> None:
    plain = {"con", "prn", "aux", "nul", "com1", "lpt9"}
    assert slug_of(name) not in plain
    assert folder_of_agent(name).partition(".")[0] not in plain


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Deploying the shop!", "deploying-the-shop"),
        ("情報管理規程 第2版", "情報管理規程-第2版"),
        ("Ｆｕｌｌ　ｗｉｄｔｈ", "full-width"),
        ("../../etc/passwd", "etc-passwd"),
        ("…", "page"),
        ("Straße", "strasse"),
        ("नमस्ते दुनिया", "नमस्ते-दुनिया"),
    ],
)
def test_a_title_gives_a_name_that_can_be_read(title: str, slug: str) -> None:
    assert slug_of(title) == slug


@given(st.text(max_size=400))
def test_every_name_is_plain_bounded_and_stays_as_it_is(title: str) -> None:
    slug = slug_of(title)
    assert slug_of(slug) == slug
    assert 0 < len(slug) <= LONGEST_SLUG + 5
    assert len(slug.encode()) <= MOST_BYTES + 5
    assert not set(slug) & set("/\\:.\x00 \u202e\u200b")
    assert not slug.startswith("-")
    assert slug == slug.casefold() == unicodedata.normalize("NFC", slug)
    assert read_page_path(f"spec/{slug}").slug == slug


@given(st.text(max_size=40), st.text(max_size=40))
def test_two_names_that_memory_takes_for_one_are_one(left: str, right: str) -> None:
    a, b = (PagePath(doc_type=DocType.SPEC, slug=slug_of(each)) for each in (left, right))
    assert (normalise(a.subject) == normalise(b.subject)) == (a == b)


@given(st.lists(st.text("aAbé-2 ", max_size=5), max_size=12))
def test_every_title_gets_a_name_of_its_own(titles: list[str]) -> None:
    taken: list[str] = []
    for title in titles:
        slug = free_slug(slug_of(title), taken)
        assert slug not in taken
        assert slug_of(slug) == slug
        taken.append(slug)


def test_a_long_name_leaves_room_for_its_number() -> None:
    slug = slug_of("本" * 300)
    taken = [slug]
    for _ in range(12):
        taken.append(free_slug(slug, taken))
    assert len(set(taken)) == 13
    assert all(len(name.encode()) <= MOST_BYTES for name in taken)


@given(st.text(min_size=1, max_size=60), st.text(min_size=1, max_size=60))
def test_two_agents_have_two_folders_on_a_case_blind_disk_too(left: str, right: str) -> None:
    a, b = folder_of_agent(left), folder_of_agent(right)
    assert (a.casefold() == b.casefold()) == (left == right)
    for folder in (a, b):
        assert not set(folder) & set("/\\:.\x00")
        assert len(folder.encode()) <= 255


def test_an_agent_with_a_plain_name_keeps_it_and_none_can_pose_as_another() -> None:
    assert folder_of_agent("dudu") == "dudu"
    other = folder_of_agent("Dudu")
    assert other.startswith("dudu-")
    assert folder_of_agent(other) != other
