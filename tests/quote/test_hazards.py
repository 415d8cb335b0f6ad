"""What no quote should do to whoever reads it: take long, fill memory, run something, or reach the terminal."""

import io
import math
import random
import time
import zipfile

import pytest

from advisor.errors import DocumentError
from advisor.library import Library
from advisor.plan.quote_check import check_quote
from advisor.quote.reading import read_quote
from advisor.quote.recognising import Recogniser
from advisor.report.review import review_markdown, review_text
from tests.quote.building import workbook

LAUGHS = (
    '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]><worksheet><sheetData><row r="1"><c r="A1" t="inlineStr">'
    "<is><t>&b;</t></is></c></row></sheetData></worksheet>"
)


def bomb() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", b"0" * 60_000_000)
    return file.getvalue()


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (random.Random(1).randbytes(50_000), "no text"),
        (b"a;b;c\n" * 9_000_000, "larger than 5 MB"),
        (b"", "empty"),
        (b"%PDF-1.7 ...", "PDF"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 old", "old Excel"),
        (b"PK\x03\x04 no zip at all", "cannot be unpacked"),
        (workbook([], sheet=LAUGHS), "entities"),
        (workbook([["nothing", "here"]]), "headings"),
        (b"items: " + b"[" * 500, "deep"),
        (b"1x RTX 4090 24G ....... 1,800\n" * 3_000, "2,000 lines"),
        (b"a\n" * 30_000, "20,000 lines"),
        (b"dear all, nothing in here\nbut words\n", "no line of a quote"),
    ],
    ids=["junk", "huge", "empty", "pdf", "xls", "no-zip", "entities", "no-headings", "deep", "lines", "rows", "words"],
)
def test_a_clear_error_in_under_two_seconds(recogniser: Recogniser, content: bytes, says: str) -> None:
    started = time.process_time()
    with pytest.raises(DocumentError, match=says):
        read_quote(content, recogniser, where="quote")
    assert time.process_time() - started < 2


def test_a_bomb_is_seen_before_it_is_unpacked(recogniser: Recogniser) -> None:
    content = bomb()
    started = time.process_time()
    with pytest.raises(DocumentError, match="unpacks to"):
        read_quote(content, recogniser, where="bomb.xlsx")
    assert time.process_time() - started < 0.5


def test_a_directory_that_lies_about_sizes(recogniser: Recogniser) -> None:
    content = bytearray(bomb())
    # The directory claims a hundred bytes; more than the limit is taken from no entry.
    real = (60_000_000).to_bytes(4, "little")
    content = bytearray(bytes(content).replace(real, (100).to_bytes(4, "little")))
    with pytest.raises(DocumentError):
        read_quote(bytes(content), recogniser, where="bomb.xlsx")


@pytest.mark.parametrize(
    "text", ["a" * 300_000, "1 " * 100_000, ". " * 100_000, "  " * 100_000 + "5", "(" * 100_000, "4x " * 60_000]
)
def test_no_line_takes_long(recogniser: Recogniser, text: str) -> None:
    started = time.process_time()
    with pytest.raises(DocumentError):
        read_quote(f"{text}\n\n".encode(), recogniser, where="quote")
    assert time.process_time() - started < 2


def test_formulas_stay_text_and_only_their_results_count(recogniser: Recogniser) -> None:
    rows: list[list[str | float | None]] = [
        ["Item", "Qty", "Price"],
        ["=cmd|' /C calc'!A0 -> ", 1, 1],
        ["NVIDIA L40S 48GB", 2, "=HYPERLINK(A1) -> 7900"],
    ]
    quote = read_quote(workbook(rows), recogniser, where="quote.xlsx")
    assert [line.text for line in quote.lines] == ["NVIDIA L40S 48GB"]
    assert quote.lines[0].unit_price == 7900


HOSTILE = (
    "Description;Qty;Price USD\n"
    "NVIDIA L40S 48GB \x1b[2J\x1b[31m[bold]red[/bold];2;7900\n"
    "<script>alert(1)</script> | `code` [link](http://x) UPS\u202e;1;500\n"
    "=1+1;1;1\n"
)


def test_nothing_of_it_reaches_a_terminal_or_a_page_unescaped(library: Library, recogniser: Recogniser) -> None:
    quote = read_quote(HOSTILE.encode(), recogniser, where="quote")
    review = check_quote(quote, library)
    for text in (review_text(review, reading=True), review_markdown(review, reading=True), review.model_dump_json()):
        assert "\x1b" not in text
        assert "\u202e" not in text
    assert "[bold]red[/bold]" in review_text(review, reading=True, width=200)
    page = review_markdown(review, reading=True)
    assert "<script>" not in page
    assert "[link](http" not in page


def test_of_a_page_only_the_text_is_read(recogniser: Recogniser) -> None:
    page = (
        "<html><script>var a = 'RTX 4090; 5; 1';</script><table><tr><th>Description</th><th>Qty</th><th>Price</th></tr>"
        "<tr><td>8x NVIDIA H100 80GB SXM5 <b>server</b></td><td>2</td><td>$300,000.00</td></tr>"
        "<tr><td>UPS &amp; batteries</td><td>1</td><td>$5,000</td></tr></table></html>"
    )
    quote = read_quote(page.encode(), recogniser, where="page")
    assert [line.text for line in quote.lines] == ["8x NVIDIA H100 80GB SXM5 server", "UPS & batteries"]
    assert quote.lines_total == 605_000


@pytest.mark.parametrize(
    "item",
    [
        "{what: gpu, model: L40S 48 GB, quantity: .nan}",
        "{what: gpu, model: L40S 48 GB, quantity: 1e999}",
        "{what: gpu, model: L40S 48 GB, quantity: -3}",
        "{what: gpu, model: L40S 48 GB, quantity: 0, per: node}",
        "{what: psu, model: 0 W, quantity: 2}",
        "{what: gpu, model: L40S 0 GB, quantity: 1, attributes: {memory_gb: 0, tdp_w: 0}}",
    ],
)
def test_figures_that_cannot_be_stop_nothing(library: Library, recogniser: Recogniser, item: str) -> None:
    text = (
        f"workload: {{text: serve 0B and 70B models, type: inference}}\nitems:\n- {item}\n- {{what: cpu, model: EPYC 9354}}\n"
        "facility: {circuit: 0 A at 120 V}\ntotals: {stated_total: 0, psu_w: 0, load_w: 0}\n"
    )
    review = check_quote(read_quote(text.encode(), recogniser, where="quote"), library)
    figures = [fact.value for finding in review.findings for fact in finding.numbers if isinstance(fact.value, float)]
    assert all(math.isfinite(figure) for figure in figures)
