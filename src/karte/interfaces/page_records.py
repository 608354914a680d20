"""The JSON shapes of pages and of what a conversation left behind."""

from __future__ import annotations

from karte.domain.distilling import Distilled, DistillReport
from karte.domain.knowledge_pages import KnowledgePage, PageHit, PageOutcome, PageProposal
from karte.domain.page_lint import PageFinding
from karte.interfaces.records import JsonObject, error_object, instant, store_outcome, without_absent

COUNTED = ("stored", "reaffirmed", "held", "refused", "pages")


def page_object(page: KnowledgePage) -> JsonObject:
    """One page, without its text."""
    told: JsonObject = {
        "path": page.path,
        "title": page.title,
        "doc_type": page.doc_type,
        "summary": page.summary,
        "layer": page.layer,
        "trust": page.trust,
        "source_type": page.source_type,
        "state": page.state,
        "origin": page.origin,
        "tags": list(page.tags),
        "created": instant(page.created),
        "updated": instant(page.updated),
    }
    optional = {"author": page.author, "promoted_at": instant(page.promoted_at), "problem": page.problem}
    return told | without_absent(optional)


def page_hit(hit: PageHit) -> JsonObject:
    """A page that answers a query, with the part that does."""
    return {**page_object(hit.page), "score": hit.score, "excerpt": hit.excerpt}


def page_outcome(outcome: PageOutcome) -> JsonObject:
    """What became of a document."""
    optional = {
        "memory_id": outcome.memory_id,
        "proposal_id": outcome.proposal_id,
        "approval_id": outcome.approval_id,
        "reason": outcome.reason,
        "notes": list(outcome.notes) or None,
    }
    return {"status": outcome.status, "path": outcome.path, "title": outcome.title, **without_absent(optional)}


def proposal_object(proposal: PageProposal) -> JsonObject:
    """A text that waits to replace a page's."""
    return {
        "id": proposal.id,
        "path": proposal.path,
        "origin": proposal.origin,
        "proposed_at": instant(proposal.proposed_at),
        "text": proposal.text,
    }


def finding_object(finding: PageFinding) -> JsonObject:
    """What is wrong with a page, or may be."""
    return {"path": finding.path, "rule": finding.rule, "says": finding.says}


def distilled_object(report: DistillReport) -> JsonObject:
    """What a conversation left behind."""
    counts = {name: len(getattr(report, name)) for name in COUNTED}
    return {
        "origin": report.origin,
        "turns": report.turns,
        "items": [_item(item) for item in report.items],
        **counts,
    }


def _item(item: Distilled) -> JsonObject:
    told: JsonObject = {"turn": item.turn, "status": item.status}
    if item.fact is not None:
        fact = item.fact
        told["fact"] = {"content": fact.content, "subject": fact.subject, "predicate": fact.predicate} | without_absent(
            {"object": fact.object, "valid_from": fact.valid_from, "valid_until": fact.valid_until}
        )
    if item.outcome is not None:
        told["outcome"] = store_outcome(item.outcome)
    if item.page is not None:
        told["page"] = page_outcome(item.page)
    if item.error is not None:
        told["error"] = error_object(item.error)
    return told
