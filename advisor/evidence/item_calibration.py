"""Calibrating the speed of models that process items: two constants for each kind of kernels and runtime, and their band.

`make calibrate` runs this and writes knowledge/efficiencies/items.yaml, the constants and bands that ship, and
docs/accuracy-items.md, the figures. Rows are few, so nothing is held back for good: errors and bands come from fits that leave
one source at a time out; a kind that only one source measured takes what all other kinds say of it.
"""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from advisor.catalogue.accelerator import Accelerator
from advisor.catalogue.efficiency import Efficiency
from advisor.catalogue.model import Model
from advisor.errors import DocumentError
from advisor.evidence.calibrating import conformal_band
from advisor.evidence.fitting import taken
from advisor.evidence.gauss_newton import Array
from advisor.evidence.table import Row, number_in, read_table
from advisor.library import Library, open_library
from advisor.sizing.formula import formulas
from advisor.sizing.inference.item_facts import item_facts
from advisor.sizing.serving.classes import peak_compute
from advisor.units import parse

COLUMNS = ("id", "source", "model", "accelerator", "item_kind", "item_runtime", "precision", "batch", "rate")
FILE = Path("measurements") / "item_throughput.csv"
SHARES = np.geomspace(0.005, 1.0, 160)
OVERHEADS = np.geomspace(1e-5, 0.1, 81)
DECODER = "speech-decoder"
# Errors beyond this (on a logarithmic scale) count by their size, smaller ones by its square.
LOSS_SCALE = 0.3
# Rows from which a tenth can be told at either end.
ENOUGH = 9


@dataclass(frozen=True)
class Rows:
    """The measured rows as columns of facts; `key` is item_kind/item_runtime, `rate` in items per second."""

    rows: tuple[Row, ...]
    columns: Mapping[str, Any]
    source: NDArray[np.str_]
    key: NDArray[np.str_]
    rate: Array

    def where(self, chosen: NDArray[np.bool_]) -> "Rows":
        """The chosen rows."""
        rows = tuple(row for row, kept in zip(self.rows, chosen.tolist(), strict=True) if kept)
        return Rows(rows, taken(self.columns, chosen), self.source[chosen], self.key[chosen], self.rate[chosen])


@dataclass(frozen=True)
class Fitted:
    """Share of peak and overhead of a step, for one key or for all keys together."""

    share: float
    overhead: float


@dataclass(frozen=True)
class ItemCalibration:
    """What ships, with the logs of measured over estimated: of the fit itself, and of fits without the row's place or source.

    A place is a source and an accelerator.
    """

    rows: Rows
    fitted: Mapping[str, Fitted]
    pooled: Fitted
    bands: Mapping[str, tuple[float, float]]
    pooled_band: tuple[float, float]
    inside: Array
    without_place: Array
    without_source: Array


def read_items(library: Library, path: Path) -> Rows:
    """The measured rows. Raises DocumentError for a row whose work or peak is not to be had."""
    rows = read_table(path, COLUMNS)
    tokens = library.get(Efficiency, "audio_tokens_per_second").cases[0].typical
    found = [_facts(library, row, tokens, f"{path}, row {row['id']}") for row in rows]
    columns = {name: np.array([facts[name] for facts in found]) for name in found[0]}
    key = np.array([f"{facts['item_kind']}/{facts['item_runtime']}" for facts in found])
    return Rows(rows, columns, np.array([row["source"] for row in rows]), key, np.array([float(row["rate"]) for row in rows]))


def _facts(library: Library, row: Row, audio_tokens: float, place: str) -> dict[str, Any]:
    known = library.has(Model, row["model"])
    facts = item_facts(library.get(Model, row["model"])) if known else {}
    if known and facts["item_kind"] != row["item_kind"]:
        raise DocumentError(f"it says {row['item_kind']}, and the model is {facts['item_kind']}", where=place)
    stated = number_in(row, "work")
    if stated is None and not known:
        raise DocumentError(f'no model has the id "{row["model"]}", and no work is stated', where=place)
    steps = number_in(row, "denoising_steps") or 1.0
    work = {
        **facts,
        "image_scale": 1.0,
        "tokens_per_item": number_in(row, "tokens_per_item") or 0.0,
        "denoising_steps": steps,
        "guidance_passes": number_in(row, "guidance_passes") or 1.0,
        "audio_tokens_per_second": audio_tokens,
        "latent_tokens": 0.0,
    }
    item_work = stated * 1e9 if stated is not None else float(formulas().evaluate(["item_work"], work)["item_work"])
    return {
        "item_kind": row["item_kind"],
        "item_runtime": row["item_runtime"],
        "item_unit": {"diffusion": "generation", DECODER: "audio", "speech-encoder": "audio"}.get(row["item_kind"], "other"),
        "item_work": item_work,
        "item_batch": float(row["batch"]),
        "item_group": number_in(row, "item_group") or 1.0,
        "denoising_steps": steps,
        "decoder_layers": float(facts.get("decoder_layers", 0.0)),
        "audio_tokens_per_second": audio_tokens,
        "peak_item_compute": _peak(library, row, place),
    }


def _peak(library: Library, row: Row, place: str) -> float:
    if row.get("peak"):
        return parse(row["peak"], "FLOP/second", field=place)
    rate = peak_compute(library.get(Accelerator, row["accelerator"]), row["precision"])
    if rate is None:
        raise DocumentError(f"{row['accelerator']} has no rate for {row['precision']}", where=place)
    return rate


def estimated(columns: Mapping[str, Any], share: Any, overhead: Any) -> Array:
    """Items per second by the formulas, with these constants."""
    facts = {**columns, "item_compute_share": share, "item_step_overhead": overhead, "item_speed_factor": 1.0}
    return np.asarray(formulas().evaluate(["items_per_second"], facts)["items_per_second"], dtype=float)


