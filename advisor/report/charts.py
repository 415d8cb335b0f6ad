"""Charts of a plan as SVG: memory of an accelerator, times with their ranges and targets, rents side by side.

The drawing library escapes nothing, so every text goes through `_words`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import svg
from markupsafe import escape

from advisor.plan.plan import Configuration, WorkloadPlan
from advisor.report.memory_parts import memory_parts
from advisor.report.words import called, written
from advisor.units import show, show_base

Anchor = Literal["start", "middle", "end"]
_WIDTH = 720
_ROW = 24
_LABEL = 210
_VALUE = 150
# Each at least 3 : 1 against white, told apart in grey print by their order and their legend.
_FILLS = ("#14476b", "#b3541e", "#1d7a5f", "#6f3f8f", "#7a6512", "#9b2242", "#3c5a99", "#4d4d4d")
_TIMES = (
    ("time_to_first_token", "first_token_target"),
    ("time_per_output_token", "token_target"),
    ("request_latency", "latency_target"),
)
_PERCENTILES = ("p50", "p95", "p99")


@dataclass(frozen=True)
class Chart:
    """A drawing with its title; `svg` is markup ready to stand in a page."""

    title: str
    svg: str


def charts(workload: WorkloadPlan, *, prefix: str = "chart") -> tuple[Chart, ...]:
    """The charts that a workload's plan has figures for. prefix: makes the ids inside unique on a page."""
    drawn = (
        _memory(workload, f"{prefix}-memory"),
        *(_times(workload, mean, target, f"{prefix}-{mean}") for mean, target in _TIMES),
        _rents(workload, f"{prefix}-rent"),
    )
    return tuple(each for each in drawn if each is not None)


def _memory(workload: WorkloadPlan, id: str) -> Chart | None:
    parts = memory_parts(workload)
    if not parts:
        return None
    whole = sum(part.bytes for part in parts)
    elements: list[svg.Element] = []
    left = 0.0
    legend: list[svg.Element] = []
    for number, part in enumerate(parts):
        width = _WIDTH * part.bytes / whole
        fill = "#ffffff" if part.free else _FILLS[number % len(_FILLS)]
        elements.append(_bar(left, 4, width, 34, fill))
        left += width
        column, row = number % 2, number // 2
        x, y = column * _WIDTH / 2, 58 + row * _ROW
        legend.append(_bar(x, y - 12, 14, 14, fill))
        legend.append(_words(x + 22, y, f"{part.name}  {show(part.bytes, 'GiB')}  ({100 * part.bytes / whole:.0f} %)"))
    title = "Memory of the fullest accelerator"
    says = ", ".join(f"{part.name} {show(part.bytes, 'GiB')}" for part in parts)
    height = 58 + _ROW * ((len(parts) + 1) // 2)
    return Chart(title, _drawing(id, title, says, height, [*elements, *legend]))


def _times(workload: WorkloadPlan, mean: str, target: str, id: str) -> Chart | None:
    chosen = workload.recommended
    if chosen is None or mean not in chosen.estimates:
        return None
    rows = [
        (name, chosen.estimates[name])
        for name in (mean, *(f"{mean}_{each}" for each in _PERCENTILES))
        if name in chosen.estimates
    ]
    wanted = workload.facts.get(target)
    limit = wanted.value if wanted is not None and isinstance(wanted.value, float) else None
    top = 1.05 * max(*(figure.high or figure.value for _, figure in rows), limit or 0.0)
    room = _WIDTH - _LABEL - _VALUE

    def at(value: float) -> float:
        return _LABEL + room * value / top

    elements: list[svg.Element] = []
    for number, (name, figure) in enumerate(rows):
        y = 20 + number * _ROW
        label = "mean" if name == mean else name.rsplit("_", 1)[1].upper()
        elements.append(_words(0, y + 5, f"{called(mean)}, {label}"))
        low, high = figure.low or figure.value, figure.high or figure.value
        elements.append(svg.Line(x1=_LABEL, x2=_LABEL + room, y1=y, y2=y, stroke="#c9ced6", stroke_width=1))
        elements.append(_bar(at(low), y - 6, max(1.0, at(high) - at(low)), 12, "#9db8cf"))
        elements.append(svg.Circle(cx=at(figure.value), cy=y, r=5, fill=_FILLS[0]))
        elements.append(_words(_WIDTH, y + 5, written(name, figure.value, figure.unit), anchor="end"))
    height = 20 + _ROW * len(rows)
    if limit is not None:
        x = at(limit)
        elements.append(svg.Line(x1=x, x2=x, y1=4, y2=height - 8, stroke=_FILLS[5], stroke_width=2, stroke_dasharray=[6, 4]))
        elements.append(_words(min(x, _WIDTH - 60), height + 10, f"target {show_base(limit, 'second')}", anchor="middle"))
        height += _ROW - 6
    title = f"{called(mean).capitalize()}: estimate and 80 % range"
    says = ", ".join(f"{called(name)} {written(name, figure.value, figure.unit)}" for name, figure in rows)
    return Chart(title, _drawing(id, title, says, height, elements))


def _rents(workload: WorkloadPlan, id: str) -> Chart | None:
    chosen = workload.recommended
    if chosen is None or chosen.layout is not None or chosen.rent is None:
        return None
    priced = [(each, each.rent.total) for each in (chosen, *workload.alternatives) if each.rent is not None]
    if len(priced) < 2:
        return None
    top = max(rent for _, rent in priced)
    elements: list[svg.Element] = []
    for number, (each, rent) in enumerate(priced):
        y = 30 + number * 2 * _ROW
        elements.append(_words(0, y - 10, f"{each.role}: {_shortly(each)}"))
        elements.append(_bar(0, y - 4, (_WIDTH - _VALUE) * rent / top, 16, _FILLS[0] if number == 0 else "#8a97a6"))
        elements.append(_words((_WIDTH - _VALUE) * rent / top + 8, y + 9, show(rent, "USD/month", digits=4)))
    title = "Rent at list price, recommended and alternatives"
    says = ", ".join(f"{_shortly(each)} {show(rent, 'USD/month', digits=4)}" for each, rent in priced)
    return Chart(title, _drawing(id, title, says, 16 + 2 * _ROW * len(priced), elements))


def _shortly(each: Configuration) -> str:
    return f"{each.accelerators} × {each.accelerator_name}, {each.precision}"


def _bar(x: float, y: float, width: float, height: float, fill: str) -> svg.Rect:
    return svg.Rect(x=_round(x), y=_round(y), width=_round(width), height=height, fill=fill, stroke="#333333", stroke_width=0.6)


def _words(x: float, y: float, text: str, *, anchor: Anchor = "start") -> svg.Text:
    return svg.Text(x=_round(x), y=_round(y), text=str(escape(text)), text_anchor=anchor, font_size=14, fill="#1c2128")


def _drawing(id: str, title: str, says: str, height: float, elements: Sequence[svg.Element]) -> str:
    return str(
        svg.SVG(
            viewBox=svg.ViewBoxSpec(-2, 0, _WIDTH + 4, height + 6),
            elements=list(_named(id, title, says, elements)),
            extra={"role": "img", "aria-labelledby": f"{id}-title {id}-says", "focusable": "false"},
        )
    )


def _named(id: str, title: str, says: str, elements: Sequence[svg.Element]) -> Iterator[svg.Element]:
    yield svg.Title(id=f"{id}-title", text=str(escape(title)))
    yield svg.Desc(id=f"{id}-says", text=str(escape(says)))
    yield from elements


def _round(value: float) -> float:
    return round(value, 2)
