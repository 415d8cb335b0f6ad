"""A quote in running text: a mail, a note, or what was pasted from a PDF."""

import re
from collections.abc import Sequence

from advisor.quote.assembling import Draft, currency_in
from advisor.quote.headings import column_of
from advisor.quote.numbers import NUMBER, amount_in, decimal_mark
from advisor.quote.quote import PartReading, Quote, QuoteLine, Sureness, Total, TotalKind
from advisor.quote.recognising import HOLDERS, LONGEST_TEXT, Recogniser
from advisor.quote.statements import wanted_in
from advisor.quote.sums import prices_are_totals, settled
from advisor.quote.table import Row, read_row

_CURRENCY = r"(?:USD|EUR|GBP|CHF|US\$|\$|€|£)"
# A price at the end of a line, led by dots, spaces, a tab, a colon or a currency; a remark in brackets may follow.
_LED = rf"(?:\s*\.{{2,}}\s*|\s{{2,}}|\t+|\s*[:=@|]\s*|\s+(?={_CURRENCY})|\s+(?:-|–|je|à|zu|at)\s+|\s+(?={NUMBER}\s?{_CURRENCY}))"
_PRICED = re.compile(
    rf"^(?P<item>.*?\S){_LED}(?P<price>{_CURRENCY}?\s?(?:{NUMBER})(?:,-|\.-)?\s?{_CURRENCY}?)"
    r"\s*(?P<each>each|/ ?ea|per unit|je|pro Stück)?\s*(?P<remark>\(.*\))?\s*$",
    re.IGNORECASE,
)
_GAP = re.compile(r"\t+|\s{2,}")
_NUMERIC = ("quantity", "unit_price", "total_price")
_BULLET = re.compile(r"^\s*(?:[-*•·]|\d{1,2}[.)])\s+(?=\S)")
_COUNTED = re.compile(r"^\s*(?:\d{1,5}\s*[x×]\s*|\d{1,5}\s+(?:pcs|units?|Stk|Stück)\b)", re.IGNORECASE)
_LABEL = re.compile(r"^\s*(?P<label>[A-Za-z][\w /-]{1,24}):\s+(?P<rest>\S.*)$")
_USE = re.compile(r"^\s*(?:use|usage|purpose|workload|use case|zweck|verwendung|einsatz|nutzung)\b\s*:?", re.IGNORECASE)


def read_text(text: str, where: str, recogniser: Recogniser) -> Quote:
    """The quote of running text: lines that name parts, totals, and what the words say of place, power, use and terms."""
    draft = Draft("text", where, recogniser.words)
    lines = text.splitlines()
    prices = [match["price"] for line in lines if (match := _PRICED.match(line))]
    # Prices tell the decimal mark; where there are none, all numbers have to.
    draft.decimal = decimal_mark(prices if len(prices) > 1 else lines)
    draft.currency = currency_in(lines)
    context = text[:20_000]
    columns: list[str] | None = None
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        line, place = line[:LONGEST_TEXT], f"line {number}"
        headings = _headings(line, draft)
        if headings is not None:
            columns, draft.heading_line = headings, number
        elif columns is not None and (
            _pasted_row(line, place, columns, draft, recogniser, context) or _continued(line, draft, recogniser, context)
        ):
            continue
        else:
            _line(line, place, draft, recogniser, context)
    stated = next((each.amount for each in draft.totals if each.kind in ("subtotal", "total")), None)
    if draft.lines and prices_are_totals(draft.lines, stated):
        draft.lines = [
            line
            if line.unit_price is None or line.total_price is not None
            else line.model_copy(update={"total_price": line.unit_price, "unit_price": None})
            for line in draft.lines
        ]
    draft.lines = settled(draft.lines)
    return draft.quote()


def _headings(line: str, draft: Draft) -> list[str] | None:
    """The columns of a line of headings, as tables look once they are pasted: cells apart by two spaces or a tab."""
    cells = _cells(line)
    if len(cells) < 3 or any(char.isdigit() for char in line):
        return None
    columns = [column_of(cell, draft.words) or "" for cell in cells]
    priced = {"quantity", "unit_price", "total_price"} & set(columns)
    return columns if "description" in columns and priced else None


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in _GAP.split(line.strip()) if cell.strip()]


def _pasted_row(line: str, place: str, columns: list[str], draft: Draft, recogniser: Recogniser, context: str) -> bool:
    """Read a row under pasted headings; false where the line does not look like one."""
    cells = _cells(line)
    numbers = [index for index, cell in enumerate(cells) if amount_in(cell, draft.decimal) is not None]
    if len(cells) < 2 or not numbers or _total(" ".join(cells[: numbers[-1]]), draft) is not None:
        return False
    if len(cells) != len(columns):
        # A cell that is empty leaves no trace when pasted: names from the left, numbers from the right.
        named = [cell for index, cell in enumerate(cells) if index not in numbers]
        wanted = [column for column in columns if column in _NUMERIC]
        found = dict(zip(reversed(wanted), reversed([cells[index] for index in numbers]), strict=False))
        if not named:
            return False
        found["description"] = max(named, key=len)
        cells = [found.get(column, "") for column in columns]
    places = {column: index for index, column in enumerate(columns) if column}
    read_row(Row(tuple(cells), place), places, draft, recogniser, context)
    return True


