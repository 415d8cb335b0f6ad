"""How a part runs a weight format, by the lists that the format's entry keeps of architectures and vendors."""

from collections.abc import Iterator
from typing import Literal

from advisor.catalogue.accelerator import Accelerator
from advisor.catalogue.formats import Format

Running = Literal["native", "weight-only", "no", "unknown"]


def how_it_runs(part: Accelerator, form: Format) -> Running:
    """Whether kernels for a weight format exist on a part, and what they compute in.

    native: in the arithmetic the format was made for, `compute` of its entry. weight-only: weights are kept in the format and
    widened to 16 bit in the kernel, so they save memory and its traffic, and compute runs at the 16-bit rate. no: the engines
    have no kernel. unknown: no source was found that says either, so nothing may be refused for it.

    The most specific statement holds: a longer beginning of the architecture's name before a shorter one, any of these before
    the vendor. It speaks of kernels, not of the part's `compute`, whose gaps are gaps of datasheets. Source: the lists of the
    format's entry.
    """
    stated = max(_statements(part, form), default=None)
    return "unknown" if stated is None else stated[1]


def _statements(part: Accelerator, form: Format) -> Iterator[tuple[int, Running]]:
    """What the lists say of a part, each with how specific it is: the length of what matched, 0 for a vendor."""
    listed: tuple[tuple[Running, tuple[str, ...]], ...] = (
        ("native", form.runs_on),
        ("weight-only", form.weight_only_on),
        ("no", form.not_on),
    )
    for running, names in listed:
        for name in names:
            if _begins(part.architecture, name):
                yield len(name), running
            elif part.vendor == name:
                yield 0, running


def _begins(architecture: str, name: str) -> bool:
    """Whether a name begins with another, whole words counted: Turing is no Turin, but CDNA3 is a CDNA."""
    return architecture.startswith(name) and not architecture[len(name) : len(name) + 1].isalpha()
