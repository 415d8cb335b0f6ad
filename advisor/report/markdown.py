"""A plan as Markdown."""

from advisor.plan.plan import Plan
from advisor.report.sections import Layout, Table, made_with, sections

_ESCAPED = str.maketrans({character: f"\\{character}" for character in "\\`*_[]<>|#"})


def plan_markdown(plan: Plan, *, notes: bool = True) -> str:
    """The plan as Markdown, with everything that came from a person or a file escaped."""
    lines = [f"# {_escape(plan.name)}", ""]
    for section in sections(plan, Layout(notes=notes, facts=True)):
        lines += [f"{'#' * section.level} {_escape(section.heading)}", ""]
        for part in section.parts:
            lines += [*_drawn(part), ""]
    lines += ["---", "", _escape(made_with(plan)), ""]
    return "\n".join(lines)


def _drawn(part: str | Table) -> list[str]:
    if isinstance(part, str):
        return [f"- {_escape(' '.join(part.split()))}"]
    rows = [part.headings, tuple("---" for _ in part.headings), *part.rows]
    return [f"| {' | '.join(cell if cell == '---' else _escape(cell) for cell in row)} |" for row in rows]


def _escape(text: str) -> str:
    return " ".join(text.split()).translate(_ESCAPED)
