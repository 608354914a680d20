"""What erasing, exporting and a change of owner do with each table: the one place that must know them all.

A test fails for a table of a new file that is not here. A condition is SQL over the table itself. While an extent is
selected (``selecting.py``) it may use the tables ``gone_row`` (ids of memories and assertions) and ``gone_said``
(places in the order of learning), the functions ``is_named(text)`` and ``normal_name(text)``, ``:agent``, and
``:whole``, which tells a whole agent from a subject.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_R: Final = "(SELECT id FROM temp.gone_row)"
_O: Final = "(SELECT learned_order FROM temp.gone_said)"
_MINE: Final = "agent_id = :agent"
_OF_ROW: Final = f"memory_id IN {_R}"
_OF_EITHER: Final = f"(memory_id IN {_R} OR learned_order IN {_O})"
_IS_PAGE: Final = "is_named('wiki:auto/' || doc_type || '/' || slug)"
_OF_PAGE: Final = f"{_MINE} AND page_id IN (SELECT id FROM pages WHERE {_MINE} AND {_IS_PAGE})"
_OPERATION_ITEM: Final = (
    f"(({_OF_EITHER} AND before <> '{{}}') OR (kind = 'alias' AND (is_named(name) OR is_named(before))"
    " AND operation_id IN (SELECT id FROM operations WHERE agent_id = :agent)))"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """How one table is treated.

    ``of_agent`` and ``of_subject`` are the rows that belong to an agent and to a subject: what erasing deletes; None
    where there are none, and ``erase`` says why. ``order`` is how an export sorts the table, None where it leaves it
    out; ``exported`` are the rows that an export takes where erasing takes others or none. ``reassign`` says what a
    change of a memory's owner has to do.
    """

    erase: str
    export: str
    reassign: str
    of_agent: str | None = None
    of_subject: str | None = None
    exported: str | None = None
    order: str | None = None

    def erased(self, *, whole: bool) -> str | None:
        """The condition of the rows that erasing deletes."""
        return self.of_agent if whole else self.of_subject

    def taken(self, *, whole: bool) -> str | None:
        """The condition of the rows that an export takes."""
        return self.of_agent or self.exported if whole else self.exported or self.of_subject


def _computed(of: str) -> Coverage:
    return Coverage(
        erase=f"follows {of}", export="not: an import builds it anew", reassign="nothing: it holds no owner"
    )


_ITSELF: Final = "each row as it is"

COVERAGE: Final[dict[str, Coverage]] = {
    "karte_state": Coverage(
        erase="not: counters and the last instant of the file",
        export="the counters and the last instant",
        reassign="nothing: it holds no owner",
    ),
    "memories": Coverage(
        erase="rows of the subject, with their words in the index; links of other rows to them are cleared",
        export=_ITSELF,
        reassign="agent_id; identity by the new owner's names; both timelines are settled",
        of_agent=f"id IN {_R}",
        of_subject=f"id IN {_R}",
        order="ordinal, id",
    ),
    "memories_archive": Coverage(
        erase="rows of the subject",
        export=_ITSELF,
        reassign="agent_id; identity by the new owner's names",
        of_agent=f"id IN {_R}",
        of_subject=f"id IN {_R}",
        order="ordinal, id",
    ),
    "memory_assertions": Coverage(
        erase="what was said of the subject; ends said of others lose words that they took from it",
        export=_ITSELF,
        reassign="agent_id, identity and value_key by the new owner's names",
        of_agent=f"learned_order IN {_O}",
        of_subject=f"learned_order IN {_O}",
        order="learned_order",
    ),
    "memory_sources": Coverage(
        erase="both ends; what was derived from an erased memory is then derived from what that was derived from",
        export="what the rows were derived from",
        reassign="nothing: it holds ids only",
        of_agent=f"memory_id IN {_R} OR source_id IN {_R}",
        of_subject=f"memory_id IN {_R} OR source_id IN {_R}",
        exported=_OF_ROW,
        order="memory_id, source_id",
    ),
    "memory_revisions": Coverage(
        erase="of erased rows; others lose links to them and their former identity under the subject",
        export=_ITSELF,
        reassign="stays: it says whose the row was then",
        of_agent=_OF_ROW,
        of_subject=_OF_ROW,
        order="revision",
    ),
    "entity_alias": Coverage(
        erase="every name of the subject; facts of others that it named are settled",
        export=_ITSELF,
        reassign="stays; what the new owner does not use otherwise joins its own",
        of_agent=_MINE,
        of_subject=f"{_MINE} AND (is_named(alias) OR is_named(canonical))",
        order="agent_id, alias",
    ),
    "predicate_cardinality": Coverage(
        erase="with the whole agent; it is about a predicate and no subject",
        export="those of the predicates used",
        reassign="stays; what the new owner has not declared joins its own",
        of_agent=_MINE,
        exported=f"{_MINE} AND predicate IN (SELECT normal_name(a.predicate) FROM memory_assertions a"
        f" WHERE a.learned_order IN {_O})",
        order="agent_id, predicate",
    ),
    "name_revisions": Coverage(
        erase="those of aliases that have a name of the subject on either side",
        export=_ITSELF,
        reassign="stays with its agent",
        of_agent=_MINE,
        of_subject=f'{_MINE} AND kind = \'alias\' AND (is_named(name) OR is_named("before") OR is_named("after"))',
        order="revision",
    ),
    "entity_embedding": Coverage(
        erase="of every name of the subject",
        export=_ITSELF,
        reassign="computed anew for the new owner",
        of_agent=_MINE,
        of_subject=f"{_MINE} AND is_named(entity)",
        order="agent_id, entity, model",
    ),
    "agent_trust": Coverage(
        erase="with the whole agent; it is a bound and about no subject",
        export=_ITSELF,
        reassign="the greater bound of both",
        of_agent=_MINE,
        exported=_MINE,
        order="agent_id",
    ),
    "guard_attempts": Coverage(
        erase="attempts about the subject, and those that wrote an erased memory",
        export=_ITSELF,
        reassign="stays: it counts who wrote then",
        of_agent=_MINE,
        of_subject=f"{_MINE} AND (is_named(subject) OR {_OF_EITHER})",
        order="attempt",
    ),
    "approvals": Coverage(
        erase="about the subject, and those of which every item is erased; others lose what they quote of it",
        export=_ITSELF,
        reassign="agent_id, with its items",
        of_agent=_MINE,
        of_subject=f"{_MINE} AND (is_named(subject) OR (id IN (SELECT approval_id FROM approval_items)"
        f" AND id NOT IN (SELECT approval_id FROM approval_items WHERE ({_OF_EITHER}) IS NOT TRUE)))",
        order="created_at, id",
    ),
    "approval_items": Coverage(
        erase="erased memories and assertions, and the items of erased approvals",
        export=_ITSELF,
        reassign="follows its approval",
        of_agent="approval_id IN (SELECT id FROM approvals WHERE agent_id = :agent)",
        of_subject=f"{_OF_EITHER} OR approval_id IN (SELECT id FROM approvals WHERE agent_id = :agent"
        " AND is_named(subject))",
        order="item",
    ),
    "operations": Coverage(
        erase="with the whole agent; an operation is about an origin. One that covered nothing else loses its event",
        export="those that cover something exported",
        reassign="agent_id, so that an undo finds what has moved",
        of_agent=_MINE,
        exported=f"id IN (SELECT operation_id FROM operation_items WHERE {_OPERATION_ITEM})",
        order="done_at, id",
    ),
    "operation_items": Coverage(
        erase="what it says of an erased memory; an identifier that we made stays, so that an undo can name it",
        export=_ITSELF,
        reassign="follows its operation",
        of_agent="operation_id IN (SELECT id FROM operations WHERE agent_id = :agent)",
        of_subject=_OPERATION_ITEM,
        order="item",
    ),
    "events": Coverage(
        erase="about the subject, with their excerpts; others lose ids and words of what is erased",
        export=_ITSELF,
        reassign="stays: it says what happened then",
        of_agent=_MINE,
        of_subject=f"{_MINE} AND is_named(subject)",
        order="sequence",
    ),
    "erased_content": Coverage(
        erase="with the whole agent, unless the stop-list is to be kept; keyed hashes, which name no subject",
        export="with the whole agent",
        reassign="stays, and counts for the new owner too",
        of_agent=_MINE,
        order="agent_id, content_hash",
    ),
    "erased_key": Coverage(
        erase="not: a random key of the file",
        export="with the hashes that it keys",
        reassign="nothing: it holds no owner",
        exported=":whole AND EXISTS (SELECT 1 FROM erased_content WHERE agent_id = :agent)",
        order="id",
    ),
    "webhook_progress": Coverage(
        erase="not: how far events were delivered to an address",
        export="not: a new file delivers to nobody until it is told to",
        reassign="nothing: it holds no owner",
    ),
    "schema_migration": Coverage(
        erase="not: the layout of the file",
        export="not: the layout of the file",
        reassign="nothing: it holds no owner",
    ),
    "mistakes": Coverage(
        erase="with the whole agent, or of the category whose rule is the subject; they name no subject otherwise",
        export=_ITSELF,
        reassign="agent_id",
        of_agent=_MINE,
        of_subject=f"{_MINE} AND is_named('category:' || category)",
        order="ordinal",
    ),
    "rule_life": Coverage(
        erase="with the whole agent, or with the rule",
        export=_ITSELF,
        reassign="the new owner's where it has one, the feedback of both added up",
        of_agent=_MINE,
        of_subject=f"{_MINE} AND is_named('category:' || category)",
        order="agent_id, category",
    ),
    "metacognition": Coverage(
        erase="with the whole agent; numbers about no subject",
        export=_ITSELF,
        reassign="the new owner's where it has one",
        of_agent=_MINE,
        exported=_MINE,
        order="agent_id",
    ),
    "pages": Coverage(
        erase="with the whole agent, or the page that is the subject; the file goes with it",
        export="each row with the text of its file",
        reassign="agent_id; a free name where the new owner has one of this name; the file moves",
        of_agent=_MINE,
        of_subject=f"{_MINE} AND {_IS_PAGE}",
        order="ordinal",
    ),
    "page_sources": Coverage(
        erase="with their page",
        export=_ITSELF,
        reassign="agent_id",
        of_agent=_MINE,
        of_subject=_OF_PAGE,
        order="page_id, origin, text_digest, filed_at",
    ),
    "page_proposals": Coverage(
        erase="with their page",
        export=_ITSELF,
        reassign="agent_id",
        of_agent=_MINE,
        of_subject=_OF_PAGE,
        order="proposed_at, id",
    ),
    "page_index": _computed("pages"),
    "page_index_data": _computed("page_index"),
    "page_index_idx": _computed("page_index"),
    "page_index_docsize": _computed("page_index"),
    "page_index_config": Coverage(
        erase="not: settings of the index",
        export="not: settings of the index",
        reassign="nothing: it holds no owner",
    ),
    "graph_changes": Coverage(
        erase="with the whole agent; of a subject it holds numbers only",
        export="not: an import counts anew",
        reassign="a trigger tells both owners",
        of_agent=_MINE,
    ),
    "memory_turns": Coverage(
        erase="follows memories, by a trigger",
        export="not: an import builds it anew",
        reassign="agent_id follows that of memories, by a trigger",
    ),
    "memory_index": _computed("memories"),
    "memory_index_data": _computed("memory_index"),
    "memory_index_idx": _computed("memory_index"),
    "memory_index_docsize": _computed("memory_index"),
    "memory_index_config": Coverage(
        erase="not: settings of the index",
        export="not: settings of the index",
        reassign="nothing: it holds no owner",
    ),
    "sqlite_sequence": Coverage(
        erase="not: the last number of an event",
        export="not: follows the events",
        reassign="nothing: it holds no owner",
    ),
}
"""In the order of an export."""

INHERITED: Final[dict[str, Coverage]] = {
    "memories_fts": Coverage(
        erase="the words of erased memories",
        export="not: another engine's index of `memories`",
        reassign="not: we neither read nor write it",
        of_agent=f"memory_id IN {_R}",
        of_subject=f"memory_id IN {_R}",
    ),
    "key_facts_fts": Coverage(
        erase="with the whole agent",
        export="not: another engine's index of `key_facts`",
        reassign="not: we neither read nor write it",
        of_agent="rowid IN (SELECT rowid FROM key_facts WHERE agent_id = :agent)",
    ),
    "key_facts": Coverage(
        erase="with the whole agent; sentences that name no subject",
        export="not: another engine's table, which stays as found",
        reassign="not: we neither read nor write it",
        of_agent=_MINE,
    ),
}
"""Tables that files of the older engine bring along: they stay as found, and still must forget."""
