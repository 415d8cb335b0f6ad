"""A quote given as YAML or JSON: lines under `items`, with totals, limits of the site, terms and a workload beside them."""

from collections.abc import Mapping
from typing import Any, cast

from pydantic import ValidationError

from advisor.errors import DocumentError
from advisor.quote.assembling import Draft, currency_in, stated_bits
from advisor.quote.headings import column_of
from advisor.quote.keys import attributes_under, number_of, text_of, with_unit
from advisor.quote.quote import Basis, Form, Quote, QuoteLine, Sureness, Total, Wanted
from advisor.quote.recognising import HOLDERS, Recogniser
from advisor.quote.statements import feeds_in, phrases_in
from advisor.units import parse
from advisor.workload.tree import Tree

_KINDS = frozenset(
    {
        *("server", "node", "cloud_node", "system", "storage_server", "gpu", "cpu", "ram", "storage", "nic", "dpu", "hba"),
        *("switch", "rack", "psu", "ups", "pdu", "cooler", "cooling", "fan", "case", "motherboard", "riser", "cable", "service"),
        *("licence", "hosting", "uplink", "power", "compute", "appliance", "misc"),
    }
)
_SAME = {"frame": "case", "chassis": "case", "memory": "ram", "disk": "storage", "accelerator": "gpu", "license": "licence"}
# Keys of a case that are about the case itself, and a reviewer's findings: none of them is the vendor's word.
# Parts whose lanes matter to accelerators; drives and adapters have few of their own.
_WITH_LANES = ("gpu", "riser", "motherboard", "server", "node", "system", "case", "misc")
_ASIDE = ("id", "source", "expect")
_LISTS = ("items", "lines", "positions", "positionen", "quote")
_TOTALS = {
    "stated_total": "total",
    "grand_total": "total",
    "stated_grand_total": "total",
    "total": "total",
    "subtotal": "subtotal",
    "tax": "tax",
    "shipping": "shipping",
}
_RECOMPUTED = ("computed_total", "per_gpu", "currency")


def read_structured(text: str, where: str, form: Form, recogniser: Recogniser) -> Quote:
    """The quote that a YAML or JSON document holds. Raises DocumentError where it is none, or too large to be one."""
    tree = Tree(text, where)
    body = tree.plain()
    if isinstance(body, Mapping) and isinstance(body.get("reading"), Mapping):
        return _saved(text, where)
    reader = _Reader(tree, where, form, recogniser)
    return reader.read(body)


def _saved(text: str, where: str) -> Quote:
    """A kept reading. Its size and depth are known to be sane; here its numbers and flags are to be what they look like."""
    import yaml

    try:
        body = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        return Quote.model_validate(body["reading"])
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise DocumentError(
            f"the kept reading does not fit: {first['msg']}",
            where=f"{where}, reading.{place}",
            hint="keep the keys as they were saved",
        ) from None
    except (yaml.YAMLError, ValueError, TypeError, KeyError) as error:
        raise DocumentError(f"the kept reading cannot be read: {' '.join(str(error).split())[:200]}", where=where) from None


