"""How German, French, Spanish, Portuguese and Italian name dates: a table of months and one of words for near times."""

from __future__ import annotations

import re
from datetime import date
from typing import Final

from karte.domain.calendar import Stretch, Unit, counted, day_near, month_near

_MONTHS: Final = """
januar jänner janvier enero janeiro gennaio
februar février fevrier febrero fevereiro febbraio
märz maerz mars marzo março
april avril abril aprile
mai mayo maio maggio
juni juin junio junho giugno
juli juillet julio julho luglio
august août aout agosto
september septembre septiembre setiembre setembro settembre
oktober octobre octubre outubro ottobre
november novembre noviembre novembro
dezember décembre decembre diciembre dezembro dicembre
"""
_NUMBERS: Final = {name: number for number, row in enumerate(_MONTHS.split("\n")) for name in row.split()}

_NEAR: Final[dict[str, tuple[Unit, int]]] = {
    **dict.fromkeys(("vorgestern", "avant-hier", "anteayer", "antier", "anteontem", "l'altro ieri"), ("day", -2)),
    **dict.fromkeys(("gestern", "hier", "ayer", "ontem", "ieri"), ("day", -1)),
    **dict.fromkeys(("heute", "aujourd'hui", "hoy", "hoje", "oggi"), ("day", 0)),
    **dict.fromkeys(("morgen", "demain", "mañana", "amanhã", "domani"), ("day", 1)),
    **dict.fromkeys(("übermorgen", "après-demain", "dopodomani"), ("day", 2)),
    **dict.fromkeys(
        ("letzte woche", "semaine dernière", "semana pasada", "semana passada", "settimana scorsa"), ("week", -1)
    ),
    **dict.fromkeys(("diese woche", "cette semaine", "esta semana", "questa settimana"), ("week", 0)),
    **dict.fromkeys(
        ("nächste woche", "semaine prochaine", "próxima semana", "settimana prossima", "prossima settimana"),
        ("week", 1),
    ),
    **dict.fromkeys(
        ("letzten monat", "mois dernier", "mes pasado", "mês passado", "mese scorso", "scorso mese"), ("month", -1)
    ),
    **dict.fromkeys(("diesen monat", "ce mois-ci", "este mes", "este mês", "questo mese"), ("month", 0)),
    **dict.fromkeys(("nächsten monat", "mois prochain", "próximo mes", "próximo mês", "prossimo mese"), ("month", 1)),
    **dict.fromkeys(
        ("letztes jahr", "année dernière", "an dernier", "año pasado", "ano passado", "anno scorso", "scorso anno"),
        ("year", -1),
    ),
    **dict.fromkeys(("dieses jahr", "cette année", "este año", "este ano", "quest'anno"), ("year", 0)),
    **dict.fromkeys(
        ("nächstes jahr", "année prochaine", "an prochain", "próximo año", "próximo ano", "prossimo anno"), ("year", 1)
    ),
}
_MONTH: Final = rf"(?P<month>{'|'.join(_NUMBERS)})(?![-\w])"
_DAY: Final = r"(?<![\d:.,/-])(?P<day>\d{1,2})"
_YEAR: Final = r"(?P<year>(?:1[89]|20|21)\d\d)(?![\d-])"
_OF_YEAR: Final = rf",? (?:de |del )?{_YEAR}"
# "3 mars", "3 mai" and "3 mayo" may be planets, proper names and sandwiches: the day has a sign or a word before it.
_DAY_ALONE: Final = (
    rf"(?:{_DAY}\. |{_DAY.replace('day', 'of')} de "
    r"|(?:(?<=\ble )|(?<=\bdu )|(?<=\bau )|(?<=\bil )|(?<=\bdal )|(?<=\bal )|(?<=\bdel )|(?<=\bl')|(?<=ll'))"
    rf"{_DAY.replace('day', 'the')}(?:er|º|°)? )"
)
_LEAD: Final = r"(?:(?<=\bim )|(?<=\bseit )|(?<=\ben )|(?<=\bem )|(?<=\bnel )|(?<=\bdepuis )|(?<=\bdesde )"
# "In mars" and "a mayo" are English too.
_LEAD_MONTH: Final = rf"{_LEAD}|(?:(?<=\bin )|(?<=\ba ))(?!(?:mars|mai|mayo|julio|april|august|september|november)\b))"
_LEAD_YEAR: Final = rf"{_LEAD}|(?<=\bjahr )|(?<=\bjahre )|(?<=\bannée )|(?<=\baño )|(?<=\bano )|(?<=\banno ))"
_NEAR_WORD: Final = re.sub(
    " ([wmj])(?=oche|onat|ahr)",  # Woche, Monat, Jahr
    lambda match: f" [{match[1]}{match[1].upper()}]",
    "|".join(sorted(_NEAR, key=len, reverse=True)).replace("'", "['’]"),
)
_MORNING: Final = r"(?:(?<=la )|(?<=esta ))mañana|(?:(?<=guten )|(?<=heute )|(?<=gestern ))morgen"
_IS_FRENCH: Final = re.compile(
    r"\b(?:le|les|qui|que|quoi|quand|quel|quelle|où|nous|vous|je|est|elle|ont|été|avons|avez|soir|matin|une|sur|pour|avec"
    r"|à)\b|\b(?:qu|c|d|j|l|s|n)['’]\w"
)
_AROUND: Final = 60
_LETTERS: Final = re.compile(r"[^\W\d_]+")
_TELLING: Final = frozenset([*_NUMBERS, *(max(_LETTERS.findall(words), key=len) for words in _NEAR)])
_BEFORE_A_YEAR: Final = frozenset("im seit en em nel depuis desde jahr jahre année año ano anno".split())


