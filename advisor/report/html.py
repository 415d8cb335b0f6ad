"""A plan, or a review of a quote, as one page that needs nothing else: no scripts, no network, styles and charts inside."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.library import Library
from advisor.plan.plan import Plan
from advisor.plan.quote_check import Review
from advisor.report.appendix import equation_sections, source_section
from advisor.report.charts import Chart, charts
from advisor.report.decision import decision_sections
from advisor.report.review import review_page
from advisor.report.sections import SEVERITY_MARK, Layout, Section, Table, Verbatim, made_with, sections

if TYPE_CHECKING:
    from jinja2 import Template

_TEMPLATES = Path(__file__).parent / "templates"
_SEVERITY = {mark: severity for severity, mark in SEVERITY_MARK.items()}


@dataclass(frozen=True)
class Line:
    """A sentence; severity: that of the advice it gives, none for others."""

    text: str
    severity: str | None = None


@dataclass(frozen=True)
class Block:
    """What a page draws in one piece: lines as a paragraph or a list, a table, or text letter by letter."""

    lines: tuple[Line, ...] = ()
    table: Table | None = None
    verbatim: str | None = None


@dataclass(frozen=True)
class Part:
    """A heading with its blocks and charts; id: the anchor that the contents link to."""

    id: str
    heading: str
    level: int
    blocks: tuple[Block, ...]
    charts: tuple[Chart, ...] = ()


@dataclass(frozen=True)
class Chapter:
    """Parts that begin on a new page in print."""

    title: str
    parts: tuple[Part, ...]


def plan_html(plan: Plan, library: Library) -> str:
    """The plan as a page: the decision first, then charts, details, equations and sources. Everything in it is escaped."""
    pictures = tuple(
        Part(f"pictures-{number}", workload.name, 3, (), drawn)
        for number, workload in enumerate(plan.workloads)
        if (drawn := charts(workload, prefix=f"chart-{number}"))
    )
    sources = source_section(plan, library)
    chapters = [
        _chapter("Decision", "decision", decision_sections(plan)),
        Chapter("Charts", pictures),
        _chapter("Details", "details", sections(plan, Layout(notes=True, facts=True))),
        _chapter("Equations and sources", "appendix", [*equation_sections(plan), *([sources] if sources else [])]),
    ]
    return _page(plan.name, f"Plan of {plan.today}", chapters, made_with(plan))


def review_html(review: Review) -> str:
    """The review of a quote as a page, with every line as it was read. Everything in it is escaped."""
    title, parts, closing = review_page(review, reading=True)
    return _page(title, "Review of a quote", [_chapter("Review", "review", parts)], closing)


def _page(title: str, subtitle: str, chapters: Iterable[Chapter], closing: str) -> str:
    shown = tuple(chapter for chapter in chapters if chapter.parts)
    return _template().render(title=title, subtitle=subtitle, chapters=shown, closing=closing, css=_style())


@cache
def _template() -> "Template":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.get_template("report.html")


@cache
def _style() -> str:
    return (_TEMPLATES / "report.css").read_text(encoding="utf-8")


def _chapter(title: str, name: str, found: Iterable[Section]) -> Chapter:
    parts = (Part(f"{name}-{number}", each.heading, each.level + 1, tuple(_blocks(each))) for number, each in enumerate(found))
    return Chapter(title, tuple(parts))


def _blocks(section: Section) -> Iterator[Block]:
    for kind, group in groupby(section.parts, key=type):
        if kind is Table:
            yield from (Block(table=each) for each in group if isinstance(each, Table))
        elif kind is Verbatim:
            yield Block(verbatim="\n".join(str(each) for each in group))
        else:
            yield Block(lines=tuple(_line(str(each)) for each in group))


def _line(text: str) -> Line:
    text = " ".join(text.split())
    severity = _SEVERITY.get(text[:1])
    return Line(text[1:].strip(), severity) if severity else Line(text)
