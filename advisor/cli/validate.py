"""`advisor validate`: estimates against measured cases."""

from pathlib import Path

import click

from advisor.cli.options import emit, json_option, knowledge_option, output_option
from advisor.evidence.scores import Metric, Starts, Validation

_HEADING = f"{'':24}{'rows':>6}{'mean':>9}{'median':>9}{'90 %':>9}{'bias':>9}{'in 80 %':>9}"


@click.group()
def validate() -> None:
    """Compare estimates with measured cases: error, bias, coverage of the 80 % intervals, and the worst rows.

    \b
    Example: advisor validate serving inference_performance.csv --json
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


@validate.command()
@click.argument("csv", type=click.Path(path_type=Path))
@click.option("--neighbours", is_flag=True, help="Correct each estimate by the shipped measured rows near it.")
@json_option
@knowledge_option
@output_option
def serving(csv: Path, neighbours: bool, as_json: bool, knowledge: Path | None, output: Path | None) -> None:
    """Times and rates against a table of measured serving speed: in all, by engine, accelerator and model family.

    \b
    Example: advisor validate serving inference_performance.csv
    """
    from advisor.evidence.serving_validation import validate_serving
    from advisor.library import open_library

    made = validate_serving(open_library(knowledge), csv, neighbours=neighbours)
    emit(made.model_dump_json(indent=2) if as_json else validation_text(made), output)


@validate.command()
@click.argument("csv", type=click.Path(path_type=Path))
@click.option("--neighbours", is_flag=True, help="Correct each estimate by the shipped measured rows near it.")
@json_option
@knowledge_option
@output_option
def training(csv: Path, neighbours: bool, as_json: bool, knowledge: Path | None, output: Path | None) -> None:
    """Tokens per second against a table of measured training speed: dense models, and models with experts.

    Rows that ship with the advisor are estimated by constants that never saw their source and model, twenty times over.

    \b
    Example: advisor validate training training_performance.csv
    """
    from advisor.evidence.training_validation import validate_training
    from advisor.library import open_library

    made = validate_training(open_library(knowledge), csv, neighbours=neighbours)
    emit(made.model_dump_json(indent=2) if as_json else validation_text(made), output)


def validation_text(validation: Validation) -> str:
    """A validation as lines for a terminal."""
    lines = [f"{validation.kind}: {validation.evaluated} of {validation.rows} rows evaluated"]
    lines += [f"  left out: {count} ({reason})" for reason, count in validation.left_out.items()]
    lines += [f"  note: {note}" for note in validation.notes]
    lines.append(_HEADING)
    for name, figures in validation.metrics.items():
        if isinstance(figures, Starts):
            failures = f"{figures.failures} failures, {figures.called} called"
            lines.append(f"{name:24}{failures}; {figures.started} started, {figures.refused} refused")
        else:
            lines.append(_line(name, figures))
    for part, of in validation.by.items():
        lines.append(f"by {part.replace('_', ' ')}:")
        for key, metrics in of.items():
            lines.append(f"  {key}")
            lines += [_line(f"    {name}", figures) for name, figures in metrics.items()]
    lines.append("worst rows:")
    lines += [
        f"  {each.row:13} {each.metric:20}{each.error:>+8.1%}   estimated {each.estimated:.4g}, measured {each.measured:.4g}"
        for each in validation.worst
    ]
    return "\n".join(lines)


def _line(name: str, figures: Metric) -> str:
    return f"{name:24}{figures.n:>6}{''.join(_share(value) for value in _figures(figures))}"


def _figures(figures: Metric) -> tuple[float | None, ...]:
    return figures.mape, figures.median, figures.p90, figures.bias, figures.coverage_80


def _share(value: float | None) -> str:
    return f"{'–':>9}" if value is None else f"{value:>9.1%}"
