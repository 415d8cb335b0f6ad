"""Terms that stand in a text, and catalogue entries in one sentence."""

from advisor.catalogue.accelerator import Accelerator
from advisor.catalogue.model import Model
from advisor.catalogue.saying import Term
from advisor.library import Library
from advisor.units import number, show


def terms_in(library: Library, text: str) -> tuple[Term, ...]:
    """The terms that stand in a text, in the order in which they do."""
    padded = f" {' '.join(''.join(c if c.isalnum() or c == '-' else ' ' for c in text.lower()).split())} "
    places = []
    for term in library.all(Term):
        where = [padded.find(f" {alias} ") for alias in term.aliases]
        where = [place for place in where if place >= 0]
        if where:
            places.append((min(where), term))
    return tuple(term for _, term in sorted(places, key=lambda each: each[0]))


def model_card(model: Model) -> str:
    """One sentence on a model."""
    total, active = model.parameters.total, model.parameters.active
    size = f"{number(total / 1e9)} billion parameters"
    if active and active < 0.9 * total:
        size += f", {number(active / 1e9)} billion of them active for a token"
    context = f", made for {model.context:,.0f} tokens of context" if model.context else ""
    return f"{model.name} is a {model.task} model with {size}{context}."


def accelerator_card(part: Accelerator) -> str:
    """One sentence on an accelerator."""
    said = [show(part.memory, "GB") + " of memory" if part.memory else ""]
    if part.memory_bandwidth:
        said.append(f"{part.memory_bandwidth / 1e9:,.0f} GB/s of memory bandwidth")
    if part.compute.get("bf16"):
        said.append(f"{part.compute['bf16'] / 1e12:,.0f} TFLOP/s dense in BF16")
    if part.power:
        said.append(f"{part.power:,.0f} W of design power")
    return f"{part.name} has {', '.join(each for each in said if each)}."
