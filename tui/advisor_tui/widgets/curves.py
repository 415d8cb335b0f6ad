"""Plots: a quantity's mean and percentiles with their ranges, and a quantity over the values of a fact."""

from collections.abc import Sequence

from rich.segment import Segment
from rich.style import Style
from textual.app import ComposeResult
from textual.containers import Grid
from textual.strip import Strip
from textual_hires_canvas import Canvas
from textual_plot import HiResMode, PlotWidget
from textual_plot.axis_formatter import CategoricalAxisFormatter
from textual_plot.plot_widget import Legend

from advisor.plan.plan import Configuration

_POINTS = (("", "mean"), ("_p50", "P50"), ("_p95", "P95"), ("_p99", "P99"))
_UNITS = ((1.0, "s"), (1e-3, "ms"))


class _Canvas(Canvas):
    """A canvas whose every segment has a style: without colour the framework reads it."""

    def render_line(self, y: int) -> Strip:
        strip = super().render_line(y)
        return Strip([Segment(each.text, each.style or Style(), each.control) for each in strip], strip.cell_length)


class Plot(PlotWidget, can_focus=False):
    """A plot that is only looked at, in colour or without."""

    def compose(self) -> ComposeResult:
        with Grid():
            for id in ("margin-top", "margin-left", "plot", "margin-bottom"):
                yield _Canvas(1, 1, id=id)
        yield Legend(id="legend")


class Percentiles(Plot):
    """Mean, P50, P95 and P99 of a time, each with its 80 % range, and the target as a line."""

    def __init__(self, quantity: str, *, id: str | None = None) -> None:
        super().__init__(id=id, allow_pan_and_zoom=False)
        self.quantity = quantity

    def on_mount(self) -> None:
        """There is no label below the axis to leave room for."""
        self.margin_bottom = 2

    def show(self, chosen: Configuration, target: float | None) -> bool:
        """Draw the times of a configuration; false where it has none."""
        self.clear()
        found = [(label, chosen.estimates[name]) for end, label in _POINTS if (name := self.quantity + end) in chosen.estimates]
        if not found:
            return False
        factor, unit = scale(found[0][1].value)
        for x, (_, figure) in enumerate(found, 1):
            if figure.low is not None and figure.high is not None:
                self.plot([x, x], [figure.low / factor, figure.high / factor], line_style="cyan", hires_mode=HiResMode.BRAILLE)
        if target is not None:
            ends = [0.5, len(found) + 0.5]
            self.plot(ends, [target / factor, target / factor], line_style="red", hires_mode=HiResMode.BRAILLE)
        self.scatter(range(1, len(found) + 1), [figure.value / factor for _, figure in found], marker="●", marker_style="bold")
        tops = [figure.high or figure.value for _, figure in found]
        self.set_x_formatter(CategoricalAxisFormatter([label for label, _ in found]))
        self.set_xlimits(0.5, len(found) + 0.5)
        self.set_ylimits(0, 1.1 * max(*tops, target or 0) / factor)
        self.set_ylabel(unit)
        return True


class Curve(Plot):
    """One quantity over the values of a fact."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, allow_pan_and_zoom=False)

    def show(self, xs: Sequence[float], ys: Sequence[float], *, now: float, x_label: str, y_label: str) -> None:
        """Draw the points joined, and where the fact stands now."""
        self.clear()
        if not xs:
            return
        self.plot(xs, ys, line_style="cyan", hires_mode=HiResMode.BRAILLE)
        self.scatter(xs, ys, marker="●", marker_style="bold")
        self.add_v_line(now, line_style="yellow")
        self.set_ylimits(0, 1.1 * max(ys) or 1)
        self.set_xticks(sorted({min(xs), max(xs)}))
        self.set_xlabel(x_label)
        self.set_ylabel(y_label)


def scale(seconds: float) -> tuple[float, str]:
    """The unit of time that shows a value with few digits, with its size in seconds."""
    return _UNITS[0] if seconds >= 1 else _UNITS[1]
