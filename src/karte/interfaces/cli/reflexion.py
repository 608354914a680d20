"""Commands about mistakes, the rules they become, and the context block."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from karte.domain.mistakes import Evidence, MistakeCategory, MistakeEntry
from karte.interfaces.cli import options
from karte.interfaces.cli.session import Session
from karte.interfaces.cli.text import short_time
from karte.interfaces.records import JsonObject
from karte.interfaces.reflexion_records import mistake_object, mistake_outcome, rule_object, rule_outcome

if TYPE_CHECKING:
    from karte.interfaces.cli.screen import Screen

CATEGORIES: Final = tuple(category.value for category in MistakeCategory)


@click.group("mistakes")
def mistakes_command() -> None:
    """What went wrong; three of a category become a rule."""


@options.command("add", mistakes_command)
@click.argument("what_went_wrong")
@click.option(
    "--category", type=click.Choice(CATEGORIES), default="behavioral", show_default=True, help="Of what kind."
)
@click.option("--lesson", metavar="TEXT", help="What to do next time.")
@click.option("--truth", metavar="TEXT", help="What would have been right.")
@click.option("--tool", metavar="NAME", help="The tool that failed or was used wrongly.")
@options.origin()
def add_mistake(
    session: Session,
    *,
    what_went_wrong: str,
    category: str,
    lesson: str | None,
    truth: str | None,
    tool: str | None,
    origin: str | None,
) -> None:
    """Note a mistake."""
    entry = MistakeEntry(
        what_went_wrong=what_went_wrong,
        agent_id=session.agent,
        category=MistakeCategory(category),
        corrective_insight=lesson,
        ground_truth=truth,
        evidence=None if tool is None else Evidence(tool=tool),
        origin=origin or options.OPERATOR,
    )
    with session.engine() as engine:
        data = mistake_outcome(engine.record_mistake(entry))

    def draw(screen: Screen) -> None:
        if data["kept"]:
            screen.line(f"noted  {data['id']}", "now")
        else:
            screen.line("not kept: the notebook is full of more severe ones", "warn")
        screen.line(f"  {_told(data['rule'])}")

    session.answer(data, draw)


@options.command("list", mistakes_command)
@click.option("--about", metavar="TEXT", help="Only what bears on this, best first.")
@click.option("--resolved", "with_resolved", is_flag=True, help="Also those that a rule speaks for.")
@click.option("-n", "limit", type=int, default=50, show_default=True, help="How many at most.")
def list_mistakes(session: Session, *, about: str | None, with_resolved: bool, limit: int) -> None:
    """What went wrong, the latest first."""
    from karte.engine_reflexion import MistakeNotebook  # noqa: PLC0415 (help needs no engine)

    with session.engine(reads_only=True) as engine:
        notebook = MistakeNotebook(engine)
        if about is None:
            found = notebook.list(session.agent, limit, with_resolved=with_resolved)
        else:
            found = notebook.query_by_topic(about, session.agent, limit)
        mistakes = [mistake_object(mistake) for mistake in found]

    def draw(screen: Screen) -> None:
        if not mistakes:
            screen.line("no mistake", "quiet")
            return
        rows = [(short_time(each["timestamp"]), each["category"], _mistake(each), each["id"]) for each in mistakes]
        screen.table(["when", "category", "what went wrong", "id"], rows)

    session.answer({"mistakes": mistakes, "total": len(mistakes)}, draw)


@options.command("consolidate", mistakes_command)
@click.argument("category", type=click.Choice(CATEGORIES))
@click.option("--threshold", type=int, default=3, show_default=True, help="If so many wait.")
def consolidate(session: Session, *, category: str, threshold: int) -> None:
    """Make a rule of a category's mistakes now."""
    with session.engine() as engine:
        data = rule_outcome(engine.maybe_consolidate(session.agent, category, threshold))
    session.answer(data, lambda screen: screen.line(_told(data)))


@click.group("rules")
def rules_command() -> None:
    """The rules that mistakes have become."""


