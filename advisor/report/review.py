"""A review of a quote as sections: the findings first, then what to ask, what was read with doubt, and the reading itself."""

from collections.abc import Iterator

from advisor.plan.quote_check import Finding, Review
from advisor.quote.assembling import guessed
from advisor.quote.quote import ATTRIBUTE_UNITS, PartReading, QuoteLine
from advisor.report.markdown import page
from advisor.report.sections import SEVERITY_MARK, Section, Table
from advisor.report.text import drawn
from advisor.units import number, show_base

_VERDICTS = {"ok": "nothing speaks against it", "caution": "caution", "do-not-buy": "do not buy"}
_MOST_LINES = 400


def review_page(review: Review, *, reading: bool = False) -> tuple[str, tuple[Section, ...], str]:
    """Title, sections and last line of a review, for whatever draws it."""
    return _title(review), tuple(_sections(review, reading=reading)), _closing(review)


def review_text(review: Review, *, width: int = 100, reading: bool = False, colour: bool = False) -> str:
    """The review as text `width` columns wide."""
    return drawn(_title(review), _sections(review, reading=reading), (_closing(review),), width=width, colour=colour)


def review_markdown(review: Review, *, reading: bool = False) -> str:
    """The review as Markdown, with everything that came from the quote escaped."""
    return page(_title(review), _sections(review, reading=reading), (_closing(review),))


def _title(review: Review) -> str:
    quote = review.reading
    name = quote.title or "Quote"
    total = quote.lines_total
    stated = quote.total_of("subtotal", "total")
    money = f" · {total:,.0f} {quote.currency or ''}".rstrip() if total else ""
    if total and stated is not None and abs(stated.amount - total) > 0.001 * total:
        money += f" (the quote says {stated.amount:,.0f})"
    return f"{name}{money} · verdict: {_VERDICTS[review.verdict]}"


def _closing(review: Review) -> str:
    quote = review.reading
    return f"read as {quote.form}, {len(quote.lines)} lines, {len(quote.not_understood)} pieces not understood"


def _sections(review: Review, *, reading: bool) -> Iterator[Section]:
    quote = review.reading
    lines = tuple(_finding(each) for each in review.findings)
    yield Section("Findings", lines or ("nothing was found that speaks against it",))
    if review.questions:
        yield Section("Ask the vendor", review.questions)
    doubts = tuple(_doubt(line) for line in guessed(quote.lines))
    if doubts:
        yield Section("Read with doubt", doubts)
    if reading:
        yield Section("Reading", (_lines(quote.lines), *(_statement_lines(review))))
        unread = tuple(f"{each.where}: {each.text} ({each.why})" for each in quote.not_understood)
        yield Section("Not understood", unread or ("nothing",))
    elif quote.not_understood:
        yield Section("Not understood", (f"{len(quote.not_understood)} pieces; --show-reading lists them",))


def _finding(finding: Finding) -> str:
    return f"{SEVERITY_MARK[finding.severity]} {finding.code}  {finding.advice} {finding.because} [{finding.rule}]"


def _doubt(line: QuoteLine) -> str:
    why = "; ".join(line.doubts) or "the kind of part is a guess"
    return f"{line.where}: {line.text} ({why})"


def _lines(lines: tuple[QuoteLine, ...]) -> Table:
    rows = tuple(row for line in lines[:_MOST_LINES] for row in _rows(line))
    return Table(("place", "quantity", "read as", "price", "sure"), rows)


def _rows(line: QuoteLine) -> Iterator[tuple[str, ...]]:
    quantity = f"{number(line.quantity, 6)}{' a node' if line.basis == 'node' else ''}"
    for index, part in enumerate(line.parts):
        first = index == 0
        yield (
            line.where if first else "",
            _times(quantity, part) if first else f"  {number(part.count, 6)} each",
            part_text(part),
            _price(line) if first else "",
            str(part.sure),
        )


def _times(quantity: str, part: PartReading) -> str:
    return quantity if part.count == 1 else f"{quantity} × {number(part.count, 6)}"


def part_text(part: PartReading) -> str:
    """What a part was read as: its kind, name, entry and figures."""
    name = f"{part.kind}: {part.text}"
    if part.id:
        name += f" = {part.id}"
    if part.others:
        name += f" (or {', '.join(part.others)})"
    figures = ", ".join(f"{key.replace('_', ' ')} {_figure(key, value)}" for key, value in part.attributes.items())
    return f"{name} [{figures}]" if figures else name


def _figure(name: str, value: float | str) -> str:
    if isinstance(value, str):
        return value
    unit = ATTRIBUTE_UNITS.get(name, "1")
    return show_base(value, unit) if unit not in ("1", "kilogram") else number(value, 6)


def _price(line: QuoteLine) -> str:
    if line.amount is None or line.price_note:
        return line.price_note or "none"
    return f"{line.amount:,.2f}"


def _statement_lines(review: Review) -> Iterator[str]:
    for each in review.reading.statements:
        yield f"{each.where}: {each.name.replace('_', ' ')}: {each.text}"
    for total in review.reading.totals:
        yield f"{total.where}: {total.kind} {total.amount:,.2f} {total.currency or ''}"
    for wanted in review.reading.wanted:
        bits = f", {wanted.bits:g} bits a weight" if wanted.bits else ""
        yield f"wanted: a model of {number(wanted.parameters / 1e9)} billion parameters{bits} ({wanted.text})"
