"""Short histories, at least one for each sentence of the six rules: each tells two readings of its sentence apart."""

from __future__ import annotations

from tests.properties.steps import Again, Alias, Bad, Batch, Declare, End, Expire, Restore, Step, Store, Take

USER, CHANNEL = "user_direct", "channel:y"
SOURCE = Store(
    subject="Borea", value=1, start=0
)  # listed after the rows of Atlas: what is derived from it, it can fell
HISTORIES: dict[str, list[Step]] = {
    "bounded inside longer": [Store(start=1), Store(value=1, start=3, length=2), Store(start=2, origin=USER)],
    "of equal starts the last": [Store(start=1), Store(value=1, start=1), Take(how="retract", which=1), Store(start=0)],
    "earlier observation": [Store(start=4), Store(start=0), Store(value=1, start=2), Take(how="retract", which=1)],
    "end and what follows": [Store(start=1), End(at=3), Store(value=1, start=5), Store(start=2), End(at=2)],
    "end and start of one instant": [Store(start=1), Store(value=1, start=3), End(at=3), Store(value=1, start=3)],
    "last said end of a start holds": [Store(start=0), Store(start=1, length=4), Store(start=1, length=2)],
    "a later end lengthens": [Store(start=0), Store(start=1, length=1), Store(start=1, length=4)],
    "first end binds open ones": [Store(start=0), Store(start=2, length=2), Store(start=3, length=4)],
    "an end at its start binds none": [Store(start=0, length=3), Store(start=3), Store(start=1)],
    "bounded ones keep their own end": [Store(start=0, length=6), Store(start=1, length=2), Store(value=1, start=8)],
    "unverified end, curated value": [Store(start=0, origin=USER), Store(start=1, length=2, origin=CHANNEL)],
    "cut end, sound value": [SOURCE, Store(start=0), Store(start=1, length=2, cites=1), Take(how="retract", which=1)],
    "cut yields": [SOURCE, Store(start=0), Store(value=1, start=2, cites=1), Take(how="retract", which=2)],
    "cut where nothing else covers": [
        *(SOURCE, Store(start=0, length=2), Store(value=1, start=1, cites=1)),
        *(Take(how="retract", which=3), Store(value=0, start=4)),
    ],
    "cut over two steps": [
        *(SOURCE, Store(subject="Ceres", start=0, cites=0), Store(start=0), Store(value=1, start=2, cites=2)),
        Take(how="retract", which=2),
    ],
    "a cut continuation is worth a tenth": [
        *(Store(start=0), Store(value=1, start=0, cites=0), Store(value=2, start=3, length=1)),
        Take(how="retract", which=0),
    ],
    "cut through a continuation": [
        *(Store(start=3, length=1), Store(start=2, length=3, cites=0), Store(start=2, cites=2)),
        Take(how="retract", which=1),
    ],
    "derived from what was cut before": [
        *(SOURCE, Store(value=0, start=3, cites=0), Take(how="retract", which=1)),
        *(Store(value=2, start=4, cites=0), Store(value=1, start=0)),
    ],
    "derived and forgotten when its source fell": [
        *(SOURCE, Store(value=0, start=3, cites=0), Take(how="forget", which=0)),
        *(Take(how="retract", which=0), Restore(), Store(value=1, start=0)),
    ],
    "derived from what is forgotten": [SOURCE, Store(start=2, cites=0), Take(how="forget", which=1), Store(value=1)],
    "curated outvotes": [Store(start=0, length=4, origin=USER), Store(value=1, start=2, origin=CHANNEL)],
    "curated class with little trust": [
        Store(start=0, origin=USER, claim=0.2),
        Store(value=1, start=2, origin=CHANNEL),
    ],
    "unverified end of the curated": [
        Store(start=0, origin=USER),
        Store(value=1, origin=CHANNEL),
        End(origin="tool_echo"),
    ],
    "verified end lifts protection": [Store(start=0, origin=USER), End(at=2), Store(value=1, start=3, origin=CHANNEL)],
    "end of the same start does not": [
        *(Store(start=2, origin=USER), End(at=2), Store(value=1, start=3, origin=CHANNEL)),
    ],
    "most trusted at the head": [
        Store(start=0, origin=CHANNEL),
        Store(start=2, origin=USER),
        Store(start=1),
        Store(start=3),
    ],
    "trusted, but under another value": [Store(start=0, origin=USER), Store(value=1, start=2), Store(start=4)],
    "values keep case": [Store(start=0), Store(value=2, start=2), End(at=4, value=0), End(at=5, value=2)],
    "end said for a value": [
        *(Store(start=0), Store(value=1, start=1, length=8), Store(value=1, start=2), End(at=4, value=1)),
        *(Store(value=1, start=3), Store(value=1, start=1, length=5), Again(which=0)),
    ],
    "forget and restore": [
        Store(start=0),
        Store(value=1, start=2),
        Take(how="forget", which=1),
        Restore(),
        Bad(which=0),
    ],
    "many values": [
        *(Store(predicate="knows", start=0), Store(predicate="knows", value=1, start=2), Declare()),
        *(End(predicate="knows", at=3, value=0), Expire(), Store(predicate="knows", value=2, start=2)),
    ],
    "confirmed under an alias, then parted": [
        *(Alias(canonical="Ceres", alias="Atlas"), Store(subject="Ceres", start=1), Store(start=4)),
        *(Alias(canonical=None, alias="Atlas"), Store(start=2)),
    ],
    "expired under an alias, then parted": [
        *(Alias(canonical="Atlas", alias="Borea"), Store(start=-1), Expire(subject="Borea")),
        Alias(canonical=None, alias="Borea"),
    ],
    "ended under an alias, then parted": [
        *(Alias(canonical="Atlas", alias="Borea"), Store(start=1), End(subject="Borea", at=2)),
        Alias(canonical=None, alias="Borea"),
    ],
    "an observation that stood alone is corrected": [
        *(Store(start=2), Store(start=2), Take(how="retract", which=0)),
        *(Store(value=1, start=2, length=2), Store(value=2, start=3)),
    ],
    "derived from the continuation of what was cut": [
        *(Store(), Store(cites=0), Take(how="retract", which=0), Store(value=1, length=1)),
        *(Store(start=0, cites=2), Store(value=1, start=0)),
    ],
    "an end that comes to count later than it starts": [
        *(Store(value=1, start=2, length=1, origin=USER), Store(start=2), End(at=2, origin=CHANNEL)),
    ],
    "a confirmation that holds only later": [
        *(Store(value=1, start=2), Store(start=1, length=2, origin=USER), Store(value=1, start=2, origin=CHANNEL)),
        *(Take(how="forget", which=1), Restore()),
    ],
    "what is cut is curated no more": [
        *(Store(start=0, origin=USER), Store(start=0, origin=USER, cites=0), Take(how="retract", which=0)),
        Store(length=1, origin=CHANNEL),
    ],
    "many values, one ended": [
        *(Declare(), Store(predicate="knows", start=0), End(predicate="knows", at=3, value=0)),
        *(Store(predicate="knows", start=2, length=2), Store(predicate="knows", start=5)),
    ],
    "an end said for a value, then declared many": [
        *(Store(predicate="knows", start=0), End(predicate="knows", at=3, value=0), Declare()),
        *(Store(predicate="knows", start=2, length=2), Store(predicate="knows", start=5)),
    ],
    "declared and taken back": [
        *(Store(predicate="knows", start=0), Store(predicate="knows", value=1, start=2), Declare()),
        *(Store(predicate="knows", value=2, start=1), Declare(cardinality="one")),
    ],
    "aliases": [
        *(Store(start=0), Store(subject="Borea", value=1, start=2), Alias(canonical="Ceres", alias="Borea")),
        *(
            Alias(canonical="Atlas", alias="Ceres"),
            Alias(canonical=None, alias="Borea"),
            Store(subject="Ceres", start=4),
        ),
    ],
    "forgotten before an alias": [Store(start=2), Take(how="forget", which=0), Alias(canonical="Borea", alias="Atlas")],
    "forgotten before a declaration": [Store(predicate="knows", start=1), Take(how="forget", which=0), Declare()],
    "expiry": [Store(start=-2), Store(value=1, start=6), Store(predicate="knows", start=-1), Expire(), Store(start=-3)],
    "a batch": [Batch(items=(Store(start=2), Store(value=1, start=2), Store(start=1, length=1)), bad=True)],
}
