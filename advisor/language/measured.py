"""What a figure means by its unit alone, by the names beside it, or by the one thing in its text that it can be about."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from advisor.language.facts import FACTS
from advisor.language.meanings import LAST, Meaning, fits
from advisor.language.measures import Quantity
from advisor.language.nearness import Nearness

_KWH = 3.6e6
_CLOSE = 3.6
# An answer goes before what a unit alone says, and behind a cue close by.
_ANSWER = 0.8
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


class MeasuredThings:
    """Tells what the measured figures of one text mean without a cue beside them."""

    def __init__(
        self,
        nearness: Nearness,
        parts: Sequence[tuple[int, int]],
        processors: Sequence[int],
        trained: bool,
        asked: str | None = None,
    ) -> None:
        """asked: the fact that the text answers. parts: first and last words of the accelerators named. processors: last words
        of those named. trained: whether the text speaks of training.
        """
        self.nearness = nearness
        self.parts = parts
        self.processors = processors
        self.trained = trained
        self.asked = asked

    def surely(self, quantity: Quantity) -> Iterable[Meaning]:
        """What goes before any cue: shares of people, availability without a percent sign, the price of energy."""
        yield from self._share(quantity)
        yield from self._energy(quantity)

    def otherwise(self, quantity: Quantity) -> Iterable[Meaning]:
        """What is left where no cue tells."""
        share = self.asked is not None and FACTS[self.asked].unit == "share"
        if self.asked is not None and share and quantity.unit == "" and 1 < quantity.value <= 100:
            percentage = replace(quantity, value=quantity.value / 100, unit="share")
            yield Meaning(percentage, self.asked, quantity.sure, _ANSWER, of=quantity)
        if self.asked is not None and fits(quantity, FACTS[self.asked], asked=True):
            yield Meaning(quantity, self.asked, quantity.sure, _ANSWER, because=quantity.because)
        yield from self._default(quantity)
        yield from self._only(quantity)

    def _share(self, quantity: Quantity) -> Iterable[Meaning]:
        """A share of people counted behind it, and a bare 99.9 beside a word for availability."""
        if quantity.unit == "share" and any(
            each.thing == "people" and 0 < each.first - quantity.last <= 3 for each in self.nearness.figures(quantity)
        ):
            yield Meaning(quantity, "active_share", quantity.sure, 0.0)
        if quantity.unit == "" and 90 <= quantity.value < 100:
            for cue in self.nearness.cues(quantity):
                if cue.key == "availability" and self.nearness.distance(quantity, cue) <= _CLOSE:
                    share = replace(quantity, value=quantity.value / 100, unit="share")
                    yield Meaning(share, "availability", quantity.sure, 1.0, cue, of=quantity)

    def _energy(self, quantity: Quantity) -> Iterable[Meaning]:
        """Money beside a word for electricity is its price for a kilowatt hour."""
        for cue in self.nearness.cues(quantity):
            if cue.key == "electricity" and quantity.unit == quantity.currency != "" and quantity.value < 2:
                if self.nearness.distance(quantity, cue) <= _CLOSE:
                    price = replace(quantity, value=quantity.value / _KWH, unit=f"{quantity.currency}/joule")
                    yield Meaning(price, "electricity", quantity.sure, 0.5, cue, of=quantity)

    def _default(self, quantity: Quantity) -> Iterable[Meaning]:
        """What a unit says by itself."""
        unit = quantity.unit.replace(quantity.currency, "USD") if quantity.currency else quantity.unit
        if unit == "share" and 0.98 <= quantity.value < 1:
            yield Meaning(quantity, "availability", quantity.sure, LAST)
        elif unit == "USD":
            yield Meaning(quantity, "price", False, LAST, because="it may be a price or the most that may be spent")
        elif unit == "USD/second":
            per = quantity.written.split("/")[-1]
            fact = {"months": "monthly_limit", "years": "yearly_limit"}.get(per, "price")
            yield Meaning(quantity, fact, quantity.sure, 2.5 if fact == "price" else LAST)
        elif unit == "byte" and any(0 < quantity.first - last <= 2 for last in self.processors):
            yield Meaning(quantity, "host_memory", quantity.sure, 4.5, because=quantity.because)
        elif unit == "byte" and any(self.nearness.apart(quantity, *part) <= 3 for part in self.parts):
            yield Meaning(quantity, "accelerator_memory", quantity.sure, 5.0, because=quantity.because)
        elif unit == "byte/second" and "bit" in quantity.written:
            yield Meaning(quantity, "network", quantity.sure, 6.0)
        elif unit == "second" and quantity.value >= 3600 and self.trained:
            because = "it may be how long the run may take"
            yield Meaning(quantity, "finish_within", False, LAST, because=because)
        elif unit == "token/second" and quantity.written.split("/")[-1] in ("h", "days", "weeks", "months", "years"):
            yield Meaning(quantity, "output_tokens_per_second", False, 2.5, because="it may count prompts as well as answers")
        elif unit == "token" and quantity.value >= 1e7:
            because = "it may be a dataset, or what is read and written in a span of time"
            yield Meaning(quantity, "dataset_tokens", quantity.sure and self.trained, LAST, because=because)
        elif unit == "request/second":
            yield Meaning(quantity, "requests_per_second", quantity.sure, 6.0)
        elif unit in _DEFAULTS:
            fact, sure = _DEFAULTS[unit]
            because = "" if sure else "it may be the prompt, the answer or both"
            yield Meaning(quantity, fact, sure and quantity.sure, LAST, because=because)

    def _only(self, quantity: Quantity) -> Iterable[Meaning]:
        """The one thing in the whole text that a figure with a unit can be about; far off, so it is asked."""
        if not quantity.unit:
            return
        facts = {cue.key: cue for cue in self.nearness.cues(quantity) if cue.key in FACTS and fits(quantity, FACTS[cue.key])}
        if len(facts) == 1:
            fact, cue = next(iter(facts.items()))
            because = f'it may belong to "{" ".join(word.text for word in self.nearness.words[cue.first : cue.last + 1])}"'
            yield Meaning(quantity, fact, False, LAST + 1, because=because)
