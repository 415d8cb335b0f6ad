"""What calibrating training memory writes: constants and the band as knowledge, and the held-out figures as a page."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import yaml

from advisor.evidence.calibration_files import LEAST_SPREAD, TO_TENTH
from advisor.evidence.families import Family
from advisor.units import show

if TYPE_CHECKING:
    from advisor.evidence.calibrating_training_memory import TrainingMemoryCalibration

_HEAD = """# Constants of training memory, fitted together to measured peaks: written by `make calibrate`, not by hand.
# Their ends show how far each may be off by itself; the interval of a peak comes from the band at the end of this file.
"""
_MEASURED = "training-memory-measurements"


def write_training_constants(found: "TrainingMemoryCalibration", path: Path) -> None:
    """Write every constant by its keys, with what keys without rows take, and the band of measured over estimated."""
    entries: dict[str, Any] = {family.name: _entry(found, place, family) for place, family in enumerate(found.plan.families)}
    low, high = found.band
    entries["training_memory_band"] = {
        "meaning": "Measured over estimated peak of training memory; four of five stand between low and high.",
        "cases": [{"low": _short(np.exp(low)), "typical": 1, "high": _short(np.exp(high)), "rows": found.rows}],
        "sources": [{_MEASURED: "split-conformal on held-out groups"}],
    }
    path.write_text(_HEAD + yaml.safe_dump(entries, sort_keys=False, width=130, allow_unicode=True), encoding="utf-8")


def accuracy_lines(found: "TrainingMemoryCalibration") -> str:
    """The held-out figures as a table, a row for each figure with its mean and its spread over the splits."""
    table = np.array([split.figures for split in found.splits])
    names = ("mean error", "median error", "90 % of errors below", "bias", "in the 80 % band")
    mean, spread, least, most = table.mean(axis=0), table.std(axis=0), table.min(axis=0), table.max(axis=0)
    rows = ["| figure | mean of the splits | spread | least | most |", "|---|---|---|---|---|"]
    for place, name in enumerate(names):
        cells = (mean[place], spread[place], least[place], most[place])
        rows.append(f"| {name} | {' | '.join(f'{cell:.1%}' for cell in cells)} |")
    ended, called, worked, refused = (sum(split.calls[place] for split in found.splits) for place in range(4))
    rows.append(f"| out-of-memory runs called | {called / max(ended, 1):.1%} | | | |")
    rows.append(f"| runs that worked, refused | {refused / max(worked, 1):.1%} | | | |")
    return "\n".join(rows)


def write_training_accuracy(found: "TrainingMemoryCalibration", path: Path) -> str:
    """Write the held-out figures as a page; the table, for the terminal."""
    text = accuracy_lines(found)
    left_out = "\n".join(f"- {count}: {reason}" for reason, count in found.cases.left_out.items())
    groups = len(np.unique(found.cases.groups))
    path.parent.mkdir(exist_ok=True)
    path.write_text(
        "# Accuracy of training memory\n\n"
        f"Written by `make calibrate`: {len(found.splits)} random halves of {groups} groups (source and model), a group never\n"
        "on both sides. Constants are fitted on one half and judged on the other; the band comes from residuals of the first\n"
        "half, each from a fit without its group, rows of large groups counting less. The constants that ship\n"
        "are fitted on all rows.\n\n"
        f"{text}\n\n"
        f"The band that ships: four of five measured peaks stand between {np.exp(found.band[0]):.2f} and "
        f"{np.exp(found.band[1]):.2f} times\nthe estimate.\n\n"
        f"{len(found.cases.cases)} rows, and those left out:\n\n{left_out}\n",
        encoding="utf-8",
    )
    return text


def _entry(found: "TrainingMemoryCalibration", place: int, family: Family) -> dict[str, Any]:
    plan, begin, index = found.plan, found.plan.starts[place], found.plan.index[place]

    def level(centre: float, width: float, rows: int) -> dict[str, Any]:
        ends = {"low": np.exp(centre - width), "typical": np.exp(centre), "high": np.exp(centre + width)}
        return {**{end: _written(float(value), family.unit) for end, value in ends.items()}, "rows": rows}

    fitted = {}
    for position, key in enumerate(plan.keys[place]):
        rows = len(found.cases.cases) if index is None else int((index == position).sum())
        width = max(TO_TENTH * float(found.spread[begin + position]), LEAST_SPREAD)
        fitted[key] = level(float(found.vector[begin + position]), width, rows)
    unseen = TO_TENTH * float(np.hypot(family.spread, 0.1))
    values = {key: level(float(np.log(value)), unseen, 0) for key, value in family.by_key.items() if key not in fitted}
    entry: dict[str, Any] = {"meaning": family.meaning, "joint": True}
    if family.unit != "1":
        entry["unit"] = family.unit
    entry["by"] = list(family.by)
    entry["values"] = {**fitted, **values}
    entry["otherwise"] = level(float(np.log(family.typical)), unseen, 0)
    entry["sources"] = [{_MEASURED: "fit of training memory"}]
    return entry


def _written(value: float, unit: str) -> Any:
    return show(value, "MB", digits=4).replace(",", "") if unit == "byte" else _short(value)


def _short(value: float) -> float:
    return float(f"{value:.4g}")
