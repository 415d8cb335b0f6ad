"""`advisor validate`: estimates against measured cases."""

from pathlib import Path

import click

from advisor.cli.options import emit, json_option, knowledge_option, output_option
from advisor.evidence.scores import Metric, Starts, Validation


@click.group()
def validate() -> None:
    """Compare estimates with measured cases: error, bias, coverage of the 80 % intervals, and the worst rows.

    \b
    Example: advisor validate memory inference_memory.csv --json
    """


@validate.command()
@click.argument("csv", type=click.Path(path_type=Path))
@json_option
@knowledge_option
@output_option
def memory(csv: Path, as_json: bool, knowledge: Path | None, output: Path | None) -> None:
    """Weights, room for the cache, cache tokens and starts against a table of start-up logs.

    \b
    Example: advisor validate memory inference_memory.csv
    """
    from advisor.evidence.memory import validate_memory
    from advisor.library import open_library

    made = validate_memory(open_library(knowledge), csv)
    emit(made.model_dump_json(indent=2) if as_json else validation_text(made), output)


def validation_text(validation: Validation) -> str:
    """A validation as lines for a terminal."""
    lines = [f"{validation.kind}: {validation.evaluated} of {validation.rows} rows evaluated"]
    lines += [f"  left out: {count} ({reason})" for reason, count in validation.left_out.items()]
    lines.append(f"{'':24}{'rows':>6}{'mean':>9}{'median':>9}{'90 %':>9}{'bias':>9}{'in 80 %':>9}")
    for name, figures in validation.metrics.items():
        if isinstance(figures, Starts):
            failures = f"{figures.failures} failures, {figures.called} called"
            lines.append(f"{name:24}{failures}; {figures.started} started, {figures.refused} refused")
        else:
            lines.append(f"{name:24}{figures.n:>6}{''.join(_share(value) for value in _figures(figures))}")
    lines.append("worst rows:")
    lines += [
        f"  {each.row:10}{each.metric:22}{each.error:>+8.1%}   estimated {each.estimated:.4g}, measured {each.measured:.4g}"
        for each in validation.worst
    ]
    return "\n".join(lines)


def _figures(figures: Metric) -> tuple[float | None, ...]:
    return figures.mape, figures.median, figures.p90, figures.bias, figures.coverage_80


def _share(value: float | None) -> str:
    return f"{'–':>9}" if value is None else f"{value:>9.1%}"