def tells_overhead(rows: Rows) -> bool:
    """Whether some model ran in batches of several sizes at one place; otherwise overhead and share cannot be told apart."""
    places: dict[tuple[str, ...], set[str]] = {}
    for row in rows.rows:
        places.setdefault((row["source"], row["model"], row["accelerator"]), set()).add(row["batch"])
    return any(len(batches) > 1 for batches in places.values())


def fit_key(rows: Rows, overhead: float | None = None) -> Fitted:
    """Share, and overhead where it is not given, of the least error on a logarithmic scale; a source counts by its rows' root."""
    shares, overheads = (
        grid.ravel() for grid in np.meshgrid(SHARES, OVERHEADS if overhead is None else np.array([overhead]), indexing="ij")
    )
    size = len(rows.rate)
    flat = {name: np.repeat(np.asarray(column), len(shares)) for name, column in rows.columns.items()}
    rate = estimated(flat, np.tile(shares, size), np.tile(overheads, size)).reshape(size, len(shares))
    _, inverse, counts = np.unique(rows.source, return_inverse=True, return_counts=True)
    errors = np.log(rows.rate[:, None] / rate) / LOSS_SCALE
    loss = (counts[inverse][:, None] ** -0.5 * (np.sqrt(1 + errors**2) - 1)).sum(axis=0)
    best = int(np.argmin(loss))
    return Fitted(float(shares[best]), float(overheads[best]))


def pooled(fitted: Mapping[str, Fitted], key: str) -> Fitted:
    """What a key takes from the others: the middle share, and the middle overhead of its runtime.

    A decoder's overhead is that of a layer and a token; it says nothing of the others', nor they of it.
    """
    kind, runtime = key.split("/")
    others = {name: each for name, each in fitted.items() if name != key and (name.split("/")[0] == DECODER) == (kind == DECODER)}
    near = {name: each for name, each in others.items() if name.endswith(f"/{runtime}")} or others or fitted
    return Fitted(
        _middle([each.share for each in (others or fitted).values()]), _middle([each.overhead for each in near.values()])
    )


def calibrate_items(rows: Rows) -> ItemCalibration:
    """Fit every key, judge by leaving parts out, and set the bands; deterministic."""
    keys = sorted(set(rows.key.tolist()))
    parts = {key: rows.where(rows.key == key) for key in keys}
    telling = {key: fit_key(part) for key, part in parts.items() if tells_overhead(part)}
    prior = {key: pooled(telling, key) for key in keys}
    fitted = {key: telling.get(key) or fit_key(parts[key], prior[key].overhead) for key in keys}
    elsewhere = {key: pooled(fitted, key) for key in keys}
    places = np.array([f"{row['source']}/{row['accelerator']}" for row in rows.rows])
    without_place = np.full(len(rows.rate), np.nan)
    without_source = np.full(len(rows.rate), np.nan)
    for key in keys:
        for left_out, into in ((places, without_place), (rows.source, without_source)):
            for part in sorted(set(left_out[rows.key == key].tolist())):
                held = (rows.key == key) & (left_out == part)
                kept = (rows.key == key) & (left_out != part)
                into[held] = _log(rows.where(held), _without(rows.where(kept), prior[key], elsewhere[key]))
    spread = {key: _spread(rows, key, without_place, without_source) for key in keys}
    other = conformal_band(np.concatenate([_log(parts[key], elsewhere[key]) for key in keys]))
    return ItemCalibration(
        rows,
        fitted,
        Fitted(_middle([each.share for each in fitted.values()]), _middle([each.overhead for each in telling.values()])),
        {key: conformal_band(spread[key]) for key in keys},
        other,
        _inside(rows, fitted),
        without_place,
        without_source,
    )


def _spread(rows: Rows, key: str, without_place: Array, without_source: Array) -> Array:
    """The residuals that a key's band is made from: its own, or where they are few or of one source, those of its like."""
    mine = rows.key == key
    if mine.sum() >= ENOUGH and len(set(rows.source[mine].tolist())) > 1:
        return np.asarray(without_place[mine], dtype=float)
    decoder = np.char.startswith(rows.key, DECODER)
    like = decoder if key.startswith(DECODER) else ~decoder
    shared = [each for each in sorted(set(rows.key[like].tolist())) if len(set(rows.source[rows.key == each].tolist())) > 1]
    return np.asarray(without_source[np.isin(rows.key, shared)], dtype=float)


def _without(kept: Rows, prior: Fitted, elsewhere: Fitted) -> Fitted:
    if not len(kept.rate):
        return elsewhere
    return fit_key(kept, None if tells_overhead(kept) else prior.overhead)


def _inside(rows: Rows, fitted: Mapping[str, Fitted]) -> Array:
    found = np.full(len(rows.rate), np.nan)
    for key, each in fitted.items():
        found[rows.key == key] = _log(rows.where(rows.key == key), each)
    return found


def _log(rows: Rows, fitted: Fitted) -> Array:
    return np.asarray(np.log(rows.rate / estimated(rows.columns, fitted.share, fitted.overhead)), dtype=float)


def _middle(values: list[float]) -> float:
    return float(np.exp(np.median(np.log(values))))


def main() -> None:
    """Calibrate, write what ships, and print the figures."""
    from advisor.evidence.item_files import write_item_accuracy, write_item_constants

    root = Path(__file__).resolve().parents[2]
    found = calibrate_items(read_items(open_library(), root / "knowledge" / FILE))
    write_item_constants(found, root / "knowledge" / "efficiencies" / "items.yaml")
    sys.stdout.write(write_item_accuracy(found, root / "docs" / "accuracy-items.md") + "\n")


if __name__ == "__main__":
    main()
