"""A quote given as a table: rows of cells under a heading, from a delimited file or a workbook."""

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass

from advisor.errors import DocumentError
from advisor.quote.assembling import Draft, currency_in
from advisor.quote.headings import column_of
from advisor.quote.numbers import amount_in, decimal_mark, number_in
from advisor.quote.quote import Basis, Form, Quote, QuoteLine, Sureness, Total, TotalKind
from advisor.quote.recognising import Recogniser
from advisor.quote.sums import settled
from advisor.quote.words import QuoteWords

MOST_COLUMNS = 60
_LOOKED_AT = 40
_NUMBER_CELL = re.compile(r"^\s*([\d.,'’\u00a0]+)\s*(\w{0,12}\.?)\s*$")
# The line under a heading in Markdown, and the line that tells a spreadsheet the delimiter.
_RULER = re.compile(r"^[-:= ]{3,}$")
_SEPARATOR = re.compile(r"^sep=.?$", re.IGNORECASE)
_SET_OF = re.compile(r"\b1\s*set\s*=\s*(\d+)|\bset of (\d+)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Row:
    """The cells of one row, and the place they stand at."""

    cells: tuple[str, ...]
    where: str


def read_table(text: str, delimiter: str, where: str, recogniser: Recogniser) -> Quote:
    """The quote of a delimited text. Raises DocumentError where its cells cannot be told apart."""
    csv.field_size_limit(200_000)
    rows: list[Row] = []
    try:
        reader = csv.reader(io.StringIO(text), delimiter=delimiter)
        for cells in reader:
            if len(cells) > MOST_COLUMNS:
                raise DocumentError(f"a row has more than {MOST_COLUMNS} cells", where=f"{where}, line {reader.line_num}")
            plain = tuple(cell.strip().strip("*").strip() for cell in cells)
            if not _RULER.match("".join(plain)) and not _SEPARATOR.match("".join(plain)):
                rows.append(Row(plain, f"line {reader.line_num}"))
    except csv.Error as error:
        raise DocumentError(f"its cells cannot be told apart: {error}", where=where) from None
    return read_rows(rows, "table", where, recogniser, delimiter=delimiter)


def read_rows(rows: Sequence[Row], form: Form, where: str, recogniser: Recogniser, *, delimiter: str | None = None) -> Quote:
    """The quote of a table's rows: what stands above the heading is its title, below it are lines, totals and remarks."""
    draft = Draft(form, where, recogniser.words, delimiter=delimiter)
    heading = _heading(rows, recogniser.words)
    if heading is None:
        raise DocumentError(
            "no row of headings was found in it",
            where=where,
            hint="give one row the headings, such as Description, Qty, Unit Price, Total",
        )
    index, columns = heading
    german = _is_german(rows[index], recogniser.words)
    draft.decimal = decimal_mark((cell for row in rows[index:] for cell in row.cells), comma_usual=german)
    draft.heading_line = int(match[1]) if (match := re.search(r"(\d+)$", rows[index].where)) else index + 1
    draft.currency = currency_in([*rows[index].cells, *(cell for row in rows[:index] for cell in row.cells)])
    if draft.currency is None:
        draft.currency = currency_in(cell for row in rows[index + 1 :] for cell in row.cells)
    for row in rows[:index]:
        text = " ".join(cell for cell in row.cells if cell)
        if text:
            draft.title = draft.title or text[:200]
            draft.say(text, row.where, feeds=False)
    context = " ".join(cell for row in rows for cell in row.cells)[:20_000]
    for row in rows[index + 1 :]:
        read_row(row, columns, draft, recogniser, context)
    _settle(draft)
    return draft.quote()


def _heading(rows: Sequence[Row], words: Sequence[QuoteWords]) -> tuple[int, dict[str, int]] | None:
    """The first row of which two cells and more are headings, a description and a quantity or price among them."""
    for index, row in enumerate(rows[:_LOOKED_AT]):
        columns: dict[str, int] = {}
        for place, cell in enumerate(row.cells):
            column = column_of(cell, words) if 0 < len(cell) <= 60 else None
            if column == "description" and column in columns:
                # Of "Part" and "Model", "Item" and "Description", the one with the longer texts describes.
                earlier = columns[column]
                longer = _length(rows[index + 1 :], place) > _length(rows[index + 1 :], earlier)
                columns[column], columns["kind"] = (place, earlier) if longer else (earlier, place)
            elif column is not None:
                columns.setdefault(column, place)
        if "description" in columns and {"quantity", "unit_price", "total_price"} & columns.keys():
            return index, columns
    return None


def _length(rows: Sequence[Row], place: int) -> int:
    """Letters that a column holds in its first rows."""
    return sum(sum(letter.isalpha() for letter in row.cells[place]) for row in rows[:_LOOKED_AT] if place < len(row.cells))


def _is_german(row: Row, words: Sequence[QuoteWords]) -> bool:
    german = [each for each in words if each.id == "de"]
    return sum(column_of(cell, german) is not None for cell in row.cells if cell) >= 2 and not any(
        "qty" in cell.casefold() or "unit price" in cell.casefold() for cell in row.cells
    )


def read_row(row: Row, columns: dict[str, int], draft: Draft, recogniser: Recogniser, context: str) -> None:
    """Read one row below the headings: a line, a total, or a remark. columns: column -> place of its cell."""
    cells = {column: row.cells[place] for column, place in columns.items() if place < len(row.cells)}
    filled = [cell for cell in row.cells if cell]
    if not filled:
        return
    described = cells.get("description", "")
    kind = _total_kind(filled, cells, draft)
    if kind is not None:
        _take_total(kind, row, filled, draft)
        return
    if not described:
        text = " ".join(filled)
        if not draft.say(text, row.where):
            draft.unread(text, row.where, "a row without a description")
        return
    quantity, unit, doubts = _quantity(cells, draft)
    unit_price, unit_note = _price(cells.get("unit_price", ""), draft)
    total_price, total_note = _price(cells.get("total_price", ""), draft)
    note = total_note or unit_note
    remark = "; ".join(cells[name] for name in ("remark", "part_number") if cells.get(name)) or None
    said = " ".join(part for part in (described, cells.get("remark", "")) if part)
    if note is None and quantity == 0 == (unit_price or 0):
        note = "included"
    if note is None and unit_price == 0 and (total_price in (None, 0)):
        note = "included"
    basis: Basis = (
        "node"
        if _says(draft, "per_node", said, "node") and not _says_power(said) and quantity <= 64 and unit_price is None
        else "total"
    )
    parts = recogniser.parts_of(described, draft.decimal, context=context)
    if parts[0].kind == "unknown" and (hint := recogniser.kind_of(cells.get("kind", ""))) is not None:
        parts = recogniser.parts_of(described, draft.decimal, hint=hint, context=context)
    if (set_of := _SET_OF.search(said)) and len(parts) == 1 and parts[0].count == 1:
        parts = (parts[0].model_copy(update={"count": float(set_of[1] or set_of[2])}),)
    draft.say(said, row.where, feeds=True)
    draft.add(
        QuoteLine(
            text=described,
            where=row.where,
            parts=parts,
            quantity=quantity,
            basis=basis,
            unit=unit,
            unit_price=unit_price,
            total_price=total_price,
            currency=draft.currency,
            price_note=note,
            remark=remark,
            sure=Sureness.guessed if doubts or parts[0].kind == "unknown" else Sureness.sure,
            doubts=tuple(doubts),
        )
    )
    if parts[0].kind == "unknown":
        draft.unread(described, row.where, "no part that is known by name or words")


def _says_power(text: str) -> bool:
    return re.search(r"\bkW\b", text) is not None


def _says(draft: Draft, group: str, text: str, meaning: str) -> bool:
    return any(pattern.search(text) for words in draft.words if (pattern := words.compiled[group].get(meaning)) is not None)


def _total_kind(filled: Sequence[str], cells: dict[str, str], draft: Draft) -> TotalKind | None:
    """The kind of total a row is: few cells, one of which says so, and no quantity beside a description."""
    if len(filled) > 3 or (cells.get("quantity") and re.match(r"\s*[\d.,]+\s*$", cells["quantity"])):
        return None
    for kind in ("subtotal", "tax", "shipping", "discount", "total"):
        for cell in filled:
            if amount_in(cell, draft.decimal) is None and len(cell) < 60 and _says(draft, "totals", cell, kind):
                return kind
    return None


def _take_total(kind: TotalKind, row: Row, filled: Sequence[str], draft: Draft) -> None:
    text = " ".join(filled)
    amounts = [amount for cell in filled if (amount := amount_in(cell, draft.decimal)) is not None]
    draft.say(text, row.where, feeds=False)
    if amounts:
        draft.totals.append(Total(kind=kind, amount=amounts[-1], currency=draft.currency, where=row.where))
    elif not any(_says(draft, "price_notes", cell, note) for cell in filled for note in ("open", "on-request", "included")):
        draft.unread(text, row.where, "a total without an amount")


def _quantity(cells: dict[str, str], draft: Draft) -> tuple[float, str, list[str]]:
    written = cells.get("quantity", "")
    unit_text = cells.get("unit", "")
    doubts: list[str] = []
    value: float | None = None
    if match := _NUMBER_CELL.match(written):
        value = number_in(match[1], draft.decimal)
        unit_text = unit_text or match[2]
    if value is None or value < 0:
        value = 1.0
        if written:
            doubts.append(f'the quantity "{written[:40]}" is no number; taken as 1')
    unit = next(
        (
            name
            for name in ("set", "lot", "hour", "month", "year", "each")
            if unit_text and _says(draft, "units", unit_text, name)
        ),
        "each",
    )
    return value, unit, doubts


def _price(cell: str, draft: Draft) -> tuple[float | None, str | None]:
    if not cell:
        return None, None
    amount = amount_in(cell, draft.decimal)
    if amount is not None:
        return amount, None
    for note in ("on-request", "open", "included"):
        if _says(draft, "price_notes", cell, note):
            return None, note
    return None, None


def _settle(draft: Draft) -> None:
    """Where a line's total is not its quantity times its unit price, the totals decide which of the two is meant."""
    draft.lines = settled(draft.lines)