def _continued(line: str, draft: Draft, recogniser: Recogniser, context: str) -> bool:
    """Add what a line under a server's row says it holds; false where it is no such line."""
    last = draft.lines[-1] if draft.lines else None
    if last is None or last.main is None or last.main.kind not in HOLDERS or not _COUNTED.match(line):
        return False
    parts = tuple(each for each in recogniser.parts_of(line.strip(), draft.decimal, context=context) if each.kind != "unknown")
    if parts:
        draft.lines[-1] = last.model_copy(update={"parts": (*last.parts, *parts), "text": f"{last.text}, {line.strip()}"})
    return bool(parts)


def _line(line: str, place: str, draft: Draft, recogniser: Recogniser, context: str) -> None:
    if draft.title == "" and (subject := re.match(r"^\s*(?:subject|betreff)\s*:\s*(.+)$", line, re.IGNORECASE)):
        draft.title = subject[1].strip()[:200]
        return
    if any(pattern.search(line) for words in draft.words for pattern in words.compiled["ignored"].values()):
        return
    body = _BULLET.sub("", line).rstrip()
    priced = _PRICED.match(body)
    total = _total(priced["item"] if priced else body, draft)
    if priced and total is not None:
        amount = amount_in(priced["price"], draft.decimal)
        if amount is not None:
            draft.totals.append(Total(kind=total, amount=amount, currency=draft.currency, where=place))
            return
    item = priced["item"].rstrip(" .") if priced else body
    remark = priced["remark"] if priced else None
    labelled = _LABEL.match(item)
    kind = recogniser.kind_of(labelled["label"]) if labelled and len(labelled["label"].split()) == 1 else None
    if labelled and kind is not None:
        item = labelled["rest"]
    unit = _PRICED.match(item) if priced else None
    parts = recogniser.parts_of(unit["item"] if unit else item, draft.decimal, context=context)
    if kind is not None and parts[0].kind == "unknown":
        parts = recogniser.parts_of(item, draft.decimal, hint=kind, context=context)
    if kind is not None or _is_item(item, parts, priced=priced is not None):
        _take(item, parts, priced, remark, place, draft)
        draft.say(" ".join(filter(None, (item, remark))), place, feeds=False)
        return
    of_use = bool(_USE.match(line)) or bool(wanted_in(line)) or draft.work_in(line) is not None
    if not draft.say(line.strip(), place, of_workload=of_use):
        draft.unread(line, place, "no part, price, figure or phrase that a rule reads")


def _is_item(item: str, parts: Sequence[PartReading], *, priced: bool) -> bool:
    """Whether a line lists parts: it has a price, or begins with a count, or holds little but the names of known parts."""
    known = any(part.kind != "unknown" for part in parts)
    if priced:
        return known or len(item) < 80
    if not known:
        return False
    return bool(_COUNTED.match(item)) or (
        len(item.split()) <= 9 and any(part.id for part in parts) and not item.rstrip().endswith((".", "?", "!"))
    )


def _take(
    item: str, parts: tuple[PartReading, ...], priced: re.Match[str] | None, remark: str | None, place: str, draft: Draft
) -> None:
    quantity = 1.0
    if len(parts) == 1 and parts[0].count > 1:
        quantity = parts[0].count
        parts = (parts[0].model_copy(update={"count": 1.0}),)
    price = amount_in(priced["price"], draft.decimal) if priced else None
    total: float | None = None
    if price is not None and (unit := _PRICED.match(item)) and (each := amount_in(unit["price"], draft.decimal)):
        # Two prices in a line are a unit's and the line's, where they are a whole number apart.
        times = price / each
        if abs(times - round(times)) < 0.01 and times >= 1 and (quantity == 1 or round(times) == quantity):
            quantity, total, price = float(round(times)), price, each
    if priced and priced["each"]:
        total = None if price is None else price * quantity
    unknown = parts[0].kind == "unknown"
    draft.add(
        QuoteLine(
            text=item.strip(),
            where=place,
            parts=parts,
            quantity=quantity,
            unit_price=price,
            total_price=total,
            currency=draft.currency,
            remark=remark,
            sure=Sureness.guessed if unknown else Sureness.likely if len(parts) > 1 else Sureness.sure,
            doubts=(f"taken as {len(parts)} kinds of part in one line",) if len(parts) > 1 and price is not None else (),
        )
    )
    if unknown:
        draft.unread(item, place, "no part that is known by name or words")


def _total(item: str, draft: Draft) -> TotalKind | None:
    if len(item.split()) > 5:
        return None
    kinds: tuple[TotalKind, ...] = ("subtotal", "tax", "shipping", "discount", "total")
    for kind in kinds:
        if any((pattern := words.compiled["totals"].get(kind)) is not None and pattern.search(item) for words in draft.words):
            return kind
    return None