@options.command("list", rules_command)
@click.option("--retired", "with_retired", is_flag=True, help="Also those that are retired.")
def list_rules(session: Session, *, with_retired: bool) -> None:
    """What stands, the most severe category first."""
    with session.engine(reads_only=True) as engine:
        rules = [rule_object(rule) for rule in engine.list_rules(session.agent, with_retired=with_retired)]

    def draw(screen: Screen) -> None:
        if not rules:
            screen.line("no rule", "quiet")
        for rule in rules:
            _draw_rule(screen, rule)

    session.answer({"rules": rules, "total": len(rules)}, draw)


@options.command("feedback", rules_command)
@click.argument("id")
@click.argument("verdict", type=click.Choice(["helped", "harmed"]))
def feedback(session: Session, *, id: str, verdict: str) -> None:
    """Say whether a rule helped; one that harms more than it helps retires."""
    with session.engine() as engine:
        rule = rule_object(engine.rule_feedback(session.agent, id, verdict == "helped"))
    session.answer(rule, lambda screen: _draw_rule(screen, rule))


@options.command("retire", rules_command)
@click.argument("id")
@click.option("--reason", default="", help="Why.")
def retire(session: Session, *, id: str, reason: str) -> None:
    """Take a rule out of force."""
    with session.engine() as engine:
        rule = rule_object(engine.retire_rule(session.agent, id, reason=reason))
    session.answer(rule, lambda screen: _draw_rule(screen, rule))


@options.command("restore", rules_command)
@click.argument("id")
def restore(session: Session, *, id: str) -> None:
    """Put a retired rule in force again."""
    with session.engine() as engine:
        rule = rule_object(engine.restore_rule(session.agent, id))
    session.answer(rule, lambda screen: _draw_rule(screen, rule))


@options.command("edit", rules_command)
@click.argument("id")
@click.argument("text")
def edit(session: Session, *, id: str, text: str) -> None:
    """Word a rule anew; what later mistakes teach is added behind."""
    with session.engine() as engine:
        rule = rule_object(engine.edit_rule(session.agent, id, text, origin=options.OPERATOR))
    session.answer(rule, lambda screen: _draw_rule(screen, rule))


@options.command("context")
@click.argument("message")
@click.option("--budget", type=int, default=1_500, show_default=True, help="Tokens at most.")
@click.option("--user", metavar="NAME", help="Whose profile belongs to it.")
@click.option("--group", "is_group", is_flag=True, help="Others read the reply: nothing private.")
@options.as_of()
def context_command(
    session: Session, *, message: str, budget: int, user: str | None, is_group: bool, as_of: str | None
) -> None:
    """What bears on a message, as one text for a prompt."""
    from karte.domain.context import estimate_tokens  # noqa: PLC0415 (as above)

    with session.engine(reads_only=True) as engine:
        block = engine.build_context(
            session.agent, message, budget, user=user, audience="group" if is_group else "private", valid_at=as_of
        )
    data: JsonObject = {"context": block, "tokens": estimate_tokens(block)}
    if session.as_json:
        session.answer(data, lambda _screen: None)
    elif block:
        click.echo(block, nl=False)  # as a program would get it
    else:
        session.note("nothing bears on it")


def _told(rule: JsonObject) -> str:
    match rule["status"]:
        case "waiting":
            return f"{rule['waiting']} of {rule['category']} without a rule"
        case "refused":
            return f"{rule['waiting']} of {rule['category']} read like an instruction together; they wait"
        case status:
            count = len(rule["resolved"])
            return f"{status} rule of {count} mistakes: {rule.get('id', '')}"


def _mistake(mistake: JsonObject) -> str:
    lesson = mistake.get("corrective_insight")
    resolved = " (a rule speaks for it)" if mistake["resolved"] else ""
    return f"{mistake['what_went_wrong']}{f' -> {lesson}' if lesson else ''}{resolved}"


def _draw_rule(screen: Screen, rule: JsonObject) -> None:
    screen.line(f"{rule['category']}: {rule['state']}  {rule['id']}", "now" if rule["state"] == "standing" else "warn")
    screen.line(f"  {rule['content']}")
    screen.line(
        f"  of {rule['sources']} mistakes, trust {rule['origin_trust']:.2f}, applied {rule['applied']},"
        f" helped {rule['helped']}, harmed {rule['harmed']}",
        "quiet",
    )
    for name in ("retired_because", "flagged_because"):
        if name in rule:
            screen.line(f"  {name.replace('_', ' ')}: {rule[name]}", "warn")
