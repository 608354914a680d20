"""The text of a rule: deterministic, every distinct lesson in it, and never longer than a memory may be.

::

    Recurring <category> issues consolidated from <n> past mistakes. Apply extra care: <lessons>

``n`` counts the mistakes of all versions. Lessons that are the same after folding (NFKC, case, white space) are said
once, in the spelling of the oldest, with every ground truth that is known to them. Lessons that share a term (of the
search tokeniser, without stop words) stand beside each other, parted by ``;``, and groups are parted by ``|``. A
person's wording stands first, whole.

Lessons have ``LONGEST_RULE`` characters. When they need more, the longest are cut to one length L, the greatest for
which

    sum of min(length, L) <= LONGEST_RULE

and of more than ``MOST_SHOWN`` lessons the newest are said, and how many more there are. What is cut here is whole in
the rule's sources (``karte.domain.lessons``).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from karte.domain.drafts import MAX_CONTENT
from karte.domain.entities import normalise
from karte.domain.lessons import RuleSources, Source
from karte.domain.mistakes import MistakeCategory
from karte.domain.text import content_tokens, index_text

LONGEST_RULE: Final = 100_000
MOST_SHOWN: Final = 1_000

_BESIDE: Final = "; "
_APART: Final = " | "
_CUT: Final = "…"
_LONGEST_TOLD: Final = 500
"""Letters of a lesson by which it is grouped."""
_LONGEST_WORDING: Final = MAX_CONTENT - LONGEST_RULE - 1_000
_PREFIX: Final = re.compile(r"Recurring \w+ issues consolidated from \d+ past mistakes\. Apply extra care: ", re.ASCII)


@dataclass(slots=True)
class _Lesson:
    """A lesson in the spelling that is shown, with the ground truths that are known to it, by their folded form."""

    text: str
    truths: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.text} (ground truth: {'; '.join(self.truths.values())})" if self.truths else self.text


def text_of(category: MistakeCategory, sources: RuleSources) -> str:
    """The text of the rule that is made of these sources."""
    lessons = _lessons(sources.sources)
    shown = lessons[-MOST_SHOWN:]
    groups = _groups(shown)
    room = LONGEST_RULE - len(_APART) * len(shown)
    most = _length_that_fits([len(str(lesson)) for lesson in shown], room)
    said = [_BESIDE.join(_shortened(str(lesson), most) for lesson in group) for group in groups]
    if len(lessons) > len(shown):
        said.append(f"and {len(lessons) - len(shown)} more")
    if sources.wording:
        said.insert(0, _shortened(sources.wording.text, _LONGEST_WORDING))
    head = f"Recurring {category} issues consolidated from {sources.count} past mistakes. Apply extra care: "
    return head + _APART.join(said)


def wording_in(content: str) -> str:
    """What a person's text of a rule says, without the beginning that every rule has."""
    return _PREFIX.sub("", content, count=1) if _PREFIX.match(content) else content


def _lessons(sources: Iterable[Source]) -> list[_Lesson]:
    """What is said in so many words, the oldest first."""
    found: dict[str, _Lesson] = {}
    worded = {_said(source) for source in sources if source.is_worded}
    for source in sources:
        key, truth = _said(source)
        if not key or source.is_worded or (key, truth) in worded:
            continue
        lesson = found.setdefault(key, _Lesson(source.lesson))
        if truth and truth != key:
            lesson.truths.setdefault(truth, source.ground_truth or "")
    return list(found.values())


def _said(source: Source) -> tuple[str, str]:
    return normalise(source.lesson), normalise(source.ground_truth or "")


def _groups(lessons: Sequence[_Lesson]) -> list[list[_Lesson]]:
    """Lessons that share a term, the most shared term first (of these the first by letters); each in one group."""
    sharing: defaultdict[str, list[int]] = defaultdict(list)
    for place, lesson in enumerate(lessons):
        for term in content_tokens(index_text(lesson.text[:_LONGEST_TOLD])):
            sharing[term].append(place)
    leaders = list(range(len(lessons)))
    is_free = [True] * len(lessons)
    for _, places in sorted(sharing.items(), key=lambda item: (-len(item[1]), item[0])):
        free = [place for place in places if is_free[place]]
        if len(free) > 1:
            for place in free:
                leaders[place] = free[0]
                is_free[place] = False
    groups: defaultdict[int, list[_Lesson]] = defaultdict(list)
    for leader, lesson in zip(leaders, lessons, strict=True):
        groups[leader].append(lesson)
    return list(groups.values())


def _length_that_fits(lengths: Sequence[int], room: int) -> int:
    """The greatest length to which all may be cut so that together they have room."""
    if sum(lengths) <= room:
        return max(lengths, default=0)
    least, most = 0, room
    while least < most:
        middle = (least + most + 1) // 2
        if sum(min(length, middle) for length in lengths) <= room:
            least = middle
        else:
            most = middle - 1
    return least


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + _CUT
