"""Steps by which a fact is made smaller or larger, and the values a sweep tries."""

from bisect import bisect_left, bisect_right
from math import floor, log10

from advisor.questionnaire.question import Question

# Round numbers about a fifth apart, so that a few presses double a value.
_LADDER = (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0)
_WHOLE = ("request", "token", "person")
_SWEEP = (0.25, 0.35, 0.5, 0.7, 0.85, 1.0, 1.25, 1.5, 2.0, 3.0, 4.0)


def stepped(question: Question, value: float, steps: int) -> float:
    """The value so many round numbers further, within what the question takes; counts stay whole."""
    for _ in range(abs(steps)):
        value = _next(value, up=steps > 0, whole=_whole(question))
    return _within(question, value)


def swept(question: Question, value: float) -> tuple[float, ...]:
    """Values from a quarter of this one to four times it, each once, in order."""
    tried = (_within(question, round(value * each) if _whole(question) else value * each) for each in _SWEEP)
    return tuple(sorted({*tried, _within(question, value)}))


def _whole(question: Question) -> bool:
    return question.unit in _WHOLE or question.fact in ("max_count", "epochs")


def _next(value: float, *, up: bool, whole: bool) -> float:
    if value <= 0:
        return (1.0 if whole else 0.1) if up else 0.0
    decade = 10.0 ** floor(log10(value))
    rungs = [decade * factor * rung for factor in (0.1, 1.0, 10.0) for rung in _LADDER]
    if whole:
        rungs = sorted({float(round(rung)) for rung in rungs if round(rung) >= 1})
    tolerance = 1e-9 * value
    if up:
        return rungs[bisect_right(rungs, value + tolerance)]
    place = bisect_left(rungs, value - tolerance)
    return rungs[place - 1] if place else value


def _within(question: Question, value: float) -> float:
    if question.between is None:
        return value
    low, high = question.between
    return min(max(value, low), high)
