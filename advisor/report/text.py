"""A plan, and the tree of one of its numbers, drawn for a terminal by rich."""

from io import StringIO

from advisor.plan.explaining import tree
from advisor.plan.plan import Plan, WorkloadPlan
from advisor.report.sections import Layout, Table, made_with, sections
from advisor.report.words import called, written
from advisor.units import show_base


def plan_text(plan: Plan, *, width: int = 100, notes: bool = False, facts: bool = False, colour: bool = False) -> str:
    """The plan as text `width` columns wide; notes and all limits where asked for."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table as RichTable

    console = Console(width=width, no_color=not colour, force_terminal=colour, highlight=False, file=StringIO(), record=True)
    console.print(f"[bold]{escape(plan.name)}[/bold]")
    for section in sections(plan, Layout(notes=notes, facts=facts)):
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
    console.print(f"[dim]{escape(made_with(plan))}[/dim]")
    console.print('[dim]why any number: advisor explain FILE "KV cache"[/dim]')
    return console.export_text(styles=colour)


def tree_text(workload: WorkloadPlan, quantity: str) -> str:
    """A quantity with its equation, the numbers put in, and everything it was made from."""
    lines: list[str] = []
    for depth, name, step, repeated in tree(workload, quantity):
        pad = "  " * depth
        bounds = ""
        if step.low is not None and step.high is not None:
            bounds = f"   80 % range {show_base(step.low, step.unit)} – {show_base(step.high, step.unit)}"
        lines.append(f"{pad}{called(name)}  {written(name, step.value, step.unit)}{bounds}   [{step.label.value}]")
        if repeated:
            if step.inputs:
                lines.append(f"{pad}  (shown above)")
            continue
        if step.equation:
            lines.append(f"{pad}  = {step.equation}")
        if step.filled and step.filled != step.equation:
            lines.append(f"{pad}  = {step.filled}")
        if step.applies:
            lines.append(f"{pad}  counted so where {step.applies}")
        if step.because:
            lines.append(f"{pad}  {step.because}")
        if step.sources:
            lines.append(f"{pad}  source: {'; '.join(step.sources)}")
    return "\n".join(lines) + "\n"
