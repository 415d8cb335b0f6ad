"""A plan, two side by side, and the tree of one number, drawn for a terminal by rich."""

from collections.abc import Iterable
from io import StringIO

from advisor.plan.comparing import Comparison
from advisor.plan.explaining import tree
from advisor.plan.plan import Plan, Step, WorkloadPlan
from advisor.report.comparison import compared_with, comparison_sections
from advisor.report.sections import Layout, Section, Table, made_with, sections
from advisor.report.words import called, written


def plan_text(plan: Plan, *, width: int = 100, notes: bool = False, facts: bool = False, colour: bool = False) -> str:
    """The plan as text `width` columns wide; notes and all limits where asked for."""
    closing = (made_with(plan), 'why any number: advisor explain FILE "KV cache"')
    return drawn(plan.name, sections(plan, Layout(notes=notes, facts=facts)), closing, width=width, colour=colour)


def comparison_text(comparison: Comparison, *, width: int = 100, facts: bool = False, colour: bool = False) -> str:
    """Two plans side by side as text `width` columns wide; every value that differs where asked for."""
    title, closing = compared_with(comparison)
    return drawn(title, comparison_sections(comparison, facts=facts), closing, width=width, colour=colour)


def drawn(title: str, parts: Iterable[Section], closing: Iterable[str], *, width: int, colour: bool) -> str:
    """Sections as text `width` columns wide, everything escaped."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table as RichTable

    console = Console(width=width, no_color=not colour, force_terminal=colour, highlight=False, file=StringIO(), record=True)
    console.print(f"[bold]{escape(title)}[/bold]")
    for section in parts:
        console.print()
        console.rule(f"[bold]{escape(section.heading)}[/bold]", align="left", characters="─")
        for part in section.parts:
            if isinstance(part, Table):
                drawn = RichTable(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
                for heading in part.headings:
                    drawn.add_column(escape(heading), overflow="fold")
                for row in part.rows:
                    drawn.add_row(*(escape(cell) for cell in row))
                console.print(drawn)
            else:
                console.print(escape(part))
    console.print()
    for line in closing:
        console.print(f"[dim]{escape(line)}[/dim]")
    return console.export_text(styles=colour)


def tree_text(workload: WorkloadPlan, quantity: str) -> str:
    """A quantity with its equation, the numbers put in, and everything it was made from.

    What came from a person, the catalogue or a constant takes one line; what adds nothing here (a zero) is not opened.
    """
    lines: list[str] = []
    opened: list[int] = []
    for depth, name, step, repeated in tree(workload, quantity):
        if any(depth > zero for zero in opened[-1:]):
            continue
        opened.clear()
        pad = "  " * depth
        line = f"{pad}{called(name)}  {written(name, step.value, step.unit)}{_bounds(name, step)}   [{step.label.value}]"
        if not step.inputs:
            lines.append(line + _origin(step))
            continue
        lines.append(line + ("  (shown above)" if repeated else ""))
        if repeated:
            continue
        if step.value == 0 and depth > 0:
            lines[-1] += f"  = {step.equation}"
            opened.append(depth)
            continue
        lines += [f"{pad}  = {text}" for text in dict.fromkeys((step.equation, step.filled)) if text]
        lines += [f"{pad}  counted so where {step.applies}"] if step.applies else []
        lines += [f"{pad}  source: {'; '.join(step.sources)}"] if step.sources else []
    return "\n".join(lines) + "\n"


def _bounds(name: str, step: Step) -> str:
    if step.low is None or step.high is None:
        return ""
    return f"   80 % range {written(name, step.low, step.unit)} – {written(name, step.high, step.unit)}"


def _origin(step: Step) -> str:
    parts = [part for part in (step.because, "; ".join(step.sources)) if part]
    return f"  {' · '.join(parts)}" if parts else ""
