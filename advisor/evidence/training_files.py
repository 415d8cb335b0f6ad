"""What calibrating training speed writes: constants and bands as knowledge, the splits' constants, residuals, and a page."""

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import yaml

from advisor.evidence.calibration_files import LEAST_SPREAD, TO_TENTH
from advisor.evidence.families import Family
from advisor.evidence.fitting import Layout
from advisor.evidence.gauss_newton import Array
from advisor.evidence.table import read_table
from advisor.evidence.training_speed import EXPERTS, METRICS
from advisor.units import show

if TYPE_CHECKING:
    from advisor.evidence.training_calibrating import TrainingCalibration
    from advisor.evidence.training_splits import Band, Split

BAND = "training_tokens_per_second_band"
_FIT = "fit of training speed"
_WRITTEN_IN = {"second": "us", "byte": "B", "FLOP": "FLOP"}
_HEAD = """# Constants of training speed, fitted together to the measured rows: written by `make calibrate`, not by hand.
# They are effective values, confounded with one another: none of them is a property of the hardware alone. Keys with no rows
# stand where an earlier fit on more rows put them, with wide ends. Intervals of estimates come from the bands at the end.
"""


def write_speed_constants(found: "TrainingCalibration", path: Path) -> None:
    """Write every constant by its keys, with what keys without rows take, and the bands of measured over estimated."""
    spread = np.std([split.vector for split in found.splits], axis=0)
    entries: dict[str, Any] = {
        family.name: _entry(found, place, family, spread) for place, family in enumerate(found.plan.families)
    }
    entries[BAND] = {
        "meaning": "Measured over estimated tokens per second; four of five stand between low and high.",
        "cases": [
            {"when": ['model_class == "moe"'], **_ends(found.bands[EXPERTS])},
            _ends(next(band for name, band in found.bands.items() if name != EXPERTS)),
        ],
        "sources": [{"training-measurements": "split-conformal on held-out groups"}],
    }
    path.write_text(_HEAD + yaml.safe_dump(entries, sort_keys=False, width=130, allow_unicode=True), encoding="utf-8")


def write_residuals(found: "TrainingCalibration", path: Path) -> None:
    """Write each row's log of estimate over measured, from a fit without its group, beside what tells it from others."""
    from advisor.evidence.training_neighbours import FILE_COLUMNS, keys_of

    keys = keys_of(found.cases)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, FILE_COLUMNS, lineterminator="\n")
        writer.writeheader()
        for place, case in enumerate(found.cases.cases):
            own = {
                name: column[place] if isinstance(column[place], str) else f"{column[place]:.6g}" for name, column in keys.items()
            }
            known = {"id": case.row["id"], "source": case.row["source"], "measured": f"{found.cases.measured[place]:.6g}"}
            writer.writerow({**own, **known, "log_error": f"{found.outside[place]:.4f}"})


def write_splits(found: "TrainingCalibration", path: Path) -> None:
    """Write the constants (as logarithms) and bands that each split's trained half gave."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["split", "name", "key", "value"])
        for number, split in enumerate(found.splits):
            for name, key, place in _names(found.plan):
                writer.writerow([number, name, key, f"{split.vector[place]:.6f}"])
            for name, (low, high) in split.bands.items():
                writer.writerow([number, BAND, f"{name}/low", f"{low:.6f}"])
                writer.writerow([number, BAND, f"{name}/high", f"{high:.6f}"])


def read_splits(path: Path, plan: Layout) -> tuple[tuple[Array, Mapping[str, "Band"]], ...]:
    """The constants' vector and the bands of every split, as `write_splits` wrote them."""
    values: dict[int, dict[tuple[str, str], float]] = {}
    for row in read_table(path, ("split", "name", "key", "value")):
        values.setdefault(int(row["split"]), {})[row["name"], row["key"]] = float(row["value"])
    found: list[tuple[Array, Mapping[str, Band]]] = []
    for number in sorted(values):
        of = values[number]
        vector = plan.centre.copy()
        for name, key, place in _names(plan):
            vector[place] = of.get((name, key), vector[place])
        bands = {name: (of[BAND, f"{name}/low"], of[BAND, f"{name}/high"]) for name in METRICS}
        found.append((vector, bands))
    return tuple(found)


