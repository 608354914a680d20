"""The objects of English facts: where they end, and which are too vague to keep. Each gives "" for none."""

from __future__ import annotations

import re
from typing import Final

from karte.domain.extraction_rules.reading import MARK
from karte.domain.extraction_rules.telling import trimmed

ARTICLE: Final = r"(?:(?:the|my|our|a|an|this) )?"
MOST_WORDS: Final = 8

_WORD: Final = r"(?:St\. |Mt\. )?(?-i:[A-Z0-9])[\w&+#/.-]*(?:['’](?!s\b)\w+)?"
_NAME: Final = re.compile(rf"(?:the )?{_WORD}(?: (?:(?:of|of the|de|la|du|&) )?{_WORD}){{0,5}}", re.IGNORECASE)
# What may follow a name: the end, a date, or a word that begins something else.
_AFTER: Final = re.compile(
    rf"\s*(?:[{MARK}]|\Z|[^\w\s'’]|(?:with|and|as|for|near|now|but|because|these|right|too|at|so|since|to|by|in|on|again"
    r"|currently|from|full|part|during|after|while|already|after|until|over|before|together|today|last|this|next|yesterday)\b)",
    re.IGNORECASE,
)
_NOT_NAMES: Final = frozenset(
    "i god jesus christ mom dad monday tuesday wednesday thursday friday saturday sunday january february march april"
    " may june july august september october november december christmas it this that ok zoom".split()
)
# What has a capital letter and is moved to or worked in, yet no place: tools, departments, parts of a house or a plan.
_NOT_PLACES: Final = frozenset(
    "slack teams aws gcp azure github gitlab jira notion linux windows macos python rust go java kotlin typescript"
    " javascript postgres postgresql mysql redis mongodb kubernetes docker zoom discord marketing sales engineering"
    " finance hr support product design operations legal plan phase step version apartment room unit suite building"
    " house level chapter part section stage react vue angular svelte vim emacs chrome firefox"
    " android ios signal telegram whatsapp gmail outlook english spanish french german japanese chinese".split()
)
_SHORT_PLACES: Final = frozenset("US USA UK UAE NYC LA DC SF HK NZ".split())
_TITLES: Final = frozenset("mr. mrs. ms. dr. prof. mr mrs ms dr".split())
_WORKPLACES: Final = frozenset(
    "hospital school university college bank company startup start-up restaurant cafe café shop store bookstore bakery"
    " library museum clinic firm agency hotel factory studio farm lab laboratory airport newspaper nonprofit non-profit"
    " supermarket pharmacy kindergarten shelter theater theatre".split()
)
_NOT_EMPLOYERS: Final = frozenset(
    "club team group gym church society league party choir band class program programme course community forum meetup"
    " facebook instagram twitter discord reddit tiktok linkedin netflix tinder steam twitch youtube spotify telegram"
    " slack whatsapp meetup mastodon bluesky".split()
)
_CUT: Final = re.compile(
    rf"\s*[{MARK}]|\s(?:because|since|so|but|when|while|which|that|who|where|whenever|though|although|if|unless|as"
    r"|than|to be honest|though|too|as well|so much|a lot|very much|the most|most of all|lol|haha|tbh)(?!\w)"
    r"|\s(?:and|or|but) (?:i|we|it|it['’]s|that|they|he|she|you|this|there|so|how|the way)\b",
    re.IGNORECASE,
)
_WHEN: Final = re.compile(
    r"\s(?:on (?:the )?weekends?|on \w+days|at night|at the weekend|every \w+|lately|these days|right now"
    r"|in (?:the )?(?:morning|mornings|evening|evenings|afternoon|summer|winter|spring|autumn|fall)|after work)\Z",
    re.IGNORECASE,
)
_MORE: Final = re.compile(r"\s(?:more|better|less|rather)\Z", re.IGNORECASE)
_VAGUE: Final = re.compile(
    r"\b(?:it|its|it['’]s|that|that['’]s|this|these|those|them|they|their|theirs|him|her|his|hers|he|she|you|your"
    r"|yours|you['’]re|u|ur|here|there|one|ones|stuff|things?|something|anything|everything|everyone|everybody|someone"
    r"|both|each|neither|either|none|whatever|other|another|same|such|way|ways|how|what|when|where|who|why|idea|part|myself|ourselves|all|lot|bit"
    r"|feeling|vibes?|fact|sound|look)(?!\w)",
    re.IGNORECASE,
)
_OF_SPEAKER: Final = re.compile(r"\b(?:my|mine|our|ours|me|us|i|we|i['’]\w+|we['’]\w+)(?!\w)", re.IGNORECASE)
# What these govern is a moment, or a turn of speech, not a taste.
_MENTAL: Final = re.compile(
    r"(?:to )?(?:see|seeing|hear|hearing|know|knowing|be|being|have|having|get|getting|do|doing|feel|feeling|say|saying"
    r"|think|thinking|believe|believing|go|looking|hope|admit|imagine|talk|talking|find|finding|when|not|no|about"
    r"|for|at|in|on|with|from|of|nothing|none|even|also|too|working on|having|helping|making|giving|keep|keeping"
    r"|and|or|but|is|was|will|can|very|more|most|much|many|some|any|only|just|him|her|am|are)\b",
    re.IGNORECASE,
)
# "The" points at something that only the conversation knows, unless everybody knows it.
_POINTED: Final = re.compile(
    r"the (?!(?:beach|ocean|sea|seaside|outdoors|mountains?|countryside|rain|snow|cold|heat|sun|forest|woods|city"
    r"|night|color|colour|smell of|taste of|sound of|internet)\b|(?-i:[A-Z]))",
    re.IGNORECASE,
)
_LEADING: Final = re.compile(r"\A(?:the|a|an|some|to)\s")
# A relative clause says which ones are meant, so nothing true is left without it.
_RELATIVE: Final = re.compile(r"\s(?:that|which|who|where|whose|whom)\b", re.IGNORECASE)
_DANGLING: Final = re.compile(
    r"(?:\A|\s)(?:to|of|in|on|at|for|with|and|or|by|about|into|from|like|the|a|an|up|out|over|such|not|be)\Z",
    re.IGNORECASE,
)
_FAVOURITES_NOT: Final = frozenset(
    "part parts thing things one bit moment memory time aspect way line scene quote among is of to and".split()
)


