"""What is chosen, there, or wrong: kinds, methods, places of work, flags such as NVLink, countries and cities, symptoms."""

from collections.abc import Iterable, Sequence

from advisor.language.marked_text import MarkedText
from advisor.language.measures import Quantity
from advisor.language.mentions import Mention
from advisor.language.negation import NegationReader
from advisor.language.readings import Reading

# Kinds that say more than that something is served.
_TELLING_KINDS = ("rag", "agent", "batch-inference", "fine-tuning", "pretraining", "evaluation")


class ChoiceReader:
    """Reads the choices of a text."""

    def __init__(
        self, marked: MarkedText, mentions: Sequence[Mention], quantities: Sequence[Quantity], negation: NegationReader
    ) -> None:
        self.marked = marked
        self.quantities = quantities
        self.negation = negation
        self.named = {place for each in mentions if each.kind != "engine" for place in range(each.first, each.last + 1)}
        self.people = {place for each in quantities if each.thing == "people" for place in range(each.first, each.last + 1)}

    def readings(self) -> list[Reading]:
        """Every choice once, those that say more before those that say less."""
        found: dict[tuple[str, str, bool], Reading] = {}
        choices = self.marked.of("choice")
        spans = [(each.first, each.last) for each in choices]
        for each in choices:
            fact, value = each.key.split(":", 1)
            if fact == "symptom" or each.first in self.named or (value == "agent" and each.first in self.people):
                continue
            negated = self.negation.excludes(each.first, each.last, [span for span in spans if span[1] < each.first])
            found.setdefault((fact, value, negated), self.marked.reading(fact, value, each.first, each.last, negated=negated))
        return [*_settled(list(found.values())), *self._flags(), *self._places()]

    def symptoms(self) -> tuple[str, ...]:
        """What is said to go wrong, in the order it is said."""
        found: list[str] = []
        for each in self.marked.of("choice"):
            fact, value = each.key.split(":", 1)
            # "not faster" is slow, but "no crash" is none.
            if fact == "symptom" and (value == "slow" or not self.negation.excludes(each.first, each.last)):
                found.append(value)
        return tuple(dict.fromkeys(found))

    def _flags(self) -> Iterable[Reading]:
        """Things that are there or not."""
        seen: set[str] = set()
        for each in self.marked.of("flag"):
            # "no gpu" and "without a gpu" are phrases of their own.
            there = each.key == "on_cpu" or not self.negation.excludes(each.first, each.last)
            # A network with its speed says by itself that it is there.
            told = each.key == "infiniband" and there and any(quantity.unit == "byte/second" for quantity in self.quantities)
            if each.key != "quantization" and not told and each.key not in seen:
                seen.add(each.key)
                yield self.marked.reading(each.key, there, each.first, each.last)

    def _places(self) -> Iterable[Reading]:
        """Countries where data must stay, and cities where machines stand; both are written with a capital."""
        residency = self.marked.roles("residency")
        for each in self.marked.roles("countries", "cities"):
            shown = self.marked.part(each.first, each.last)
            if not shown[:1].isupper():
                continue
            if each.key == "cities":
                yield self.marked.reading("region", shown, each.first, each.last)
            elif any(abs(other.first - each.first) <= 5 for other in residency):
                yield self.marked.reading("residency", shown, each.first, each.last)


def _settled(found: list[Reading]) -> list[Reading]:
    """Fine-tuning goes before training, a batch job before serving, a hybrid before its parts."""
    values = {(each.fact, str(each.value)) for each in found if not each.negated}
    kept: list[Reading] = []
    for each in found:
        kind = str(each.value) if each.fact == "kind" and not each.negated else ""
        if kind == "training":
            if values & {("kind", "fine-tuning"), ("kind", "pretraining")} or any(fact == "method" for fact, _ in values):
                continue
            because = "it may be a training from the start or a fine-tuning"
            among = ("fine-tuning", "pretraining")
            kept.append(each.model_copy(update={"value": None, "sure": False, "among": among, "because": because}))
        elif kind == "realtime-inference" and any(("kind", telling) in values for telling in _TELLING_KINDS):
            continue
        elif each.fact == "deployment" and each.value in ("cloud", "on-premises") and ("deployment", "hybrid") in values:
            continue
        else:
            kept.append(each)
    return kept
