"""Writes an explanation as plain text, safe for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from evocrawl.core.sanitize import one_line
from evocrawl.monitor.explanation import (
    NO_ROBOTS,
    AgentShown,
    Explanation,
    FoundShown,
    LinkShown,
    PathStep,
    ReasonShown,
)
from evocrawl.monitor.scores import scored, threshold

_TERMS = 12
_LINE = 160
_SUMMARIES = {
    "fetched": "was fetched",
    "dead": "led to no page",
    "refused": "was not fetched: robots.txt disallows it",
    "dropped": "was not fetched: its request was dropped",
    "under way": "is under way",
    "waiting": "was not followed so far",
    "held back": "was not followed: it is held back",
    "unknown": "is not known to this crawl",
}


def as_text(found: Explanation) -> str:
    """Return the explanation as lines of text. Text of the web is escaped."""
    return "\n".join(_lines(found)) + "\n"


def _lines(found: Explanation) -> Iterator[str]:
    summary = _SUMMARIES[found.status]
    if found.found is not None and found.found.reason.startswith(NO_ROBOTS):
        summary = f"was not fetched: its {NO_ROBOTS}"
    yield f"{one_line(found.url, _LINE)} {summary}."
    if found.path:
        yield from _path(found.path, found.relevant_at)
    if found.link is not None:
        yield from _link(found.link)
    if found.agent is not None:
        yield from _agent(found.agent)
    if found.reason is not None:
        yield from _reason(found.reason, is_followed=found.place is None)
    if found.found is not None:
        yield from _found(found.found, found.reason)
    if found.place is not None:
        place = found.place
        yield ""
        yield f"Its rank: {place.rank} of {place.among} ({place.waiting}), score {place.score:.3f}"
    if found.missing:
        yield ""
        yield "What is missing:"
        yield from (f"  {one_line(each, _LINE)}" for each in found.missing)
    if found.notes:
        yield ""
        yield from (f"Note: {one_line(each, 400)}" for each in found.notes)


def _path(path: Iterable[PathStep], relevant_at: float) -> Iterator[str]:
    yield ""
    yield "The way from the seed:"
    for number, step in enumerate(path):
        via = f' by "{one_line(step.anchor, 60)}"' if step.anchor else ""
        name = one_line(step.title or step.url, 70)
        yield f"  {number:3d}  {scored(step.relevance, relevant_at):17s}  {name}{via}"
        yield f"       {' ' * 19}{one_line(step.url, _LINE)}"


def _link(link: LinkShown) -> Iterator[str]:
    yield ""
    yield "The link:"
    yield f"  page with the link  {one_line(link.source, _LINE) or 'none, it is a seed'}"
    yield f'  anchor              "{one_line(link.anchor, _LINE)}"'
    if link.context:
        yield f'  text around it      "{one_line(link.context, _LINE)}"'


def _agent(agent: AgentShown) -> Iterator[str]:
    line = " < ".join(map(str, agent.ancestors[:20]))
    more = " < …" if len(agent.ancestors) > 20 else ""
    yield ""
    visits = f"{agent.visits_before} visit" + ("" if agent.visits_before == 1 else "s")
    yield f"The agent: {agent.id}, species {agent.species}, after {visits}"
    yield f"  ancestors      {f'{line}{more}' if agent.ancestors else 'none, it is a founder'}"
    paid = sum(agent.paid.values())
    reasons = ", ".join(f"{name} {amount:.2f}" for name, amount in agent.paid.items())
    yield (
        f"  energy         {agent.energy_before:.2f} before, gained {agent.gained:.2f}, "
        f"paid {paid:.2f}{f' ({reasons})' if reasons else ''}, {agent.energy_after:.2f} after"
    )


def _reason(reason: ReasonShown, *, is_followed: bool) -> Iterator[str]:
    yield ""
    yield "Why the link was followed:" if is_followed else "What the species thinks of the link:"
    yield f"  {one_line(reason.rule, 300)}"
    if reason.terms or reason.drawn is not None:
        yield f"  link's score   {reason.score:.3f}"
    if reason.drawn is not None:
        yield f"  drawn with     {reason.drawn:.1%} of probability, among {reason.in_sight} links"
    elif reason.in_sight:
        yield f"  links at hand  {reason.in_sight}"
    terms = [each for each in reason.terms if each.contribution]
    if terms:
        yield "  term                                  value   weight   adds   usual value"
        for each in terms[:_TERMS]:
            usual = "" if each.average is None else f"{each.average:10.2f}"
            yield (
                f"  {one_line(each.name, 36):36s} {each.value:6.2f} {each.weight:8.2f} "
                f"{each.contribution:+7.2f} {usual}"
            ).rstrip()
        rest = sum(each.contribution for each in terms[_TERMS:])
        if len(terms) > _TERMS:
            yield f"  {f'{len(terms) - _TERMS} other terms':36s} {'':6s} {'':8s} {rest:+7.2f}"


def _found(found: FoundShown, reason: ReasonShown | None) -> Iterator[str]:
    yield ""
    yield "Predicted and found:"
    if reason is not None and reason.chance is not None:
        yield f"  predicted      {reason.chance:.0%} chance of a good page"
    if found.relevance is None:
        yield f"  found          {found.outcome}{f': {found.reason}' if found.reason else ''}"
        return
    verdict = scored(found.relevance, found.relevant_at)
    yield f"  found          {verdict} ({threshold(found.relevant_at)})"
    if found.page_energy is not None:
        yield f"  page energy    {found.page_energy:.2f}, after {found.seconds:.2f} s"
