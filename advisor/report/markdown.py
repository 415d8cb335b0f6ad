"""A plan, and two side by side, as Markdown."""

from collections.abc import Iterable

from advisor.plan.comparing import Comparison
from advisor.plan.plan import Plan
from advisor.report.comparison import compared_with, comparison_sections
from advisor.report.sections import Layout, Section, Table, made_with, sections

_ESCAPED = str.maketrans({character: f"\\{character}" for character in "\\`*_[]<>|#"})


def plan_markdown(plan: Plan, *, notes: bool = True) -> str:
    """The plan as Markdown, with everything that came from a person or a file escaped."""
    return page(plan.name, sections(plan, Layout(notes=notes, facts=True)), (made_with(plan),))


def comparison_markdown(comparison: Comparison) -> str:
    """Two plans side by side as Markdown, with every value that differs; escaped like a plan."""
    title, closing = compared_with(comparison)
    return page(title, comparison_sections(comparison, facts=True), closing)


def page(title: str, parts: Iterable[Section], closing: Iterable[str]) -> str:
    """A page of sections, everything escaped."""
    lines = [f"# {_escape(title)}", ""]
    for section in parts:
        lines += [f"{'#' * section.level} {_escape(section.heading)}", ""]
        for part in section.parts:
            lines += [*_drawn(part), ""]
    lines += ["---", ""]
    for line in closing:
        lines += [_escape(line), ""]
    return "\n".join(lines)


def _drawn(part: str | Table) -> list[str]:
    if isinstance(part, str):
        return [f"- {_escape(' '.join(part.split()))}"]
    rows = [part.headings, tuple("---" for _ in part.headings), *part.rows]
    return [f"| {' | '.join(cell if cell == '---' else _escape(cell) for cell in row)} |" for row in rows]


def _escape(text: str) -> str:
    return " ".join(text.split()).translate(_ESCAPED)