def _number(match: re.Match[str]) -> int:
    return _NUMBERS[match["month"].lower()]


def _day(match: re.Match[str], _said: date | None, _ahead: bool) -> Stretch:
    return Stretch("day", date(int(match["year"]), _number(match), int(match["day"])))


def _day_alone(match: re.Match[str], said: date | None, ahead: bool) -> Stretch | None:
    day = int(match["day"] or match["of"] or match["the"])
    return None if said is None else day_near(said, _number(match), day, ahead=ahead)


def _month(match: re.Match[str], _said: date | None, _ahead: bool) -> Stretch:
    return Stretch("month", date(int(match["year"]), _number(match), 1))


def _month_alone(match: re.Match[str], said: date | None, ahead: bool) -> Stretch | None:
    return None if said is None else month_near(said, _number(match), ahead=ahead)


def _year(match: re.Match[str], _said: date | None, _ahead: bool) -> Stretch:
    return Stretch("year", date(int(match["year"]), 1, 1))


def _near(match: re.Match[str], said: date | None, _ahead: bool) -> Stretch | None:
    word = (match["word"] or match["first"]).lower().replace("’", "'")
    if said is None or (word == "hier" and not _is_french_around(match)):
        return None  # "hier" is here, in German
    return counted(said, *_NEAR[word])


def _is_french_around(match: re.Match[str]) -> bool:
    around = match.string[max(0, match.start() - _AROUND) : match.end() + _AROUND]
    return _IS_FRENCH.search(around.lower()) is not None


def may_match(text: str) -> bool:
    """Whether any rule may match: the text has a word that tells a date, or one before a numeral."""
    words = frozenset(_LETTERS.findall(text.lower()))
    return not words.isdisjoint(_TELLING) or (
        not words.isdisjoint(_BEFORE_A_YEAR) and re.search(r"\d", text) is not None
    )


def _rule(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


RULES: Final = (
    (_rule(rf"{_DAY}(?:\.|er|º|°|ª)? (?:de )?{_MONTH}{_OF_YEAR}"), _day),
    (_rule(rf"{_DAY_ALONE}{_MONTH}"), _day_alone),
    # "Mars 2020" is a rover.
    (_rule(rf"\b(?!(?-i:M)ars){_MONTH}{_OF_YEAR}"), _month),
    (_rule(rf"{_LEAD_MONTH}{_MONTH}(?! \d)"), _month_alone),
    (_rule(rf"{_LEAD_YEAR}{_YEAR}"), _year),
    # Names have a capital (A. J. Ayer), and so has a word that begins a query.
    (
        re.compile(
            rf"(?<![\w-])(?!{_MORNING})(?:(?P<word>{_NEAR_WORD})"
            rf"|(?:(?<=\A)|(?<=\A[¿«\"(]))(?P<first>(?i:{_NEAR_WORD})))(?![-\w])"
        ),
        _near,
    ),
)
