"""The page of a plan: whole, safe with hostile names, readable by machine and by ear."""

import csv
import re
import sys
import zipfile
from datetime import date
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest

from advisor.errors import DocumentError, MissingExtraError
from advisor.library import Library
from advisor.plan.making import make_plan
from advisor.plan.plan import Plan
from advisor.report.html import plan_html
from advisor.report.memory_parts import memory_parts
from advisor.report.pdf import write_pdf
from advisor.report.sections import Layout, Table, sections
from advisor.report.tables import named_tables, write_csv, write_workbook
from advisor.workload.reading import to_document

DAY = date(2026, 11, 30)
HOSTILE = "<script>alert(1)</script>\"'&<img src=x onerror=alert(1)>{{7*7}}"
VOID = {"meta", "br", "img", "link", "hr", "input"}


class Outline(HTMLParser):
    """Elements of a page with their attributes, and whether each is closed where it should be."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"{tag} closed without being open"
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


def plan_of(library: Library, name: str = "Staff assistant", **more: object) -> Plan:
    workload = {
        "name": name,
        "kind": "realtime-inference",
        "model": "llama-3.1-70b",
        "traffic": {"concurrent_requests": 50},
        "input_tokens": 4000,
        "output_tokens": 500,
        "targets": {"ttft_mean": "2 s", "tpot_mean": "50 ms", "availability": "99.9 %"},
        "accelerators": {"only": ["h100-sxm"]},
        **more,
    }
    return make_plan(to_document({"name": name, "workloads": [workload]}), library, today=DAY)


@pytest.fixture(scope="module")
def plan(library: Library) -> Plan:
    return plan_of(library)


@pytest.fixture(scope="module")
def page(plan: Plan, library: Library) -> str:
    return plan_html(plan, library)


def test_the_page_has_one_title_landmarks_and_named_tables(page: str) -> None:
    outline = Outline(page)
    assert not outline.open
    assert page.startswith("<!DOCTYPE html>")
    assert outline.named("html") == [{"lang": "en"}]
    assert [len(outline.named(tag)) for tag in ("h1", "main", "header", "footer", "nav", "title")] == [1, 1, 1, 1, 1, 5 + 1]
    assert all(each.get("scope") in ("col", "row") for each in outline.named("th"))
    drawings = outline.named("svg")
    assert len(drawings) == 5
    ids = [attributes["id"] for _, attributes in outline.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    for drawing in drawings:
        assert drawing["role"] == "img"
        assert set((drawing["aria-labelledby"] or "").split()) <= set(ids)
    targets = {(each["href"] or "")[1:] for each in outline.named("a") if (each["href"] or "").startswith("#")}
    assert targets <= set(ids)


def test_headings_never_skip_a_level(page: str) -> None:
    levels = [int(tag[1]) for tag, _ in Outline(page).elements if re.fullmatch(r"h[1-6]", tag)]
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_the_page_needs_nothing_else(page: str) -> None:
    outline = Outline(page)
    for tag in ("script", "link", "img", "iframe", "object", "form"):
        assert not outline.named(tag), tag
    assert not re.search(r"url\(|@import|src=", page)
    assert not [name for _, attributes in outline.elements for name in attributes if name.startswith("on")]


def test_the_decision_stands_before_the_details_and_everything_else_follows(page: str, plan: Plan) -> None:
    text = " ".join(" ".join(Outline(page).text).split())
    chosen = plan.workloads[0].recommended
    assert chosen is not None
    assert text.index(f"Use {chosen.accelerators} × {chosen.accelerator_name}") < text.index("Figures")
    for section in sections(plan, Layout(notes=True, facts=True)):
        assert " ".join(section.heading.split()) in text
    for name, step in plan.workloads[0].trace.items():
        assert not step.equation or " ".join(step.equation.split()) in text, name
    assert plan.advice
    assert all(" ".join(each.title.split()) in text for each in plan.advice)


def test_every_cited_source_the_library_has_is_listed_with_its_date(page: str, plan: Plan) -> None:
    text = " ".join(Outline(page).text)
    cited = {source.split(",")[0] for step in plan.workloads[0].trace.values() for source in step.sources}
    assert cited
    assert all(each in text for each in cited)
    assert "undated" in text
    assert re.search(r"\b20\d\d-\d\d-\d\d\b", text)


def test_hostile_names_stay_text(library: Library) -> None:
    page = plan_html(plan_of(library, HOSTILE), library)
    outline = Outline(page)
    assert not outline.open
    assert not outline.named("script")
    assert not outline.named("img")
    assert HOSTILE in "".join(outline.text)
    assert "{{7*7}}" in page


def test_where_nothing_fits_the_page_says_what_would(library: Library) -> None:
    plan = plan_of(library, accelerators={"only": ["l40s"], "max_count": 1})
    text = " ".join(Outline(plan_html(plan, library)).text)
    assert "Nothing that was considered keeps every limit" in text
    assert "Possible if: accelerators allowed" in text


def test_training_and_several_models_are_drawn_too(library: Library) -> None:
    tuning = {"kind": "fine-tuning", "model": "llama-3.1-8b", "method": "lora", "dataset": {"tokens": "200M"}}
    rag = {"name": "docs", "kind": "rag", "model": "llama-3.1-8b"}
    plan = make_plan(to_document({"workloads": [tuning, rag]}), library, today=DAY)
    page = plan_html(plan, library)
    assert page.count("Memory of the fullest accelerator</figcaption>") == 2
    assert not Outline(page).open


def test_memory_parts_add_up_to_the_memory_there_is(plan: Plan) -> None:
    workload = plan.workloads[0]
    parts = memory_parts(workload)
    assert sum(part.bytes for part in parts) == pytest.approx(workload.trace["usable_memory"].value)
    assert [part.name for part in parts][:2] == ["weights on one accelerator", "cache needed, one accelerator"]
    assert parts[-1].free


def test_tables_become_csv_files(plan: Plan, library: Library, tmp_path: Path) -> None:
    written = write_csv(plan, library, tmp_path / "tables")
    assert {"figures.csv", "assumed.csv", "sources.csv"} <= {path.name for path in written}
    with (tmp_path / "tables" / "figures.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["", "value", "80 % range", "label"]
    assert all(len(row) == 4 for row in rows)


def test_a_cell_of_a_csv_is_never_a_formula(
    plan: Plan, library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    evil = [("evil", Table(("a", "b"), (('=HYPERLINK("x")', "@x"), ("-1", "plain"))))]
    monkeypatch.setattr("advisor.report.tables.named_tables", lambda *_: iter(evil))
    (path,) = write_csv(plan, library, tmp_path)
    with path.open(encoding="utf-8-sig", newline="") as file:
        assert list(csv.reader(file))[1:] == [['\'=HYPERLINK("x")', "'@x"], ["'-1", "plain"]]


def test_tables_become_sheets_of_text(plan: Plan, library: Library, tmp_path: Path) -> None:
    write_workbook(plan, library, tmp_path / "plan.xlsx")
    with zipfile.ZipFile(tmp_path / "plan.xlsx") as book:
        sheets = [name for name in book.namelist() if name.startswith("xl/worksheets/sheet")]
        assert len(sheets) == len(list(named_tables(plan, library)))
        assert not any(b"<f>" in book.read(name) for name in sheets)


def test_what_cannot_be_written_is_told(plan: Plan, library: Library, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DocumentError, match="cannot be written"):
        write_csv(plan, library, tmp_path / "file" / "below")
    with pytest.raises(DocumentError, match="cannot be written"):
        write_workbook(plan, library, tmp_path / "missing" / "x.xlsx")


def test_a_pdf_needs_its_optional_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "weasyprint", None)
    with pytest.raises(MissingExtraError, match="pdf"):
        write_pdf("<p>x</p>", tmp_path / "x.pdf")


def test_a_pdf_is_written_without_fetching(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Stand:
        def __init__(self, string: str, url_fetcher: object) -> None:
            self.string, self.url_fetcher = string, url_fetcher

        def write_pdf(self) -> bytes:
            assert callable(self.url_fetcher)
            with pytest.raises(ValueError, match="fetches nothing"):
                self.url_fetcher("https://example.org/x.png")
            return b"%PDF-1.7 " + self.string.encode()

    monkeypatch.setitem(sys.modules, "weasyprint", SimpleNamespace(HTML=Stand))
    write_pdf("<p>x</p>", tmp_path / "x.pdf")
    assert (tmp_path / "x.pdf").read_bytes() == b"%PDF-1.7 <p>x</p>"
    with pytest.raises(DocumentError, match="cannot be written"):
        write_pdf("<p>x</p>", tmp_path / "missing" / "x.pdf")
