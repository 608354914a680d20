"""The rows of the speed benchmark: the same, byte for byte, as ``synthetic_workload.py`` beside the data writes.

Everything follows from one seed and needs no file and no library. Words are English, drawn with weights as in real
text (Zipf-Mandelbrot); a text is twelve of them. Facts stream, so that a million of them need no memory.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

SEED = 20261201
AGENT = "bench"
ORIGIN = "user_direct"
BASE = 1_767_225_600  # 2026-01-01; row i is of BASE + 60 * i
PREDICATES = ("likes", "works_at", "lives_in", "status", "owner", "deadline", "version", "role")
LAYERS = ("episodic", "semantic")

_SIXTY_FOUR_BITS = (1 << 64) - 1
_VOCABULARY, _FACTS, SUPERSEDE, _QUERIES, _IDS, READS = 1, 2, 3, 4, 6, 8  # streams of random numbers
_SUFFIXES = ("", "s", "ing", "ed")
_STEMS = """
account act add address agent agree air answer appear area arm art ask back bank base bear beat bed begin bird blood
blow board boat body book bottom box boy break bridge bring brother build burn business buy call camp car card care
carry case catch cause center chair chance change charge check child choose church city claim class clear climb
clock close clothe cloud coast cold color compare condition connect consider contain control cook cool copy corner
cotton count country course court cover cow create crop cross crowd cry current cut dance danger dark day deal
decide deep degree depend design desk develop direct discuss distant divide doctor dog door draw dream dress drink
drive drop dry earth ease east edge effect egg engine enter equal event evening exact example exercise expect
experiment explain eye face fact fair fall family farm fast father favor fear feed feel field fight figure fill
final find finger finish fire fish fit flat floor flow flower follow food foot force forest form forward fraction
free fresh friend front fruit game garden gather gentle girl glad glass gold good govern grass gray great green
ground group grow guess guide hand happy hard hat head hear heart heat heavy help hill history hit hold hole home
horse hot hour house hunt hurry ice idea imagine inch index industry insect instant instrument interest invent iron
island job join joy jump keep kill kind king know lake land language large laugh law lay lead learn leave leg length
letter level lift light line list listen liquid locate log look love machine magnet map mark market master match
material matter mean measure meat meet melody metal method middle milk mind mine minute miss mix modern money month
moon morning mother motion mount mountain mouth move music nation nature neck need neighbor night noise noon north
note noun number object observe ocean offer office oil open operate order organ ox oxygen page paint pair paper
paragraph part party pass path pattern pay perhaps period person phrase pick picture piece pitch plan plane planet
plant play poem point pose position post pound power practice prepare present press print problem process produce
product proper protect prove provide pull push question quick quiet quote race radio rail rain raise range reach
read reason receive record region remember repeat reply report require rest result rich ride ring rise river road
rock roll room root rope rose round row rub rule run safe sail salt sand save scale school science score sea search
season seat section seed select sell sense sentence separate serve settle shape share sheet shell shine ship shoe
shop shore shout show sight sign silent silver sing single sister sit size skill skin sky sleep slip slow smell
smile snow soft soil soldier solution solve song sound south space speak speech speed spell spend spoke spot spread
spring square stand star start state station stay steam steel step stick stone stop store story straight stream
street stretch string strong student study subject substance sugar suggest suit summer sun supply support surface
surprise swim symbol system table tail talk teach team temper tenth term test thick thin think thought thousand
throw tie time tire tone tool tooth total touch town track trade train travel tree triangle trip trouble truck true
try tube turn twenty type unit use valley value vary verb view village visit voice vowel wait walk wall want war
warm wash watch water wave way wear weather week weight west wheel white whole wide wife wild wind window wing
winter wire wish woman wonder wood word work world write yard year yellow young
""".split()


@dataclass(frozen=True, slots=True)
class Fact:
    """One row of the workload."""

    id: str
    content: str
    timestamp: int
    tag: str
    layer: str
    importance: float
    subject: str
    predicate: str
    object: str


class Numbers:
    """A stream of random numbers (splitmix64)."""

    def __init__(self, stream: int) -> None:
        self._state = SEED ^ stream

    def below(self, limit: int) -> int:
        self._state = (self._state + 0x9E3779B97F4A7C15) & _SIXTY_FOUR_BITS
        mixed = self._state
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & _SIXTY_FOUR_BITS
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _SIXTY_FOUR_BITS
        return (mixed ^ (mixed >> 31)) % limit


def _vocabulary() -> list[str]:
    words = list(dict.fromkeys(stem + suffix for suffix in _SUFFIXES for stem in _STEMS))
    numbers = Numbers(_VOCABULARY)
    for i in range(len(words) - 1, 0, -1):
        j = numbers.below(i + 1)
        words[i], words[j] = words[j], words[i]
    return words


WORDS = _vocabulary()
_UP_TO = list(accumulate(10**9 // (rank + 10) for rank in range(len(WORDS))))


def text(numbers: Numbers, length: int = 12) -> str:
    return " ".join(WORDS[bisect_right(_UP_TO, numbers.below(_UP_TO[-1]))] for _ in range(length))


def identifier(number: int) -> str:
    return f"00000001-0000-4000-8000-{number:012x}"


def fact_name(number: int) -> tuple[str, str]:
    """Subject and predicate of the fact of this number."""
    return f"subject{number:06d}", PREDICATES[number % len(PREDICATES)]


def facts() -> Iterator[Fact]:
    """Facts without end, each of another subject."""
    numbers = Numbers(_FACTS)
    number = 0
    while True:
        content = text(numbers)
        subject, predicate = fact_name(number)
        yield Fact(
            id=identifier(number),
            content=content,
            timestamp=BASE + 60 * number,
            tag=WORDS[numbers.below(200)],
            layer=LAYERS[numbers.below(2)],
            importance=float(1 + numbers.below(10)),
            subject=subject,
            predicate=predicate,
            object=f"object{numbers.below(5000):04d}",
        )
        number += 1


def queries(contents: list[str], count: int = 200) -> list[str]:
    """By turns three neighbouring words of one of the texts (of the first 10,000), and any three words."""
    numbers = Numbers(_QUERIES)
    made = []
    for i in range(count):
        if i % 2 == 0:
            words = contents[numbers.below(len(contents))].split()
            start = numbers.below(10)
            made.append(" ".join(words[start : start + 3]))
        else:
            made.append(text(numbers, 3))
    return made


def batches_of_ids(rows: int, count: int) -> list[list[str]]:
    """Batches of 100 different ids among the first rows."""
    numbers = Numbers(_IDS)
    made = []
    for _ in range(count):
        chosen: dict[int, None] = {}
        while len(chosen) < 100:
            chosen[numbers.below(rows)] = None
        made.append([identifier(number) for number in chosen])
    return made
