"""What each figure of a text means: by what it counts, by its unit, and by the cue that stands nearest to it."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from advisor.language.counted import CountedThings
from advisor.language.facts import FACTS
from advisor.language.meanings import Meaning, base_of, fits
from advisor.language.measured import MeasuredThings
from advisor.language.measures import Quantity
from advisor.language.nearness import Nearness
from advisor.language.phrases import Match
from advisor.language.tokens import Word

_FARTHEST = 7.0
_FARTHEST_BARE = 3.6
# Facts whose cues are common words, which tell only of what is near.
_CLOSE_BY = {"growth_per_year", "accelerator_memory", "accelerator_power", "output_tokens_per_second", "tokens_per_sample"}
# A target told again for another percentile stands farther from its cue.
_FARTHEST_SPREAD = 15.0
_YEAR = 365 * 86400.0
_TRAINING = ("kind:fine-tuning", "kind:pretraining", "kind:training")


class FigureReader:
    """Gives each quantity of a text its fact."""

    def __init__(
        self,
        words: Sequence[Word],
        matches: Sequence[Match],
        quantities: Sequence[Quantity],
        parts: Sequence[tuple[int, int]] = (),
        processors: Sequence[int] = (),
        asked: str | None = None,
    ) -> None:
        """asked: the fact that the text answers. parts: first and last words of the accelerators named. processors: last words
        of those named.
        """
        chosen = [each.key for each in matches if each.family == "choice"]
        trained = any(key in _TRAINING or key.startswith("method:") for key in chosen)
        fact = base_of(asked) if asked else None
        self.trained = trained
        self.quantities = quantities
        self.nearness = Nearness(words, matches, quantities)
        self.counted = CountedThings(self.nearness, fact)
        self.measured = MeasuredThings(self.nearness, parts, processors, trained, fact)

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
            yield from self.counted.offers(quantity)
            return
        yield from self.measured.surely(quantity)
        if quantity.unit == "byte" and any(
            each.thing == "part" and 0 < quantity.first - each.last <= 3 for each in self.nearness.figures(quantity)
        ):
            yield Meaning(quantity, "accelerator_memory", quantity.sure, 0.0)
            return
        for cue in self.nearness.cues(quantity):
            fact = FACTS.get(cue.key)
            if fact is None or not fits(quantity, fact):
                continue
            # What another figure counts tells less about this one: the users of "60 users".
            cost = self.nearness.distance(quantity, cue) + 1.5 * self._counts(cue, quantity)
            limit = _FARTHEST_BARE if quantity.unit == "" or cue.key in _CLOSE_BY else _FARTHEST
            if fact.spread and self.nearness.percentile(quantity):
                limit = _FARTHEST_SPREAD
            if quantity.unit == "" and quantity.spelled and quantity.value <= 2:
                limit = 1.2
            if cost <= limit:
                again = _FARTHEST_SPREAD if limit == _FARTHEST_SPREAD else _FARTHEST - 3
                yield Meaning(quantity, cue.key, quantity.sure, cost, cue, quantity.because, again)
        yield from self.measured.otherwise(quantity)

    def _counts(self, cue: Match, quantity: Quantity) -> bool:
        """Whether a cue is what another figure counts."""
        return any(
            each.thing and each is not quantity and each.first < cue.first <= each.last
            for each in self.nearness.figures(quantity)
        )

    def _finished(self, meaning: Meaning) -> Meaning:
        """The fact with the percentile it is stated for, and what the words around turn it into."""
        quantity, fact = meaning.quantity, meaning.fact
        spread = FACTS.get(fact)
        if spread is not None and spread.spread:
            percentile = self.nearness.percentile(quantity)
            if fact in ("input_tokens", "output_tokens"):
                fact = fact if percentile in (None, "mean") else f"{fact}_{percentile}"
            else:
                fact = f"{fact}_{percentile if percentile not in (None, 'max') else 'mean'}"
        if quantity.unit == "token/second" and fact in ("throughput", "output_tokens_per_second", "tpot"):
            if self.nearness.near(quantity, "per_user", 2) and not self.nearness.near(quantity, "observed", 4):
                fact = "tpot_mean"
            elif fact == "output_tokens_per_second" or (
                self.nearness.near(quantity, "wish", 5) and not self.nearness.near(quantity, "observed", 3)
            ):
                fact = "output_tokens_per_second"
        if fact in ("purchase_limit", "price") and quantity.unit == quantity.currency:
            for role, limit, span in (("monthly", "monthly_limit", _YEAR / 12), ("yearly", "yearly_limit", _YEAR)):
                if self.nearness.near(quantity, role, 4):
                    quantity = replace(quantity, value=quantity.value / span, unit=f"{quantity.currency}/second")
                    return Meaning(quantity, limit, True, meaning.cost, meaning.cue)
        counted = any(each.thing == "samples" for each in self.nearness.figures(quantity))
        if fact == "tokens_per_sample" and not self.trained and not counted:
            fact = "input_tokens"
        if fact == "batch" and self.nearness.near(quantity, "per_accelerator", 3):
            fact = "micro_batch"
        if fact in ("monthly_limit", "yearly_limit") and quantity.written.endswith("/h"):
            fact = "price"
        if fact in ("monthly_limit", "yearly_limit"):
            fact = "yearly_limit" if quantity.written.endswith("years") else "monthly_limit"
        return Meaning(quantity, fact, meaning.sure, meaning.cost, meaning.cue, meaning.because)