def split_figures(found: "TrainingCalibration", split: "Split", name: str) -> tuple[float, ...]:
    """Mean, median and ninetieth percentile of the error, bias and coverage of one split's left-out rows of a metric."""
    held = split.held_out & (found.cases.metrics == name)
    ratio = found.cases.measured[held] / split.estimated[held]
    errors = 1 / ratio - 1
    sizes = np.abs(errors)
    low, high = split.bands[name]
    covered = float(np.mean((ratio >= low) & (ratio <= high)))
    return float(sizes.mean()), float(np.median(sizes)), float(np.quantile(sizes, 0.9)), float(errors.mean()), covered


def write_training_accuracy(found: "TrainingCalibration", path: Path) -> str:
    """Write the held-out figures as a page; the table, for the terminal."""
    lines = [
        "| metric | rows | mean error | median | 90 % | bias | in 80 % band | spread of the mean | spread of the share in band |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for name in METRICS:
        table = np.array([split_figures(found, split, name) for split in found.splits])
        mean, spread = table.mean(axis=0), table.std(axis=0)
        cells = [f"{mean[0]:.1%}", f"{mean[1]:.1%}", f"{mean[2]:.1%}", f"{mean[3]:+.1%}", f"{mean[4]:.1%}"]
        count = int((found.cases.metrics == name).sum())
        lines.append(f"| {name} | {count} | {' | '.join(cells)} | {spread[0]:.1%} | {spread[4]:.1%} |")
    text = "\n".join(lines)
    groups = len(np.unique(found.cases.groups))
    left_out = "\n".join(f"- {count}: {reason}" for reason, count in found.cases.left_out.items())
    path.parent.mkdir(exist_ok=True)
    path.write_text(
        "# Accuracy of training speed\n\n"
        f"Written by `make calibrate`: the mean over {len(found.splits)} random halves of {groups} groups (source, model); a\n"
        "group never stands on both sides. Tokens per second of one accelerator, dense models and those with experts apart.\n"
        "The constants that ship are fitted on all rows.\n\n"
        f"{text}\n\nRows left out of {len(found.cases) + sum(found.cases.left_out.values())}:\n\n{left_out}\n",
        encoding="utf-8",
    )
    return text


def _names(plan: Layout) -> list[tuple[str, str, int]]:
    return [
        (family.name, key, start + position)
        for family, start, keys in zip(plan.families, plan.starts, plan.keys, strict=True)
        for position, key in enumerate(keys)
    ]


def _entry(found: "TrainingCalibration", place: int, family: Family, spread: Array) -> dict[str, Any]:
    plan, begin, index = found.plan, found.plan.starts[place], found.plan.index[place]

    def level(centre: float, width: float, rows: int) -> dict[str, Any]:
        ends = {"low": np.exp(centre - width), "typical": np.exp(centre), "high": np.exp(centre + width)}
        return {**{end: _written(value, family.unit) for end, value in ends.items()}, "rows": rows}

    values = {}
    for position, key in enumerate(plan.keys[place]):
        rows = len(found.cases) if index is None else int((index == position).sum())
        values[key] = level(found.vector[begin + position], max(TO_TENTH * spread[begin + position], LEAST_SPREAD), rows)
    wide = TO_TENTH * float(np.hypot(family.spread, 0.1))
    for key, centre in family.by_key.items():
        if key not in values:
            values[key] = level(float(np.log(centre)), wide, 0)
    entry: dict[str, Any] = {"meaning": family.meaning, "joint": True}
    if family.unit != "1":
        entry["unit"] = family.unit
    entry["by"] = list(family.by)
    entry["values"] = dict(sorted(values.items()))
    entry["otherwise"] = level(float(np.log(family.typical)), wide, 0)
    entry["sources"] = [{"training-measurements": _FIT}]
    return entry


def _ends(band: "Band") -> dict[str, float]:
    low, high = band
    return {"low": _short(low), "typical": 1, "high": _short(high)}


def _written(value: float, unit: str) -> Any:
    return show(value, _WRITTEN_IN[unit], digits=4).replace(",", "") if unit in _WRITTEN_IN else _short(value)


def _short(value: float) -> float:
    return float(f"{value:.4g}")