def _name(text: str) -> str:
    """The name that the text begins with, if nothing but another part of the sentence follows it."""
    match = _NAME.match(text)
    if not match or not _AFTER.match(text, match.end()):
        return ""
    name = trimmed(match[0])
    name = re.sub(r"\A(?:the|The) ", "", name)
    first = name.split(" ")[0].lower()
    return name if name and first not in _NOT_NAMES and not name.isdecimal() else ""


def as_place(text: str) -> str:
    """A place with a name."""
    name = _name(text)
    first = name.split(" ")[0]
    if not name or any(sign.isdecimal() for sign in name) or first.lower() in _NOT_PLACES:
        return ""
    return "" if name.isupper() and name.replace(".", "") not in _SHORT_PLACES else name


def as_organisation(text: str) -> str:
    """An employer: a name, or a place of work such as *a hospital*."""
    if name := _name(text):
        return "" if name.split(" ")[0].lower() in _TITLES else name
    match = re.match(r"(?:an?|the) (?P<object>(?:[a-z-]+ ){0,3}[a-zé-]+)", text)
    words = match["object"].split() if match else []
    for count in range(1, len(words) + 1):
        if words[count - 1] in _WORKPLACES:
            return " ".join(words[:count])
    return ""


def workplace(text: str) -> str:
    """An employer that is joined: a name that no club has, and that is not where people only meet."""
    name = "" if text[:4].lower() == "the " else _name(text)
    return "" if not _NOT_EMPLOYERS.isdisjoint(name.lower().split()) else name


def as_job(text: str) -> tuple[str, str]:
    """A job of up to four words, and what follows it."""
    match = re.match(
        r"(?P<object>(?!(?:team|whole|result|group|couple)\b)[\w-]+"
        r"(?: (?!(?:at|for|in|with|and|on|to|but)\b)[\w-]+){0,3})(?P<rest>.*)",
        text,
        re.DOTALL,
    )
    if not match or not re.match(rf"\s*(?:\Z|[{MARK}]|[^\w\s'’]|(?:at|for|in|with|and|on)\b)", match["rest"]):
        return "", ""
    return ("", "") if _VAGUE.search(match["object"]) else (match["object"], match["rest"])


def _bare(text: str) -> str:
    """The text up to where something else begins."""
    text = text.strip()
    match = _CUT.search(text)
    return trimmed(text[: match.start()] if match else text)


def _timeless(text: str) -> str:
    """The same, without when it is so."""
    return trimmed(_MORE.sub("", _WHEN.sub("", _bare(text))))


def as_liking(text: str) -> str:
    """What is liked or not: a thing, or something to do, never what only the conversation knows."""
    value = _timeless(text)
    if (
        _MENTAL.match(value)
        or _POINTED.match(value)
        or _VAGUE.search(value)
        or _OF_SPEAKER.search(value)
        or _DANGLING.search(value)
        or _RELATIVE.match(text.strip(), len(_bare(text)))
        or len(value.split()) > MOST_WORDS
    ):
        return ""
    return _LEADING.sub("", value, count=1)


def as_preference(text: str) -> str:
    """What is preferred, without what it is preferred to."""
    value = re.split(r"\s(?:over|rather than|instead of|than)\s", text, maxsplit=1)[0].strip()
    is_doing = re.match(r"\w+ing\b", value) is not None
    if not value.startswith("to "):
        value = re.split(r"\sto\s(?=\w+ing\b)" if is_doing else r"\sto\s", value, maxsplit=1)[0]
    return as_liking(value)


def as_tools(text: str) -> list[str]:
    """The tools by name: one, or two with *and* between."""
    found = []
    for part in text.split(" and ", 1):
        name = _name(part)
        if not name or not any(sign.isalpha() for sign in name):
            break
        found.append(name)
    return found


def as_decision(text: str, *, is_named: bool) -> str:
    """What was decided: to do something, or on something with a name."""
    value = _bare(text)
    if is_named:
        return _name(value)
    if _VAGUE.search(value) or len(value.split()) < 2 or len(value.split()) > 2 * MOST_WORDS:
        return ""
    return value


def as_subject(text: str) -> str:
    """The thing of which there is a favourite, as the end of a predicate."""
    words = text.lower().split()
    if not words or not _FAVOURITES_NOT.isdisjoint(words):
        return ""
    return "_".join({"color": "colour"}.get(word, word) for word in words)


def as_value(text: str, *, is_name: bool = False) -> str:
    """A name, or what somebody's favourite is."""
    if is_name:
        match = re.match(r"(?-i:[A-Z])[\w'’.-]*(?: (?-i:[A-Z])[\w'’.-]*){0,3}", text)
        return trimmed(match[0]) if match and _AFTER.match(text, match.end()) else ""
    value = _bare(re.sub(r"\A(?:definitely|probably|still|always|actually|called|by far)\s", "", text))
    if _MENTAL.match(value) or _VAGUE.search(value) or _OF_SPEAKER.search(value) or len(value.split()) > MOST_WORDS:
        return ""
    return re.sub(r"\A(?:the|a|an)\s", "", value)
