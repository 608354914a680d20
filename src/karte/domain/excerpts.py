"""Excerpts that are safe to keep: a few words of a text, on one line, with every secret masked.

An audit has to say what was refused without becoming a second place where it stands, or where a
password stands. So an excerpt is made in this order, each step on what the one before left:

1. a neighbourhood of the passage of interest is taken (``NEIGHBOURHOOD`` letters to each side);
2. invisible and control characters go, look-alike widths become plain letters (a secret that is
   written with a zero-width space inside is still one);
3. what looks like a secret becomes ``[masked]``: keys, tokens, private keys, what follows
   ``password=``, user names in URLs, long mixed letters, addresses, long numbers;
4. at most ``MOST_WORDS`` words and ``MOST_LETTERS`` letters are kept, the rest is ``…``. Where a
   script has no spaces, two letters count as a word.

When in doubt it masks: a mask too many costs a reader nothing but a look at the memory itself.
Every pattern runs in linear time: what repeats is bounded or stands alone.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

MOST_WORDS: Final = 6
MOST_LETTERS: Final = 60
LONGEST_WORD: Final = 20
NEIGHBOURHOOD: Final = 1_000
MASK: Final = "[masked]"
CUT: Final = "…"

_MARK: Final = "\ue000"
"""Stands for a mask while words are counted; private letters do not survive the cleaning."""

_LINE_ENDS: Final = frozenset("\n\r\v\f\x85\u2028\u2029")
_BLANKS: Final = frozenset("\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\u034f")
"""Letters and marks by category, and still nothing that a reader sees."""
_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})

_NAMES: Final = (
    r"pass(?:word|wd|phrase|code)?|pwd|pw|pin|secret|token|credentials?|auth(?:orization)?|bearer|cookie|session"
    r"|api|apikey|key|jwt|otp|cvv|iban|ssn|private|access|signature|sig"
    r"|passwort|kennwort|mot de passe|contrase(?:n|ñ)a|clave"
    r"|senha|пароль|токен|ключ|パスワード|暗証番号|秘密|トークン|鍵|密码|密碼|口令|密钥|密鑰|令牌|비밀번호|암호|토큰"
)
_NAME: Final = rf"(?:[\w.-]{{0,30}}(?:{_NAMES})[\w.-]{{0,30}})"
_EQUALS: Final = r"(?:[:=]{1,3}>?|->|→|\b(?:is|was|ist|est|es|é)\b|は|是|为|為|은|는)"
_MAKERS: Final = (
    r"sk|pk|rk|ak|whsec|gh[oprsu]|github_pat|glpat|gldt|xox[a-z]|xapp|hf|npm|pypi|dop_v1|shp[a-z]{2}|SG|EAA[A-Z]?"
    r"|ya29|AIza|AKIA|ASIA|AROA|key|tok|pat|lin_api|figd|sq0[a-z]{3}|nvapi|gsk|r8|xai|pplx"
)
_QUOTED: Final = r"\"[^\"\n]{0,400}\"?|'[^'\n]{0,400}'?|`[^`\n]{0,400}`?|「[^」\n]{0,400}」?"

_SECRETS: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # A private key, to its end or that of the text.
        r"-----BEGIN[ A-Z0-9]{0,40}KEY[ A-Z0-9]{0,20}-----(?:[^-]|-(?!----END))*(?:-----END[ A-Z0-9]{0,60}-----)?",
        # Words that open a lock together stand to the end of their line.
        r"(?:pass ?phrase|seed|mnemonic|recovery)[\w ]{0,20}[\"']?\s{0,3}(?:[:=]|\bis\b|\bare\b)[^\n]*",
        # A name of something secret, a sign of equality, and what it equals.
        rf"{_NAME}[\"'\])]{{0,3}}\s{{0,3}}{_EQUALS}\s{{0,3}}(?:(?:bearer|basic|token|digest)\s{{1,3}})?(?:{_QUOTED}|\S+)",
        # The same on a command line, and in a header without a name.
        rf"--?{_NAME}\s{{1,3}}(?:{_QUOTED}|\S+)",
        r"\b(?:bearer|basic)\s{1,3}[\w.~+/=-]{6,}",
        # Who enters by a URL, and what a URL may carry.
        r"[a-z][a-z0-9+.-]{0,20}://[^\s@]{0,400}@",
        # Keys by the letters that their makers put before them.
        rf"\b(?:{_MAKERS})[-_.]?[\w.-]{{10,}}",
        # A signed token, whole or the beginning of one.
        r"\beyJ[\w-]{4,}(?:\.[\w-]*){0,3}",
        # Addresses of people, and long numbers however they are grouped.
        r"[^\s@<>\"'(),;:]{1,64}@[^\s@<>\"'(),;:]{1,200}",
        r"\+?\d(?:[ ().\-/]{0,2}\d){8,}",
    )
)
_UNBROKEN: Final = re.compile(r"[A-Za-z0-9+/=_.~%!$^&*#-]{12,}", re.ASCII)
_JOINED_WORDS: Final = re.compile(r"(?:[A-Z]?[a-z]{1,16}|[A-Z]{1,16})(?:[-_./](?:[A-Z]?[a-z]{1,16}|[A-Z]{1,16}))*")
_AROUND_WORDS: Final = ".!*_~#-"
_PIECE: Final = re.compile(rf"{_MARK}|[^\s{_MARK}]+")


def safe_excerpt(text: str, spans: Iterable[tuple[int, int]] = ()) -> str:
    """A few words of the text, from the first of the ``spans`` (offsets in the text) on, safe to keep and to show.

    At most ``MOST_WORDS`` words and about ``MOST_LETTERS`` letters, one line, nothing invisible, no secrets.
    """
    at = min((max(0, min(start, len(text))) for start, _ in spans), default=0)
    begin, end = max(0, at - NEIGHBOURHOOD), min(len(text), at + NEIGHBOURHOOD)
    clean, place = _clean(text, begin, end, at)
    masked, place = _masked(clean, place)
    return _shortened(masked, place, is_begun=begin > 0, goes_on=end < len(text))


def _clean(text: str, begin: int, end: int, at: int) -> tuple[str, int]:
    """What is seen of a part of the text, and where the passage of interest begins in it."""
    seen: list[str] = []
    length = place = 0
    for offset in range(begin, end):
        if offset == at:
            place = length
        shown = _seen(text[offset])
        seen.append(shown)
        length += len(shown)
    return "".join(seen), length if at >= end > begin else place


def _seen(letter: str) -> str:
    if letter in _LINE_ENDS:
        return "\n"
    if letter.isascii() and letter.isprintable():
        return letter
    if letter == "\t":
        return " "
    category = unicodedata.category(letter)
    if category in _UNSEEN or letter in _BLANKS or _is_selector(letter):
        return ""
    if category.startswith("Z"):
        return " "
    return "".join(each for each in unicodedata.normalize("NFKC", letter) if unicodedata.category(each) not in _UNSEEN)


def _is_selector(letter: str) -> bool:
    return "\ufe00" <= letter <= "\ufe0f" or "\u180b" <= letter <= "\u180f" or "\U000e0000" <= letter <= "\U000e0fff"


def _masked(text: str, place: int) -> tuple[str, int]:
    """The text with a mark for each secret, and where the place is then."""
    stretches = sorted(match.span() for pattern in _SECRETS for match in pattern.finditer(text))
    stretches += [match.span() for match in _UNBROKEN.finditer(text) if _looks_random(match.group())]
    parts: list[str] = []
    done = moved = 0
    for start, end in sorted(stretches):
        if end <= done:
            continue
        start = max(start, done)  # noqa: PLW2901 (what overlaps is one stretch)
        parts += [text[done:start], _MARK]
        if place >= end:
            moved += 1 - (end - start)
        elif place > start:
            moved += start - place
        done = end
    return "".join(parts) + text[done:], place + moved


def _looks_random(run: str) -> bool:
    """Whether unbroken letters are no words that somebody joined: digits among them, or mixed case, or too long."""
    bare = run.strip(_AROUND_WORDS)
    return not _JOINED_WORDS.fullmatch(bare) and len(set(bare)) > 3


def _shortened(text: str, place: int, *, is_begun: bool, goes_on: bool) -> str:
    """The words from a place on, as many as there is room for."""
    kept: list[str] = []
    words = letters = 0
    is_cut = goes_on
    for piece in _PIECE.finditer(text):
        if piece.end() <= place:
            is_begun = True
            continue
        shown, is_whole = _word(piece.group(), MOST_WORDS - words)
        letters += len(shown) + bool(kept)
        words += _weight(piece.group()) if is_whole else MOST_WORDS
        if not shown or (letters > MOST_LETTERS and kept):
            is_cut = True
            break
        kept.append(shown)
        if not is_whole or words >= MOST_WORDS:
            is_cut = is_cut or not is_whole or bool(text[piece.end() :].strip())
            break
    body = " ".join(kept)
    return f"{f'{CUT} ' if is_begun and body else ''}{body}{f' {CUT}' if is_cut and body else ''}"


def _word(piece: str, room: int) -> tuple[str, bool]:
    """A word as it is shown where there is room for so many, and whether that is all of it."""
    if piece == _MARK:
        return MASK, True
    shown = ""
    for letter in piece[: LONGEST_WORD + 1]:
        if len(shown) >= LONGEST_WORD or _weight(shown + letter) > room:
            return shown, False
        shown += letter
    return shown, True


def _weight(piece: str) -> int:
    """For how many words a piece counts: two letters of a script without spaces are one."""
    return max(1, (sum(map(_is_of_a_script_without_spaces, piece)) + 1) // 2)


def _is_of_a_script_without_spaces(letter: str) -> bool:
    return (
        "\u0e00" <= letter <= "\u109f" or "\u1780" <= letter <= "\u17ff" or unicodedata.east_asian_width(letter) in "WF"
    )
