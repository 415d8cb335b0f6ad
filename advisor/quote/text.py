"""A quote in running text: a mail, a note, or what was pasted from a PDF."""

import re
from collections.abc import Sequence

from advisor.quote.assembling import Draft, currency_in
from advisor.quote.numbers import NUMBER, amount_in, decimal_mark
from advisor.quote.quote import PartReading, Quote, QuoteLine, Sureness, Total, TotalKind
from advisor.quote.recognising import LONGEST_TEXT, Recogniser
from advisor.quote.sums import prices_are_totals, settled

_CURRENCY = r"(?:USD|EUR|GBP|CHF|US\$|\$|€|£)"
# A price at the end of a line, led by dots, spaces, a tab, a colon or a currency; a remark in brackets may follow.
_PRICED = re.compile(
    rf"^(?P<item>.*?\S)(?:\s*\.{{2,}}\s*|\s{{2,}}|\t+|\s*[:=@|]\s*|\s+(?={_CURRENCY})|\s+(?:-|–)\s+)"
    rf"(?P<price>{_CURRENCY}?\s?(?:{NUMBER})(?:,-|\.-)?\s?{_CURRENCY}?)\s*(?P<each>each|/ ?ea|per unit|je|pro Stück)?\s*(?P<remark>\(.*\))?\s*$",
    re.IGNORECASE,
)
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
    for number, line in enumerate(lines, start=1):
        if line.strip():
            _line(line[:LONGEST_TEXT], f"line {number}", draft, recogniser, context)
    stated = next((each.amount for each in draft.totals if each.kind in ("subtotal", "total")), None)
    if draft.lines and prices_are_totals(draft.lines, stated):
        draft.lines = [
            line if line.unit_price is None else line.model_copy(update={"total_price": line.unit_price, "unit_price": None})
            for line in draft.lines
        ]
    draft.lines = settled(draft.lines)
    return draft.quote()


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
    labelled = _LABEL.match(item) if not priced else None
    parts = recogniser.parts_of(item, draft.decimal, context=context)
    if _is_item(item, parts, priced=priced is not None):
        _take(item, parts, priced, remark, place, draft)
        draft.say(" ".join(filter(None, (item, remark))), place, feeds=False)
        return
    of_use = bool(_USE.match(line)) or (labelled is None and draft.work_in(line) is not None)
    if not draft.say(line.strip(), place, of_workload=of_use):
        draft.unread(line, place, "no part, price, figure or phrase that a rule reads")


def _is_item(item: str, parts: Sequence[PartReading], *, priced: bool) -> bool:
    """Whether a line lists parts: it has a price, or begins with a count, or holds little but the names of known parts."""
    known = any(part.kind != "unknown" for part in parts)
    if priced:
        return known or len(item) < 80
    if not known:
        return False
    return bool(_COUNTED.match(item)) or (len(item.split()) <= 9 and any(part.id for part in parts) and not item.rstrip().endswith((".", "?", "!")))


def _take(
    item: str, parts: tuple[PartReading, ...], priced: re.Match[str] | None, remark: str | None, place: str, draft: Draft
) -> None:
    quantity = 1.0
    if len(parts) == 1 and parts[0].count > 1:
        quantity = parts[0].count
        parts = (parts[0].model_copy(update={"count": 1.0}),)
    price = amount_in(priced["price"], draft.decimal) if priced else None
    unknown = parts[0].kind == "unknown"
    draft.lines.append(
        QuoteLine(
            text=item.strip(),
            where=place,
            parts=parts,
            quantity=quantity,
            unit_price=price,
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
