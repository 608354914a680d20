"""What English clauses in the first person tell.

A sentence with a word of doubt, of wish, of report or of a time that is over tells nothing. A clause must begin with
its subject; a verb after *and* has the subject of the clause before it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from typing import Final

from karte.domain.extraction_rules.english_objects import (
    ARTICLE,
    as_decision,
    as_job,
    as_liking,
    as_organisation,
    as_place,
    as_preference,
    as_subject,
    as_tools,
    as_value,
    workplace,
)
from karte.domain.extraction_rules.reading import MARK, Clause, marked, split
from karte.domain.extraction_rules.telling import Told, due, has_begun, told

# These undo what is said wherever they stand in the sentence ...
_DOUBT: Final = re.compile(
    r"\b(?:if|unless|maybe|perhaps|probably|said|says?|saying|told|tells?|telling|ask(?:s|ed)?|claim\w*|think\w*|thought"
    r"|wrote|heard|guess\w*|seems?|imagin\w*|suppos\w*|pretend\w*|let['’]s say|used to|almost|nearly|whether|wish\w*"
    r"|jok(?:e|es|ing)|kidding|no longer|anymore|any more|wonder\w*|not sure|as if|as though|back then|back when"
    r"|when (?:i|we) (?:was|were)|as a (?:kid|child|teen\w*)|growing up|for example|e\.g|example|lyrics?|lying"
    r"|role-?play\w*|fictional|would(?: have)? been)(?!\w)",
    re.IGNORECASE,
)
# ... and these what comes after them.
_WISH: Final = re.compile(
    r"\b(?:would|wouldn['’]t|might|may|could|should|hop(?:e|es|ed|ing)|wants?|wanted|wanna|plan(?:s|ning)?|going to"
    r"|gonna|will|dream\w*|quote\w*|except when)\b|['’](?:d|ll)\b",
    re.IGNORECASE,
)
_VERBS: Final = r"(?:live|work|love|like|hate|enjoy|dislike|prefer|use|adore|moved to|joined|decided)"
_BOUNDARY: Final = re.compile(
    r"\s?[,;:()—–]+\s*(?:(?:and|but|so|because|cause|then|plus|also|though|although|while)\s)?"
    r"|\s-{1,2}\s|(?:\s|\A)(?:that['’]s why|which is why|except(?: that)?|even though)\s(?=i\b|we\b)"
    r"|\s(?:and|but|so|because|since|['’]?cause|while|although|though|plus|then|where|which|who)\s"
    rf"(?=(?:i|we|my|our|the|it|its|it['’]s|he|she|they|you|this|that|there|also|{_VERBS})\b)",
    re.IGNORECASE,
)
_CARRIES: Final = re.compile(rf"(?:also )?(?P<rest>{_VERBS}\b)", re.IGNORECASE)
_SUBJECT: Final = re.compile(
    r"(?:(?:and|but|so|because|well|yes|yeah|yep|no|hi|hey|hello|oh|ok|okay|wow|actually|also|now|currently|personally"
    rf"|honestly|plus|at work|at home|these days|by the way|btw|as for me|in fact|{MARK})[\s,]+){{0,4}}"
    r"(?P<who>i|we)\b(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_OWN: Final = re.compile(
    rf"(?:(?:and|but|so|well|hi|hey|hello|also|oh|actually|by the way|{MARK})[\s,]+){{0,3}}(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_ADVERB: Final = (
    r"(?: (?:really|also|just|still|always|currently|now|mostly|mainly|usually|actually|absolutely|totally|particularly"
    r"|especially|truly|definitely|generally|recently|finally|already|both|all|do|genuinely|simply|personally))"
    "{0,2}"
)
_BE: Final = r"(?: am|['’]m| are|['’]re)"
_HAVE: Final = r"(?: have|['’]ve)"

Rule = tuple[re.Pattern[str], Callable[[Clause, re.Match[str]], list[Told]]]


def _rule(pattern: str, tells: Callable[[Clause, re.Match[str]], list[Told]]) -> Rule:
    return re.compile(pattern, re.IGNORECASE | re.DOTALL), tells


def _at(clause: Clause, match: re.Match[str]) -> list[Told]:
    return told(clause, "works_at", as_organisation(match["object"]))


def _joined(clause: Clause, match: re.Match[str]) -> list[Told]:
    return told(clause, "works_at", workplace(match["object"]))


def _job(clause: Clause, match: re.Match[str]) -> list[Told]:
    job, rest = as_job(match["object"])
    at = re.match(r" (?:at|for) (?P<object>.+)", rest, re.DOTALL)
    return [*told(clause, "job", job), *(_at(clause, at) if job and at else [])]


def _place(clause: Clause, match: re.Match[str]) -> list[Told]:
    return told(clause, "lives_in", as_place(match["object"]))


def _left(clause: Clause, match: re.Match[str]) -> list[Told]:
    """A state that is over is told only where the text says until when it lasted."""
    _, until = clause.bounds()
    if until is None:
        return []
    predicate, value = (
        ("lives_in", as_place(match["object"]))
        if match["verb"].lower() == "lived in"
        else ("works_at", as_organisation(match["object"]))
    )
    return told(clause, predicate, value)


def _likes(clause: Clause, match: re.Match[str]) -> list[Told]:
    return told(clause, "likes", as_liking(match["object"]), dated_before=0)


def _dislikes(clause: Clause, match: re.Match[str]) -> list[Told]:
    value = match["object"]
    return [] if value.startswith(" to ") else told(clause, "dislikes", as_liking(value), dated_before=0)


def _prefers(clause: Clause, match: re.Match[str]) -> list[Told]:
    return told(clause, "prefers", as_preference(match["object"]), dated_before=0)


def _uses(clause: Clause, match: re.Match[str]) -> list[Told]:
    return [fact for tool in as_tools(match["object"]) for fact in told(clause, "uses", tool)]


def _decided(clause: Clause, match: re.Match[str]) -> list[Told]:
    begin = match.start("object")
    value = as_decision(clause.original(begin), is_named=match["on"] is not None)
    return told(clause, "decided", value, dated_before=begin)


_OF_PERSONS: Final[tuple[Rule, ...]] = (
    _rule(rf"{_ADVERB} work{_ADVERB} (?:at|for) (?P<object>.+)", _at),
    _rule(rf"{_BE}{_ADVERB} (?:working|employed) (?:at|for) (?P<object>.+)", _at),
    _rule(rf"{_HAVE}{_ADVERB} (?:worked|been working) (?:at|for) (?P<object>[^{MARK}]+{MARK}.*)", _at),
    _rule(rf"{_ADVERB} (?:started|began) (?:working )?at (?P<object>.+)", _joined),
    _rule(rf"{_ADVERB} joined (?P<object>.+)", _joined),
    _rule(rf"{_ADVERB} work{_ADVERB} as an? (?P<object>.+)", _job),
    _rule(rf"{_BE}{_ADVERB} working as an? (?P<object>.+)", _job),
    _rule(rf"{_ADVERB} live{_ADVERB} in (?P<object>.+)", _place),
    _rule(rf"{_BE}{_ADVERB} (?:living|based) in (?P<object>.+)", _place),
    _rule(rf"{_HAVE}{_ADVERB} (?:lived|been living) in (?P<object>[^{MARK}]+{MARK}.*)", _place),
    _rule(rf"{_ADVERB} moved to (?P<object>.+)", _place),
    _rule(r" (?P<verb>lived in|worked at|worked for) (?P<object>.+)", _left),
    _rule(rf"{_ADVERB} (?:love|like|enjoy|adore)(?P<object> .+)", _likes),
    _rule(
        rf"{_BE}{_ADVERB} (?:an? (?:big |huge |massive |great )?fan of|(?:so |super |really )?into|fond of)"
        r"(?P<object> .+)",
        _likes,
    ),
    _rule(rf"{_HAVE} always (?:loved|liked|enjoyed|adored)(?P<object> .+)", _likes),
    _rule(rf"{_ADVERB} (?:hate|dislike|detest|loathe|can['’]?t stand|cannot stand)(?P<object> .+)", _dislikes),
    _rule(rf"{_ADVERB} (?:don['’]?t|do not){_ADVERB} (?:like|enjoy)(?P<object> .+)", _dislikes),
    _rule(rf"{_ADVERB} prefer(?P<object> .+)", _prefers),
    _rule(rf"(?:{_BE}|{_HAVE} been)?{_ADVERB} us(?:e|ing) (?P<object>.+)", _uses),
    _rule(
        rf"(?:{_HAVE})?{_ADVERB} (?:(?P<on>decided on )|decided to |agreed to |decided (?=not to ))(?P<object>.+)",
        _decided,
    ),
)


def _name(clause: Clause, match: re.Match[str]) -> list[Told]:
    return told(clause, "name", as_value(match["object"], is_name=True), dated_before=0)


def _favourite(clause: Clause, match: re.Match[str]) -> list[Told]:
    thing = as_subject(match["thing"])
    return told(clause, f"favourite_{thing}", as_value(match["object"]), dated_before=0) if thing else []


_OF_OWN_THINGS: Final[tuple[Rule, ...]] = (
    _rule(r"my (?:full |real |first )?name(?: is|['’]s) (?P<object>.+)", _name),
    _rule(
        r"my (?:all[- ]time |absolute |personal |own )?favou?rite (?P<thing>[a-z]+(?: [a-z]+)?) is (?P<object>.+)",
        _favourite,
    ),
)

_THING: Final = rf"{ARTICLE}(?P<thing>[\w'’ -]{{1,60}}?)"
_DONE: Final = r"(?:\w+ed|done|in|ready|out|sent|paid|written|built|complete|online|live|over)"
_DUE: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?:the|my|our) deadline is {MARK}\s*",
        rf"{_THING} (?:is|are) due {MARK}\s*",
        rf"{_THING} (?:has to|have to|must|needs? to) be (?:\w+ ){{0,2}}{_DONE} {MARK}\s*",
        rf"(?:the|my|our) deadline (?:for|of) {_THING} is {MARK}\s*",
        rf"{ARTICLE}(?P<thing>[\w'’ -]{{1,60}}?) deadline is {MARK}\s*",
    )
)


def facts_in(sentence: str, said_at: datetime | None) -> list[Told]:
    """What the sentence tells of its speaker, and of what is due."""
    whole = _opened(marked(sentence, said_at))
    if _DOUBT.search(whole.text):
        return []
    facts = []
    is_carried = False
    for before, clause in split(whole, _BOUNDARY):
        if _WISH.search(clause.text):
            break
        found, is_carried = _facts_of(before, clause, is_carried)
        facts += found if has_begun(clause, said_at) else []
    if _WISH.search(whole.text):
        return facts
    if " due " in sentence or "deadline" in sentence.lower() or " be " in sentence:
        facts += _due(marked(sentence, said_at, "deadline"))
    return facts


def _opened(whole: Clause) -> Clause:
    """Without the comma after a date that opens the sentence, so that it dates what follows."""
    return Clause(re.sub(rf"\A\s?{MARK}\s?,", MARK, whole.text), whole.pieces, whole.spans)


def _facts_of(before: str, clause: Clause, is_carried: bool) -> tuple[list[Told], bool]:
    """The facts of a clause, and whether a verb after it has its subject."""
    subject = _SUBJECT.match(clause.text)
    carries = _CARRIES.match(clause.text)
    if subject:
        rules, begin = _OF_PERSONS, subject.start("rest")
    elif is_carried and carries and "and" in before:
        clause = Clause(f" {clause.text}", clause.pieces, clause.spans)
        rules, begin = _OF_PERSONS, 0
    else:
        own = _OWN.match(clause.text)
        rules, begin = _OF_OWN_THINGS, own.start("rest") if own else 0
    for pattern, tells in rules:
        match = pattern.match(clause.text, begin)
        if match and match.end() == len(clause.text):
            found = tells(clause, match)
            return found, bool(found) and rules is _OF_PERSONS
    return [], False


def _due(whole: Clause) -> list[Told]:
    for pattern in _DUE:
        match = pattern.fullmatch(whole.text.strip())
        if match:
            return due(whole, match.groupdict().get("thing"))
    return []
