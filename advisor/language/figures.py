"""What each figure of a text means: by what it counts, by its unit, and by the cue that stands nearest to it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from advisor.language.facts import FACTS, ReadFact
from advisor.language.measures import Quantity
from advisor.language.phrases import Match
from advisor.language.tokens import Word, parting

# What a counted thing is called among the facts, and what else it can be where a cue says so.
THINGS: dict[str, tuple[str, ...]] = {
    "people": ("people", "concurrent_requests"),
    "requests": ("concurrent_requests", "batch", "requests_per_second"),
    "calls_per_request": ("calls_per_request",),
    "accelerators": ("accelerator_count",),
    "nodes": ("node_count",),
    "samples": ("dataset_samples",),
    "documents": ("documents",),
    "chunks": ("chunks",),
    "epochs": ("epochs",),
    "cores": ("cpu_cores",),
    "racks": ("racks",),
    "runs": ("runs_per_month",),
    "dimensions": ("vector_width",),
    "parameters": ("parameters",),
    "heads": ("attention_heads",),
    "workers": ("workers",),
    "processes": ("processes",),
    "frames": ("frames_per_second",),
    "cameras": ("cameras",),
    "rack_units": ("rack_units",),
}
_FARTHEST = 7.0
_FARTHEST_BARE = 3.6
# Facts whose cues are common words, which tell only of what is near.
_CLOSE_BY = {"growth_per_year", "accelerator_memory", "accelerator_power", "output_tokens_per_second", "tokens_per_sample"}
# A target told again for another percentile stands farther from its cue.
_FARTHEST_SPREAD = 15.0
_LAST = 16.0
_KWH = 3.6e6
_YEAR = 365 * 86400.0
# What a figure means where no cue is near, by its unit; those with a doubt are asked back.
_DEFAULTS: dict[str, tuple[str, bool]] = {
    "person": ("people", True),
    "request/second": ("requests_per_second", True),
    "watt": ("power", True),
    "USD/joule": ("electricity", True),
    "volt": ("voltage", True),
    "ampere": ("current", True),
    "FLOP/second": ("throughput", True),
    "token/second": ("throughput", True),
    "1/second": ("throughput", True),
    "token": ("sequence_length", False),
}


@dataclass(frozen=True, slots=True)
class Meaning:
    """A figure with the fact it gives. cue: the phrase that told; none where its thing or unit did. limit: up to which cost a cue
    tells that told about another figure already."""

    quantity: Quantity
    fact: str
    sure: bool
    cost: float
    cue: Match | None = None
    because: str = ""
    limit: float = 0.0
    of: Quantity | None = None

    @property
    def figure(self) -> Quantity:
        """The figure as it stands in the text."""
        return self.of or self.quantity


class FigureReader:
    """Gives each quantity of a text its fact."""

    def __init__(
        self,
        words: Sequence[Word],
        matches: Sequence[Match],
        quantities: Sequence[Quantity],
        parts: Sequence[tuple[int, int]] = (),
        processors: Sequence[int] = (),
    ) -> None:
        """parts: first and last words of the accelerators named. processors: last words of those named."""
        self.parts = parts
        self.processors = processors
        self.words = words
        self.matches = matches
        self.quantities = quantities
        self.roles = [each for each in matches if each.family == "role"]
        training = ("kind:fine-tuning", "kind:pretraining", "kind:training")
        self.trained = any(
            each.family == "choice" and (each.key in training or each.key.startswith("method:")) for each in matches
        )
        self.cues = [each for each in matches if each.family in ("near", "before", "after")]
        self.percentiles = [each for each in matches if each.family == "percentile"]

    def meanings(self) -> list[Meaning]:
        """The meaning of each quantity that has one; a cue tells about the nearest figure first, others only where none is
        nearer.
        """
        offers: list[Meaning] = []
        for quantity in self.quantities:
            offers.extend(self._offers(quantity))
        offers.sort(key=lambda each: each.cost)
        meant: dict[int, Meaning] = {}
        used: dict[Match, Quantity] = {}
        late: list[Meaning] = []
        for offer in offers:
            if id(offer.figure) in meant:
                continue
            if offer.cue is not None and offer.cue in used:
                late.append(offer)
                continue
            if late and offer.cost >= late[0].cost + 3:
                self._take(late, meant)
            if id(offer.figure) not in meant:
                meant[id(offer.figure)] = offer
                if offer.cue is not None:
                    used[offer.cue] = offer.quantity
        self._take(late, meant)
        found = [self._finished(meant[id(each)]) for each in self.quantities if id(each) in meant]
        return found

    @staticmethod
    def _take(late: list[Meaning], meant: dict[int, Meaning]) -> None:
        """A cue that told about one figure tells about another, farther one as well."""
        for offer in late:
            if id(offer.quantity) not in meant and offer.cost <= offer.limit and offer.quantity.unit not in ("",):
                meant[id(offer.quantity)] = offer
        late.clear()

    def _offers(self, quantity: Quantity) -> Iterable[Meaning]:
        if quantity.unit == "?":
            return
        if quantity.thing:
            yield from self._counted(quantity)
            return
        yield from self._offers_share(quantity)
        yield from self._offers_energy(quantity)
        if quantity.unit == "byte" and any(
            each.thing == "part" and 0 < quantity.first - each.last <= 3 for each in self.quantities
        ):
            yield Meaning(quantity, "accelerator_memory", quantity.sure, 0.0)
            return
        for cue in self.cues:
            fact = FACTS.get(cue.key)
            if fact is None or not _fits(quantity, fact):
                continue
            cost = self._distance(quantity, cue)
            limit = _FARTHEST_BARE if quantity.unit == "" or cue.key in _CLOSE_BY else _FARTHEST
            if fact.spread and self._percentile(quantity):
                limit = _FARTHEST_SPREAD
            if quantity.unit == "" and quantity.spelled and quantity.value <= 2:
                limit = 1.2
            if cost <= limit:
                again = _FARTHEST_SPREAD if limit == _FARTHEST_SPREAD else _FARTHEST - 3
                yield Meaning(quantity, cue.key, quantity.sure, cost, cue, quantity.because, again)
        yield from self._default(quantity)
        yield from self._only(quantity)

    def _only(self, quantity: Quantity) -> Iterable[Meaning]:
        """The one thing in the whole text that a figure with a unit can be about; far off, so it is asked."""
        facts = (
            {cue.key: cue for cue in self.cues if cue.key in FACTS and _fits(quantity, FACTS[cue.key])} if quantity.unit else {}
        )
        if len(facts) == 1:
            fact, cue = next(iter(facts.items()))
            because = f'it may belong to "{" ".join(word.text for word in self.words[cue.first : cue.last + 1])}"'
            yield Meaning(quantity, fact, False, _LAST + 1, because=because)

    def _default(self, quantity: Quantity) -> Iterable[Meaning]:
        """What a unit says by itself."""
        unit = quantity.unit.replace(quantity.currency, "USD") if quantity.currency else quantity.unit
        if unit == "share" and 0.98 <= quantity.value < 1:
            yield Meaning(quantity, "availability", quantity.sure, _LAST)
        elif unit == "USD":
            yield Meaning(quantity, "price", False, _LAST, because="it may be a price or the most that may be spent")
        elif unit == "USD/second":
            per = quantity.written.split("/")[-1]
            fact = {"months": "monthly_limit", "years": "yearly_limit"}.get(per, "price")
            yield Meaning(quantity, fact, quantity.sure, 2.5 if fact == "price" else _LAST)
        elif unit == "byte" and any(0 < quantity.first - last <= 2 for last in self.processors):
            yield Meaning(quantity, "host_memory", quantity.sure, 4.5, because=quantity.because)
        elif unit == "byte" and any(self._apart(quantity, *part) <= 3 for part in self.parts):
            yield Meaning(quantity, "accelerator_memory", quantity.sure, 5.0, because=quantity.because)
        elif unit == "byte/second" and "bit" in quantity.written:
            yield Meaning(quantity, "network", quantity.sure, 6.0)
        elif unit == "second" and quantity.value >= 3600 and self.trained:
            because = "it may be how long the run may take"
            yield Meaning(quantity, "finish_within", False, _LAST, because=because)
        elif unit == "token/second" and quantity.written.split("/")[-1] in ("h", "days", "weeks", "months", "years"):
            yield Meaning(quantity, "output_tokens_per_second", False, 2.5, because="it may count prompts as well as answers")
        elif unit == "token" and quantity.value >= 1e7:
            yield Meaning(quantity, "dataset_tokens", quantity.sure, _LAST)
        elif unit == "request/second":
            yield Meaning(quantity, "requests_per_second", quantity.sure, 6.0)
        elif unit in _DEFAULTS:
            fact, sure = _DEFAULTS[unit]
            because = "" if sure else "it may be the prompt, the answer or both"
            yield Meaning(quantity, fact, sure and quantity.sure, _LAST, because=because)

    def _counted(self, quantity: Quantity) -> Iterable[Meaning]:
        """What is counted tells most; a cue close by can make people requests at once, or cards a limit."""
        facts = THINGS.get(quantity.thing, ())
        if quantity.thing == "part":
            yield Meaning(quantity, "memory_used", quantity.sure, 0.0)
            return
        if quantity.thing == "nines":
            yield Meaning(quantity, "availability", True, 0.0)
            return
        if quantity.thing == "accelerators" and self._role_before(quantity, "most") and not self._near(quantity, "own", 4):
            yield Meaning(quantity, "max_count", quantity.sure, 0.5)
            return
        if quantity.unit == "request/second":
            for cue in self.cues:
                if cue.key == "requests_per_active_person_per_hour" and self._distance(quantity, cue) <= 5:
                    yield Meaning(quantity, cue.key, quantity.sure, 0.5, cue)
                    return
            yield Meaning(quantity, "requests_per_second", quantity.sure, 1.0)
            return
        batches = [cue for cue in self.cues if cue.key == "batch" and cue.last == quantity.first - 1]
        if batches and quantity.thing in ("samples", "documents", "requests"):
            yield Meaning(quantity, "batch", quantity.sure, 0.0, batches[0])
            return
        for cue in self.cues:
            told = cue.key in facts[1:] or (cue.key == "concurrent_requests" and quantity.thing == "requests")
            if told and not self._shared(quantity):
                cost = self._distance(quantity, cue)
                if cost <= 3.2:
                    yield Meaning(quantity, cue.key, quantity.sure, cost, cue)
        if quantity.thing == "requests":
            if quantity.value >= 2:
                yield Meaning(quantity, facts[0], False, 6.0, because="it may be at once, or in a span of time")
            return
        fact = facts[0] if facts else ""
        if fact in FACTS and _within(quantity, FACTS[fact]):
            yield Meaning(quantity, fact, quantity.sure, 4.0)

    def _shared(self, quantity: Quantity) -> bool:
        """Whether a share of those counted stands before them: "15 % of the 3,000 employees at once"."""
        return any(each.unit == "share" and 0 < quantity.first - each.last <= 3 for each in self.quantities)

    def _offers_share(self, quantity: Quantity) -> Iterable[Meaning]:
        """A share of people counted behind it, and a bare 99.9 beside a word for availability."""
        if quantity.unit == "share" and any(
            each.thing == "people" and 0 < each.first - quantity.last <= 3 for each in self.quantities
        ):
            yield Meaning(quantity, "active_share", quantity.sure, 0.0)
        if quantity.unit == "" and 90 <= quantity.value < 100:
            for cue in self.cues:
                if cue.key == "availability" and self._distance(quantity, cue) <= _FARTHEST_BARE:
                    share = replace(quantity, value=quantity.value / 100, unit="share")
                    yield Meaning(share, "availability", quantity.sure, 1.0, cue, of=quantity)

    def _offers_energy(self, quantity: Quantity) -> Iterable[Meaning]:
        """Money beside a word for electricity is its price for a kilowatt hour."""
        for cue in self.cues:
            if cue.key == "electricity" and quantity.unit == quantity.currency != "" and quantity.value < 2:
                if self._distance(quantity, cue) <= _FARTHEST_BARE:
                    price = replace(quantity, value=quantity.value / _KWH, unit=f"{quantity.currency}/joule")
                    yield Meaning(price, "electricity", quantity.sure, 0.5, cue, of=quantity)

    def _finished(self, meaning: Meaning) -> Meaning:
        """The fact with the percentile it is stated for, and what the words around turn it into."""
        quantity, fact = meaning.quantity, meaning.fact
        spread = FACTS.get(fact)
        if spread is not None and spread.spread:
            percentile = self._percentile(quantity)
            if fact in ("input_tokens", "output_tokens"):
                fact = fact if percentile in (None, "mean") else f"{fact}_{percentile}"
            else:
                fact = f"{fact}_{percentile if percentile not in (None, 'max') else 'mean'}"
        if quantity.unit == "token/second" and fact in ("throughput", "output_tokens_per_second", "tpot"):
            if self._near(quantity, "per_user", 2) and not self._near(quantity, "observed", 4):
                fact = "tpot_mean"
            elif fact == "output_tokens_per_second" or (
                self._near(quantity, "wish", 5) and not self._near(quantity, "observed", 3)
            ):
                fact = "output_tokens_per_second"
        if fact in ("purchase_limit", "price") and quantity.unit == quantity.currency:
            for role, limit, span in (("monthly", "monthly_limit", _YEAR / 12), ("yearly", "yearly_limit", _YEAR)):
                if self._near(quantity, role, 4):
                    quantity = replace(quantity, value=quantity.value / span, unit=f"{quantity.currency}/second")
                    return Meaning(quantity, limit, True, meaning.cost, meaning.cue)
        if fact == "batch" and self._near(quantity, "per_accelerator", 3):
            fact = "micro_batch"
        if fact in ("monthly_limit", "yearly_limit") and quantity.written.endswith("/h"):
            fact = "price"
        if fact in ("monthly_limit", "yearly_limit"):
            fact = "yearly_limit" if quantity.written.endswith("years") else "monthly_limit"
        return Meaning(quantity, fact, meaning.sure, meaning.cost, meaning.cue, meaning.because)

    def _percentile(self, quantity: Quantity) -> str | None:
        """The percentile that stands nearest to this figure, and to no other of its kind."""
        best: tuple[float, str] | None = None
        for each in self.percentiles:
            cost = self._distance(quantity, each)
            others = [other for other in self.quantities if other is not quantity and other.unit == quantity.unit]
            if any(self._distance(other, each) < cost for other in others):
                continue
            if cost <= 8 and (best is None or cost < best[0]):
                best = (cost, each.key)
        return best[1] if best else None

    def _apart(self, quantity: Quantity, first: int, last: int) -> float:
        if last < quantity.first:
            return quantity.first - last - 1 + parting(self.words, last, quantity.first) / 2
        return first - quantity.last - 1 + parting(self.words, quantity.last, first) / 2

    def _near(self, quantity: Quantity, role: str, within: float) -> bool:
        return any(each.key == role and self._distance(quantity, each) <= within for each in self.roles)

    def _role_before(self, quantity: Quantity, role: str) -> bool:
        return any(each.key == role and 0 <= quantity.first - each.last - 1 <= 1 for each in self.roles)

    def _distance(self, quantity: Quantity, cue: Match) -> float:
        """How far a phrase stands from a figure: words between, more for signs and for another figure of the kind in between."""
        if cue.last < quantity.first:
            first, last, apart = cue.last, quantity.first, quantity.first - cue.last - 1
            if cue.family == "after":
                return 99.0
        elif cue.first > quantity.last:
            first, last, apart = quantity.last, cue.first, cue.first - quantity.last - 1
            if cue.family == "before" or (cue.family == "after" and apart > 0):
                return 99.0
        else:
            return 0.0
        aside = 1.0 if cue.family in ("before", "after") else 0.0
        cost = aside + apart + parting(self.words, first, last) + (0.4 if cue.first > quantity.last and apart else 0.0)
        between = [each for each in self.quantities if first < each.first < last and _alike(each, quantity)]
        return cost + 3 * len(between) - 0.3 * (cue.length - 1)


def _alike(one: Quantity, other: Quantity) -> bool:
    return one.unit == other.unit or one.unit == "" or other.unit == ""


def _within(quantity: Quantity, fact: ReadFact) -> bool:
    return fact.low <= quantity.value <= fact.high


def _fits(quantity: Quantity, fact: ReadFact) -> bool:
    """Whether a quantity can be this fact: its unit, and its size."""
    if not _within(quantity, fact):
        return False
    unit = quantity.unit.replace(quantity.currency, "USD") if quantity.currency else quantity.unit
    if unit == "":
        return fact.bare and quantity.value >= fact.least_bare
    return unit in fact.unit.split("|")
