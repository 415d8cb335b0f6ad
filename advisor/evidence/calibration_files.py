"""What calibration writes: constants and bands as knowledge, out-of-fold residuals for neighbours, and the figures as a page."""

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import yaml

from advisor.evidence.families import Family
from advisor.evidence.neighbours import neighbour_keys
from advisor.units import show

if TYPE_CHECKING:
    from advisor.evidence.calibrating import Calibration
    from advisor.evidence.serving import Cases

_WRITTEN_IN = {"second": "us", "second/token": "us/token", "second/request": "us/request"}
# A fit on one half tells how far a constant may be off; never less than this share.
LEAST_SPREAD = 0.05
TO_TENTH = 1.2816
_HEAD = """# Constants of serving speed, fitted together to the measured rows: written by `make calibrate`, not by hand.
# They are effective values, confounded with one another: none of them is a property of the hardware alone. Their ends show how
# far each may be off by itself; intervals of estimates come from the bands at the end of this file.
"""


def write_constants(found: "Calibration", path: Path) -> None:
    """Write every constant by its keys, with what keys without rows take, and the bands of measured over estimated."""
    entries: dict[str, Any] = {}
    for place, family in enumerate(found.plan.families):
        entries[family.name] = _entry(found, place, family)
    for name, (low, high) in found.bands.items():
        entries[f"{name}_band"] = {
            "meaning": f"Measured over estimated {name.replace('_', ' ')}; four of five stand between low and high.",
            "cases": [{"low": _short(np.exp(low)), "typical": 1, "high": _short(np.exp(high))}],
            "sources": [{"serving-measurements": "split-conformal on held-out groups"}],
        }
    path.write_text(_HEAD + yaml.safe_dump(entries, sort_keys=False, width=130, allow_unicode=True), encoding="utf-8")


def write_residuals(found: "Calibration", path: Path) -> None:
    """Write each row's log of estimate over measured, from a fit without its group: what neighbours correct by."""
    names = sorted(found.residuals)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["id", *names])
        for place, case in enumerate(found.cases.cases):
            values = [found.residuals[name][place] for name in names]
            writer.writerow([case.row["id"], *("" if not np.isfinite(value) else f"{value:.4f}" for value in values)])


def write_keys(cases: "Cases", path: Path) -> None:
    """Write what tells the measured rows apart, one line a row; a plan finds its nearest ones by it."""
    keys = neighbour_keys(cases)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["id", *keys])
        for place, case in enumerate(cases.cases):
            writer.writerow([case.row["id"], *(_cell(column[place]) for column in keys.values())])


def _cell(value: Any) -> str:
    return value if isinstance(value, str) else f"{value:g}"


def accuracy_table(found: "Calibration") -> str:
    """The held-out figures as a table."""
    rows = [
        "| quantity | rows | correction | mean error | median | 90 % | bias | in 80 % band | spread of the mean over splits |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for name, figures in found.figures.items():
        count = int(np.isfinite(found.cases.measured(name)).sum())
        for label, splits in (("without", figures.plain), ("by neighbours", figures.corrected)):
            table = np.array(splits)
            mean, spread = table.mean(axis=0), table[:, 0].std()
            cells = [f"{mean[0]:.1%}", f"{mean[1]:.1%}", f"{mean[2]:.1%}", f"{mean[3]:+.1%}", f"{mean[4]:.1%}", f"{spread:.1%}"]
            rows.append(f"| {name.replace('_', ' ')} | {count} | {label} | {' | '.join(cells)} |")
    return "\n".join(rows)


def write_accuracy(found: "Calibration", path: Path) -> str:
    """Write the held-out figures as a page; the table, for the terminal."""
    splits = len(next(iter(found.figures.values())).plain)
    groups = len(np.unique(found.cases.groups))
    left_out = "\n".join(f"- {count}: {reason}" for reason, count in found.cases.left_out.items())
    text = accuracy_table(found)
    path.parent.mkdir(exist_ok=True)
    path.write_text(
        "# Accuracy of serving estimates\n\n"
        f"Written by `make calibrate`: the mean over {splits} random halves of {groups} groups (source, model, accelerator);\n"
        "a group never stands on both sides. The constants that ship are fitted on all rows.\n\n"
        f"{text}\n\nRows left out of {len(found.cases.cases) + sum(found.cases.left_out.values())}:\n\n{left_out}\n",
        encoding="utf-8",
    )
    return text


def _entry(found: "Calibration", place: int, family: Family) -> dict[str, Any]:
    plan, begin = found.plan, found.plan.starts[place]
    shared = plan.common[place]
    lift = found.vector[shared] if shared is not None else 0.0
    index = plan.index[place]

    def level(centre: float, width: float, rows: int) -> dict[str, Any]:
        ends = {"low": np.exp(centre - width), "typical": np.exp(centre), "high": np.exp(centre + width)}
        return {**{end: _written(value, family.unit) for end, value in ends.items()}, "rows": rows}

    values = {}
    for position, key in enumerate(plan.keys[place]):
        rows = len(found.cases.cases) if index is None else int((index == position).sum())
        width = max(TO_TENTH * found.spread[begin + position], LEAST_SPREAD)
        values[key] = level(found.vector[begin + position] + lift, width, rows)
    entry: dict[str, Any] = {"meaning": family.meaning, "joint": True}
    if family.unit != "1":
        entry["unit"] = family.unit
    entry["by"] = list(family.by)
    entry["values"] = values
    entry["otherwise"] = level(np.log(family.typical) + lift, TO_TENTH * float(np.hypot(family.spread, 0.1)), 0)
    entry["sources"] = [{"serving-measurements": "fit of serving speed"}]
    return entry


def _written(value: float, unit: str) -> Any:
    return show(value, _WRITTEN_IN[unit], digits=4).replace(",", "") if unit in _WRITTEN_IN else _short(value)


def _short(value: float) -> float:
    return float(f"{value:.4g}")
