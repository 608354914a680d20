"""The rules of the search index: a change of the folding must reach the files that were built with the old one."""

from hashlib import sha256

import pytest

from karte.domain.text import FTS5_TOKENIZE, index_text
from karte.storage.sqlite.indexing import INDEX_RULES, INDEX_VERSION, searchable_text

SAMPLE = """
The deployTarget moved from Vercel to Cloudflare Workers; deploy_target, ADR-0007, v2.10.1, C++ and C# stayed.
She was running, ran and will have run; mice, children, analyses, policies; don't, o'clock, D'Arcy's re-signing.
Müller café naïve Straße İstanbul ﬁle ａｂｃ Ⅷ ½ e\u0301te\u0301 Grüße Ångström Łódź
La reunión de mañana; les réunions d'hier; die Besprechungen; as reuniões; riunioni
Встреча перенесена на среду, ёлка; η συνάντηση άλλαξε; פגישה ביום רביעי; اجتماع يوم الأربعاء
会議は水曜日です。東京都に住む 使用者喜歡烏龍茶和咖啡 회의는 수요일입니다 การประชุมวันพุธ LINEで送る GPT模型
rock'n'roll, İstanbul’da, aujourd'hui, they're, GitHub'ом, п'ять; v1.2.3-rc.1, python3.11, libssl.so.1.1.1
jane.doe@example.com https://example.com/a/b?c=d +81-3-1234-5678 2026-05-11 #42 50% 🎉 👩‍👩‍👧
"""
RULES, DIGEST = 4, "689a1de3316b5be4"


@pytest.mark.requirement("upgrade.derived-data-rebuilt")
def test_whoever_changes_the_folding_raises_the_number_of_its_rules() -> None:
    """When this fails: raise ``INDEX_RULES`` (files then build their index anew) and write both new values here."""
    text = "\n".join([FTS5_TOKENIZE, *(index_text(line) for line in SAMPLE.splitlines())])
    assert (INDEX_RULES, sha256(text.encode()).hexdigest()[:16]) == (RULES, DIGEST)


def test_the_version_of_the_index_names_its_rules_and_its_tokenizer() -> None:
    assert f"{INDEX_RULES} {FTS5_TOKENIZE}" == INDEX_VERSION


def test_a_fact_is_found_by_its_content_and_by_each_of_its_parts() -> None:
    assert searchable_text("words", "subject", "predicate", "object") == "words\nsubject\npredicate\nobject"
    assert searchable_text("words", None, "", None) == "words"
