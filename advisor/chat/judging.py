"""Conversations with a right answer: a case is played turn by turn, and all that was said is judged by what it expects."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from pydantic import Field, ValidationError

from advisor.catalogue.record import Record
from advisor.catalogue.saying import Inquiry
from advisor.chat.asking import asks_for
from advisor.chat.dialogue import Dialogue
from advisor.chat.facts_expected import follows, is_understood
from advisor.chat.inferred import inferred
from advisor.chat.records import Ask, Figure, Reply
from advisor.errors import DocumentError, QuantityError
from advisor.interview.facts_in_text import understood
from advisor.interview.known_names import reader_of
from advisor.library import Library
from advisor.units import base_unit, parse

# Questions answered after one turn before the next is written.
_MOST_ASKS = 4
_UNSURE = "I don't know"
_NEGATION = re.compile(
    r"\b(no|not|never|without|instead of|before|unless|rather than|cannot|can't|don't|do not|nor|neither)\b|n't\b"
)
_NUMBER = re.compile(r"(?<![\w.])(\d[\d,]*(?:\.\d+)?)\s*([A-Za-z%]+(?:/[A-Za-z]+)*)?")
_COUNTED = ("GPUs", "cores", "processes", "streams", "requests", "calls")
_EVIDENCE = re.compile(r"\s*\[[a-z_]+(?:/[^\]]*)?\]")


class ExpectedNumber(Record):
    """A figure that the answer or its plan must hold."""

    what: str
    value: float
    unit: str
    tolerance: float
    why: str = ""


class Expected(Record):
    """What is expected of a case; must_say and must_not_say are lists of alternatives, as regular expressions."""

    intent: str
    facts: dict[str, Any] = Field(default_factory=dict)
    verdict: str
    numbers: tuple[ExpectedNumber, ...] = ()
    must_say: tuple[tuple[str, ...], ...] = ()
    must_not_say: tuple[tuple[str, ...], ...] = ()
    must_ask: tuple[str, ...] = ()


class Case(Record):
    """A conversation with its right answer."""

    id: str
    title: str = ""
    source: str = ""
    also: tuple[str, ...] = ()
    area: str = ""
    basis: str = ""
    turns: tuple[str, ...] = Field(min_length=1)
    answers_if_asked: dict[str, str] = Field(default_factory=dict)
    expect: Expected


class Check(Record):
    """One thing looked for, and whether it was found."""

    check: str
    passed: bool
    found: str = ""


class Judged(Record):
    """A case as it went: the last reply with all that was said, what was asked, and each check."""

    id: str
    title: str
    reply: Reply
    asked: tuple[Ask, ...]
    checks: tuple[Check, ...]

    @property
    def passed(self) -> bool:
        """Whether every check holds."""
        return all(each.passed for each in self.checks)


def read_case(path: Path) -> Case:
    """The case of a file. Raises DocumentError where it is none."""
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise DocumentError(f"the case cannot be read: {' '.join(str(error).split())}", where=str(path)) from None
    if not isinstance(data, dict):
        raise DocumentError("it is no case: a mapping with id, turns and expect is expected", where=str(path))
    try:
        return Case.model_validate({**data, "id": str(data.get("id", path.stem))})
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(step) for step in first["loc"])
        raise DocumentError(f"{where}: {first['msg'].lower()}", where=str(path)) from None


def judge(case: Case, library: Library) -> Judged:
    """Play a case and judge it: a question about something in answers_if_asked gets that answer, any other is not known."""
    dialogue = Dialogue(library)
    inquiries = library.all(Inquiry)
    said: list[str] = []
    asked: list[Ask] = []
    figures: dict[tuple[str, str], Figure] = {}
    evidence: dict[str, None] = {}
    answered: set[str] = set()

    def heard(reply: Reply) -> Reply:
        said.append(reply.text)
        asked.extend(reply.asks)
        figures.update({(each.name, each.what): each for each in reply.numbers})
        evidence.update(dict.fromkeys(reply.evidence))
        return reply

    reply: Reply | None = None
    for turn in case.turns:
        reply = heard(dialogue.say(turn, answers=False))
        for _ in range(_MOST_ASKS):
            if dialogue.open is None:
                break
            key = next((key for key in case.answers_if_asked if asks_for(dialogue.open, key, inquiries)), None)
            if key is not None:
                answered.add(key)
            reply = heard(dialogue.say(case.answers_if_asked[key] if key else _UNSURE, answers=True))
    assert reply is not None
    everything = reply.model_copy(
        update={
            "text": "\n".join(part for part in said if part),
            "numbers": tuple(figures.values()),
            "asks": tuple(asked),
            "evidence": tuple(evidence),
        }
    )
    checks = tuple(_checks(case, everything, answered, dialogue))
    return Judged(id=case.id, title=case.title, reply=everything, asked=tuple(asked), checks=checks)


def _checks(case: Case, reply: Reply, answered: set[str], dialogue: Dialogue) -> Iterator[Check]:
    expect = case.expect
    yield Check(check=f"intent {expect.intent}", passed=reply.intent == expect.intent, found=str(reply.intent))
    reader = reader_of(dialogue.library)
    turns = [reader.read(turn) for turn in case.turns]
    got = understood(turns)
    for name, value in expect.facts.items():
        passed = is_understood(reader, got, turns, name, value) or follows(inferred(dialogue.situation), name, value)
        yield Check(check=f"fact {name}: {value}", passed=passed)
    yield Check(check=f"verdict {expect.verdict}", passed=reply.verdict == expect.verdict, found=reply.verdict)
    for each in expect.numbers:
        yield _number(each, reply)
    text = _EVIDENCE.sub("", " ".join(reply.text.split())).lower()
    for alternatives in expect.must_say:
        found = next((match[0] for each in alternatives if (match := re.search(each, text))), "")
        yield Check(check=f"says {' | '.join(alternatives)}", passed=bool(found), found=found)
    for alternatives in expect.must_not_say:
        asserted = next((one for each in alternatives for one in _asserted(each, reply.text)), "")
        yield Check(check=f"does not say {' | '.join(alternatives)}", passed=not asserted, found=asserted)
    for key in expect.must_ask:
        yield Check(check=f"asks {key}", passed=key in answered)


def _asserted(pattern: str, text: str) -> Iterator[str]:
    """Sentences that assert a pattern: no question, and no negation before it."""
    for line in text.lower().splitlines():
        for sentence in re.split(r"(?<=[.!?])\s+|;\s", _EVIDENCE.sub("", line)):
            match = re.search(pattern, " ".join(sentence.split()))
            if match and not sentence.rstrip().endswith("?") and not _NEGATION.search(sentence[: match.start()]):
                yield sentence


def _number(expected: ExpectedNumber, reply: Reply) -> Check:
    wanted, unit = _base(expected.value, expected.unit)
    near = [
        f"{each.what} = {each.shown}"
        for each in reply.numbers
        if each.unit == unit and abs(each.value - wanted) <= expected.tolerance * abs(wanted)
    ]
    near += [
        written
        for value, other, written in _figures_in(reply.text)
        if other == unit and abs(value - wanted) <= expected.tolerance * abs(wanted)
    ]
    return Check(
        check=f"number {expected.what}: {expected.value:g} {expected.unit}", passed=bool(near), found=near[0] if near else ""
    )


def _base(value: float, unit: str) -> tuple[float, str]:
    """A figure of a case in its base unit; counts of things have none."""
    if unit in _COUNTED or unit in ("x", "tokens"):
        return value, "1"
    if unit == "B/parameter":
        return value, "byte"
    if unit == "B/token":
        return value, "byte/token"
    spelled = re.sub(r"^(chunks|images|frames|calls)/", "1/", unit)
    try:
        if spelled.startswith("1/"):
            return value * parse(f"1 {spelled[1:]}", "1/second"), "1/second"
        if spelled.endswith("tokens/day"):
            return value * (1e6 if spelled.startswith("M") else 1.0) / 86400, "token/second"
        return parse(f"{value!r} {spelled}", base_unit(spelled)), base_unit(spelled)
    except QuantityError:
        return value, unit


def _figures_in(text: str) -> Iterator[tuple[float, str, str]]:
    for match in _NUMBER.finditer(text):
        value = float(match[1].replace(",", ""))
        if match[2] is None:
            yield value, "1", match[0]
            continue
        read, unit = _base(value, match[2])
        yield read, unit, match[0]
        yield value, "1", match[0]


def summary(judged: Sequence[Judged]) -> str:
    """Which cases pass whole, and what the others lack."""
    lines = []
    for each in judged:
        lines.append(f"{'  ' if each.passed else '! '}{each.id}  {each.title}")
        lines += [
            f"     failed: {check.check}{f' (found: {check.found})' if check.found else ''}"
            for check in each.checks
            if not check.passed
        ]
    whole = sum(each.passed for each in judged)
    checks = [check for each in judged for check in each.checks]
    lines.append(f"{len(judged)} cases: {whole} pass whole; {sum(check.passed for check in checks)} of {len(checks)} checks")
    return "\n".join(lines)


def as_data(judged: Judged) -> Mapping[str, Any]:
    """The judged result as plain data: the reply's fields, and the checks that passed and failed."""
    return {
        "id": judged.id,
        **judged.reply.model_dump(mode="json", exclude_none=True),
        "passed": [each.check for each in judged.checks if each.passed],
        "failed": [each.check for each in judged.checks if not each.passed],
    }