class _Reader:
    def __init__(self, tree: Tree, where: str, form: Form, recogniser: Recogniser) -> None:
        self.tree = tree
        self.where = where
        self.recogniser = recogniser
        self.draft = Draft(form, where, recogniser.words)

    def read(self, body: Any) -> Quote:
        """The quote of a document's values."""
        if isinstance(body, list):
            body = {"items": body}
        if not isinstance(body, Mapping):
            raise DocumentError(
                "it holds no quote",
                where=self.where,
                hint="write a list `items:` of lines with what, model, quantity, unit_price",
            )
        key = next((name for name in _LISTS if isinstance(body.get(name), list)), None)
        if key is None:
            raise DocumentError("it has no list of lines", where=self.where, hint="write the lines under `items:`")
        items = cast(list[Any], body[key])
        draft = self.draft
        draft.title = text_of(body.get("title"))
        draft.kind = text_of(body.get("kind"))
        source = body.get("source")
        draft.date = text_of(body.get("date") or (source.get("date") if isinstance(source, Mapping) else None))
        draft.currency = currency_in(
            [text_of(body.get("currency")), *self._currencies(items), *self._currencies([body.get("totals")])]
        )
        context = self._context(body, items)
        self._workload(body.get("workload"))
        for index, item in enumerate(items):
            self._line(item, f"{key}[{index}]", (key, index), context)
        self._mapping(body.get("totals"), "totals")
        self._mapping(body.get("facility"), "facility")
        self._mapping(body.get("terms"), "terms")
        if draft.title:
            draft.say(draft.title, "title", feeds=False)
        for name, kind in _TOTALS.items():
            amount = None if isinstance(body.get(name), Mapping) else number_of(body.get(name))
            if amount is not None:
                draft.totals.append(
                    Total.model_validate({"kind": kind, "amount": amount, "currency": draft.currency, "where": self._at((name,))})
                )
        known = {*_TOTALS, "title", "kind", "date", "currency", "workload", key, "totals", "facility", "terms", *_ASIDE}
        for name in body:
            if name not in known:
                self.draft.unread(f"{name}: {text_of(body[name])}", self._at((name,)), "no key of a quote")
        return draft.quote()

    def _context(self, body: Mapping[str, Any], items: list[Any]) -> str:
        return " ".join(
            [text_of(body.get("title")), *(text_of(item.get("model")) for item in items if isinstance(item, Mapping))]
        )

    def _currencies(self, items: list[Any]) -> list[str]:
        return [text_of(item.get("currency")) for item in items if isinstance(item, Mapping) and item.get("currency")]

    def _at(self, path: tuple[str | int, ...]) -> str:
        line = self.tree.line(path)
        shown = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).lstrip(".")
        return f"line {line}, {shown}" if line else shown

    def _workload(self, given: Any) -> None:
        draft = self.draft
        if isinstance(given, str):
            draft.say(given, self._at(("workload",)), of_workload=True)
            return
        if not isinstance(given, Mapping):
            return
        text, precision = text_of(given.get("text")), text_of(given.get("precision")) or None
        draft.work = {"mixed": "mixed", "fine-tuning": "finetune"}.get(
            text_of(given.get("type")), text_of(given.get("type")) or None
        )
        draft.precision = precision
        if text:
            draft.say(text, self._at(("workload", "text")), of_workload=True)
        for index, fact in enumerate(given.get("facts") or ()):
            place = self._at(("workload", "facts", index))
            understood = draft.say(text_of(fact), place)
            draft.workload.append(text_of(fact))
            if not understood:
                draft.unread(text_of(fact), place, "no figure or phrase that a rule reads")
        parameters = number_of(given.get("model_params_b"))
        if parameters is not None and all(
            abs(each.parameters - parameters * 1e9) > 0.05 * parameters * 1e9 for each in draft.wanted
        ):
            draft.wanted.append(Wanted(text=f"{parameters:g}B", parameters=parameters * 1e9, bits=stated_bits(precision)))
        tokens = number_of(given.get("tokens_b"))
        if tokens is not None:
            draft.state(
                "training_tokens", tokens * 1e9, "token", f"{tokens:g} billion tokens", self._at(("workload", "tokens_b"))
            )

    def _line(self, item: Any, name: str, path: tuple[str | int, ...], context: str) -> None:
        draft, place = self.draft, self._at(path)
        if isinstance(item, str):
            parts = self.recogniser.parts_of(item, draft.decimal, context=context)
            draft.add(QuoteLine(text=item, where=place, parts=parts))
            return
        if not isinstance(item, Mapping):
            draft.unread(text_of(item), place, "no line of a quote")
            return
        cells = self._cells(item, place)
        attributes = item.get("attributes")
        given, remark, extra = attributes_under(attributes if isinstance(attributes, Mapping) else {})
        what = text_of(cells.get("kind")).strip().casefold()
        hint = _SAME.get(what, what) if what else None
        if hint is not None and hint not in _KINDS:
            hint = self.recogniser.kind_of(what) or "unknown"
        text = text_of(cells.get("description"))
        shown = text or what
        quantity = number_of(cells.get("quantity"))
        doubts: list[str] = []
        if quantity is None or quantity < 0:
            quantity = 1.0
            if cells.get("quantity") not in (None, ""):
                doubts.append(f'the quantity "{text_of(cells.get("quantity"))}" is no number; taken as 1')
        basis: Basis = "node" if text_of(cells.get("per")).casefold() in ("node", "server", "host", "system") else "total"
        read = list(self.recogniser.parts_of(shown, draft.decimal, hint=None if hint == "unknown" else hint, context=context))
        unit = text_of(attributes.get("unit")) if isinstance(attributes, Mapping) else ""
        first = read[0]
        if unit in ("GB", "TB", "GiB", "TiB"):
            size = parse(f"{quantity} {unit}", "byte")
            given["total_memory" if first.kind == "ram" else "total_capacity"] = size
            quantity = 1.0
        if unit.casefold() in ("cores", "core", "vcpu", "vcpus"):
            given["cores"] = quantity / 2 if unit.casefold().startswith("v") else quantity
            quantity = 1.0
        inner = sum(part.count for part in read if part.kind == first.kind) if len(read) > 1 else first.count
        if len(read) > 1 and first.kind not in HOLDERS and inner == quantity:
            quantity = 1.0
        if quantity > 1 and quantity in (first.attributes.get("modules"), first.count):
            quantity = 1.0
        own = first.attributes.get("ports")
        if isinstance(own, float) and given.get("ports") == own * quantity:
            del given["ports"]  # the ports of all cards, where the card's own are written too
        read[0] = first.model_copy(update={"attributes": {**first.attributes, **given}})
        unit_price, total_price = number_of(cells.get("unit_price")), number_of(cells.get("total_price"))
        draft.add(
            QuoteLine(
                text=shown,
                where=place,
                parts=tuple(read),
                quantity=quantity,
                basis=basis,
                unit_price=unit_price,
                total_price=extra.get("line_total", total_price),
                currency=text_of(cells.get("currency")) or None,
                remark=remark,
                sure=Sureness.guessed if doubts else Sureness.sure,
                doubts=tuple(doubts),
            )
        )
        for said in (text, remark or ""):
            for statement in phrases_in(said, place, draft.decimal, self.recogniser.words) if said else ():
                if statement.name != "narrow_link" or first.kind in _WITH_LANES:
                    draft.statements.append(statement)
        if first.kind in ("power", "pdu", "ups"):
            draft.statements.extend(feeds_in(text, place))

    def _cells(self, item: Mapping[str, Any], place: str) -> dict[str, Any]:
        """A line's values by column; the case form's own keys first, any language's headings after."""
        cells: dict[str, Any] = {}
        for name, value in item.items():
            column = {"what": "kind", "model": "description"}.get(name)
            if column is None and name != "attributes":
                column = column_of(name.replace("_", " "), self.recogniser.words)
            if column is not None and value not in (None, ""):
                cells.setdefault(column, value)
            elif column is None and name != "attributes":
                self.draft.unread(f"{name}: {text_of(value)}", place, "no column of a quote's line")
        return cells

    def _mapping(self, given: Any, group: str) -> None:
        draft = self.draft
        if isinstance(given, str):
            if not draft.say(given, self._at((group,))):
                draft.unread(given, self._at((group,)), "no figure or phrase that a rule reads")
            return
        if not isinstance(given, Mapping):
            return
        for name, value in given.items():
            place = self._at((group, name))
            number = number_of(value)
            if name in _RECOMPUTED:
                continue
            if group == "totals" and name in _TOTALS and number is not None:
                kind: Any = "subtotal" if name == "stated_total" and given.get("stated_grand_total") else _TOTALS[name]
                draft.totals.append(Total(kind=kind, amount=number, currency=draft.currency, where=place))
            elif number is not None:
                key, amount, unit = with_unit(name, number)
                draft.state(f"{group}_{key}", amount, unit, f"{name}: {value}", place)
            elif isinstance(value, str):
                draft.state(f"{group}_{name}", value, "", f"{name}: {value}", place)
                draft.say(value, place)
