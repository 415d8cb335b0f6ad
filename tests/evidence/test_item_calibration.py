"""The calibration of item speed: known constants come back, what ships is what the rows give, and bad rows are named."""

import csv
from pathlib import Path

import numpy as np
import pytest

from advisor.catalogue.efficiency import Efficiency
from advisor.catalogue.source import Source
from advisor.errors import DocumentError
from advisor.evidence.item_calibration import FILE, Rows, calibrate_items, estimated, fit_key, read_items
from advisor.evidence.item_files import write_item_accuracy, write_item_constants
from advisor.library import Library


@pytest.fixture(scope="module")
def rows(library: Library, root: Path) -> Rows:
    return read_items(library, root / "knowledge" / FILE)


def test_known_constants_come_back(rows: Rows) -> None:
    part = rows.where(rows.key == "text-encoder/compiled")
    made = Rows(part.rows, part.columns, part.source, part.key, estimated(part.columns, 0.4, 2e-3))
    found = fit_key(made)
    assert found.share == pytest.approx(0.4, rel=0.03)
    assert found.overhead == pytest.approx(2e-3, rel=0.12)


def test_one_batch_size_takes_its_overhead_from_others(rows: Rows) -> None:
    part = rows.where(rows.key == "diffusion/compiled")
    assert fit_key(part, 1e-3).overhead == pytest.approx(1e-3)


def test_what_ships_is_what_the_rows_give(rows: Rows, root: Path, tmp_path: Path) -> None:
    found = calibrate_items(rows)
    write_item_constants(found, tmp_path / "items.yaml")
    shipped = (root / "knowledge" / "efficiencies" / "items.yaml").read_text(encoding="utf-8")
    assert (tmp_path / "items.yaml").read_text(encoding="utf-8") == shipped
    write_item_accuracy(found, tmp_path / "docs" / "accuracy-items.md")
    page = (root / "docs" / "accuracy-items.md").read_text(encoding="utf-8")
    assert (tmp_path / "docs" / "accuracy-items.md").read_text(encoding="utf-8") == page


def test_the_bands_hold_what_they_promise(rows: Rows) -> None:
    found = calibrate_items(rows)
    inside = [
        found.bands[key][0] <= log <= found.bands[key][1]
        for logs in (found.without_place, found.without_source)
        for key, log in zip(rows.key.tolist(), logs.tolist(), strict=True)
    ]
    assert 0.76 <= np.mean(inside)
    assert np.median(np.abs(np.expm1(-found.without_source))) < 0.35


def test_every_row_cites_a_source(rows: Rows, library: Library) -> None:
    assert all(library.has(Source, source) for source in rows.source.tolist())
    assert len(set(rows.source.tolist())) == 17


def test_constants_fall_back_for_kinds_nobody_measured(library: Library) -> None:
    share = library.get(Efficiency, "item_compute_share")
    assert "vision-transformer/compiled" not in share.values
    assert share.otherwise is not None
    assert 0.1 < share.otherwise.typical < 0.5


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model": "resnet-51"}, "no work is stated"),
        ({"item_kind": "detection"}, "the model is text-encoder"),
        ({"accelerator": "epyc-9654", "peak": ""}, "has no rate"),
    ],
)
def test_bad_rows_are_named(library: Library, rows: Rows, tmp_path: Path, change: dict[str, str], message: str) -> None:
    file = tmp_path / "rows.csv"
    with file.open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, list(rows.rows[0]))
        writer.writeheader()
        writer.writerow({**rows.rows[0], **change})
    with pytest.raises(DocumentError, match=message) as raised:
        read_items(library, file)
    assert "it-001" in str(raised.value)
