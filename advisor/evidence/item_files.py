"""What the calibration of item speed writes: constants and bands as knowledge, and the figures as a page."""

from pathlib import Path
from typing import Any

import numpy as np
import yaml

from advisor.evidence.item_calibration import Fitted, ItemCalibration
from advisor.units import show

_HEAD = """# Speed of models that process items, fitted to item_throughput.csv: written by `make calibrate`, not by hand.
# Keys are the kind of kernels and the runtime. Share and overhead were fitted together and confound each other; the interval
# of an estimate comes from item_speed_factor, between whose ends four of five rows stand.
"""
_SOURCE = {"item-measurements": "fit of item speed"}
_BY = ["item_kind", "item_runtime"]


def write_item_constants(found: ItemCalibration, path: Path) -> None:
    """Write share, overhead and band of every key, with what keys without rows take."""
    shares, overheads, bands = {}, {}, {}
    for key, fitted in found.fitted.items():
        rows, band = int((found.rows.key == key).sum()), found.bands[key]
        shares[key] = {**_share(fitted, band), "rows": rows}
        overheads[key] = {**_overhead(fitted, band), "rows": rows}
        bands[key] = {**_band(band), "rows": rows}
    entries: dict[str, Any] = {
        "item_compute_share": {
            "meaning": "Share of dense peak that the arithmetic of such models reaches at 16 bit.",
            "joint": True,
            "by": list(_BY),
            "values": shares,
            "otherwise": _share(found.pooled, found.pooled_band),
            "sources": [dict(_SOURCE)],
        },
        "item_step_overhead": {
            "unit": "second",
            "meaning": "Time of one launch of the model, whatever its batch; of a layer and a token for speech decoders.",
            "joint": True,
            "by": list(_BY),
            "values": overheads,
            "otherwise": _overhead(found.pooled, found.pooled_band),
            "sources": [dict(_SOURCE)],
        },
        "item_speed_factor": {
            "meaning": "Measured over estimated items per second; four of five rows stand between low and high.",
            "by": list(_BY),
            "values": bands,
            "otherwise": _band(found.pooled_band),
            "sources": [dict(_SOURCE)],
        },
    }
    path.write_text(_HEAD + yaml.safe_dump(entries, sort_keys=False, width=130, allow_unicode=True), encoding="utf-8")


def write_item_accuracy(found: ItemCalibration, path: Path) -> str:
    """Write the figures as a page; the table, for the terminal."""
    table = _table(found)
    sources = sorted(set(found.rows.source.tolist()))
    path.parent.mkdir(exist_ok=True)
    path.write_text(
        "# Accuracy of item speed\n\n"
        f"Written by `make calibrate`: {len(found.rows.rate)} published rows from {len(sources)} sources, in\n"
        "`knowledge/measurements/item_throughput.csv`. An error is estimate over measured rate, less one. Left out: each\n"
        "source in turn, estimated from the rest of its kind and runtime, or from all other kinds where it is the only one.\n"
        "The band holds four of five rows estimated without their source and accelerator; kinds with fewer than nine rows or\n"
        "with one source take that of all rows whose source was left out. In band: rows estimated without their source and\n"
        "accelerator, and in the last column without any row of their source.\n\n"
        f"{table}\n\n"
        "What the two constants do not tell apart: depthwise convolutions (EfficientNet, MobileNet) reach a quarter of what\n"
        "other convolutions do; consumer cards with 16-bit accumulation pass the stated peak; libraries differ by three times\n"
        "at the same batch; runs at 32 bit have their own peak. Rerankers have one row, among the text encoders.\n",
        encoding="utf-8",
    )
    return table


def _table(found: ItemCalibration) -> str:
    lines = [
        "| kind / runtime | rows | sources | share of peak | overhead | median error | left-out median | left-out bias | band "
        "| in band | source left out |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    every = np.ones(len(found.rows.rate), dtype=bool)
    within = {name: np.zeros(len(found.rows.rate), dtype=bool) for name in ("place", "source")}
    for key, fitted in found.fitted.items():
        mine = found.rows.key == key
        low, high = found.bands[key]
        for name, logs in (("place", found.without_place), ("source", found.without_source)):
            within[name][mine] = (logs[mine] >= low) & (logs[mine] <= high)
        cells = (
            key,
            str(int(mine.sum())),
            str(len(set(found.rows.source[mine].tolist()))),
            f"{fitted.share:.1%}",
            show(fitted.overhead, "ms"),
            *_errors(found, mine),
            f"{np.exp(low):.2f} to {np.exp(high):.2f}",
            *(f"{each[mine].mean():.0%}" for each in within.values()),
        )
        lines.append(f"| {' | '.join(cells)} |")
    shares = [f"{each.mean():.0%}" for each in within.values()]
    total = ("all", str(len(every)), str(len(set(found.rows.source.tolist()))), "", "", *_errors(found, every), "")
    return "\n".join([*lines, f"| {' | '.join([*total, *shares])} |"])


def _errors(found: ItemCalibration, chosen: Any) -> tuple[str, str, str]:
    inside, outside = (np.expm1(-logs[chosen]) for logs in (found.inside, found.without_source))
    return f"{np.median(np.abs(inside)):.1%}", f"{np.median(np.abs(outside)):.1%}", f"{np.median(outside):+.1%}"


def _share(fitted: Fitted, band: tuple[float, float]) -> dict[str, float]:
    low, high = (min(1.0, fitted.share * float(np.exp(end))) for end in band)
    return {"low": _short(min(low, fitted.share)), "typical": _short(fitted.share), "high": _short(max(high, fitted.share))}


def _overhead(fitted: Fitted, band: tuple[float, float]) -> dict[str, str]:
    low, high = sorted((fitted.overhead * float(np.exp(-band[1])), fitted.overhead * float(np.exp(-band[0]))))
    ends = {"low": min(low, fitted.overhead), "typical": fitted.overhead, "high": max(high, fitted.overhead)}
    return {name: f"{value * 1e3:.3g} ms" for name, value in ends.items()}


def _band(band: tuple[float, float]) -> dict[str, float]:
    low, high = np.exp(band)
    return {"low": _short(min(float(low), 1.0)), "typical": 1.0, "high": _short(max(float(high), 1.0))}


def _short(value: float) -> float:
    return float(f"{value:.3g}")
