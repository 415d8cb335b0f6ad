"""A conversation: what was said is read, put together, answered by subjects, and what decides the answer is asked back."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from advisor.chat.answers.subjects import EVERYWHERE
from advisor.chat.asking import next_ask
from advisor.chat.inferred import inferred
from advisor.chat.lookup import terms_in
from advisor.chat.records import Ask, Part, Reply, Sentence, Verdict
from advisor.chat.situation import Situation
from advisor.chat.subjects.words import passages_near, terms
from advisor.chat.telling import Telling
from advisor.interview.facts_in_text import understood
from advisor.interview.known_names import reader_of
from advisor.language.intents import intent_of_conversation
from advisor.language.readings import Intent, Readings
from advisor.library import Library
from advisor.questionnaire.question import says_unsure

# The worst that a subject finds is the verdict.
_ORDER: tuple[Verdict, ...] = ("does-not-fit", "works-badly", "fits", "ok", "not-applicable")
# Where nothing is wrong, these ask whether it fits, all others whether it is right.
_OF_FIT = ("fits", "size", "what-if", "compare")
_OFFERED = {"accelerator", "server", "model", "price", "instance", "parameters", "accelerator_count"}
_WRONG = ("slow", "idle", "crash")
# What a question back may be answered with besides its own fact.
_READ_FROM_ANSWER = {"sharding": ("sharding", "zero_stage"), "slot": ("nvlink",), "kind": ("kind",)}


class Dialogue:
    """The state over turns: readings, answers in words, what the person cannot tell, and what was said and asked already."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self._reader = reader_of(library)
        self._turns: list[Readings] = []
        self._own: list[Readings] = []
        self._notes: dict[str, str] = {}
        self._unknown: set[str] = set()
        self._said: set[str] = set()
        self._asked: list[str] = []
        self._described: Verdict | None = None
        self.open: Ask | None = None

    def say(self, text: str, *, answers: bool | None = None) -> Reply:
        """The answer to one more turn.

        answers: whether the text answers the question that is open; told from the text where it is left out.
        """
        open_ask, self.open = self.open, None
        asked = open_ask.fact if open_ask is not None and answers is not False else None
        if asked is not None and says_unsure(text):
            self._unknown.add(asked)
            return self._reply()
        turn = self._reader.read(text, asked=asked)
        is_answer = asked is not None and (bool(answers) or not text.rstrip().endswith("?"))
        self._turns.append(turn)
        if asked is not None and is_answer:
            facts = (asked, *_READ_FROM_ANSWER.get(asked, ()))
            if not any(turn.of(fact) for fact in facts):
                self._notes[asked] = text
        else:
            self._own.append(turn)
        return self._reply()

    @property
    def situation(self) -> Situation:
        """What is known now."""
        got = understood(self._turns)
        own = self._own or self._turns
        intent = intent_of_conversation([turn.intents for turn in own])
        if intent == "check" and not _OFFERED & {each.fact for each in got.facts} and terms_in(self.library, own[0].text):
            intent = "what-is"  # an offer's words are asked about, and nothing of it is named
        got = got.model_copy(update={"intent": intent})
        return Situation(self.library, tuple(self._turns), got, dict(self._notes), frozenset(self._unknown))

    def _reply(self) -> Reply:
        situation = self.situation
        parts = answer(situation)
        ask = next_ask(situation, self._asked)
        sentences = [each for part in parts for each in part.sentences]
        fresh = [each for each in sentences if each.text not in self._said]
        if not fresh and ask is None:
            fresh = list(_unchanged(situation, verdict_of(parts, situation)))
        self._said.update(each.text for each in fresh)
        if ask is not None:
            self._asked.append(ask.fact)
            self.open = ask
        numbers = {(each.name, each.what): each for part in parts for each in part.figures}
        return Reply(
            text=_text(fresh, ask),
            facts=facts_shown(situation),
            intent=situation.got.intent,
            verdict=self._verdict(verdict_of(parts, situation)),
            numbers=tuple(numbers.values()),
            asks=(ask,) if ask is not None else (),
            evidence=tuple(dict.fromkeys(id for each in fresh for id in each.evidence)),
        )

    def _verdict(self, found: Verdict) -> Verdict:
        """The verdict on the set-up as described: what a later turn only thinks of does not change it."""
        imagined = len(self._own) > 1 and self._own[-1].intent == "what-if" and not self._own[-1].symptoms
        if imagined and self._described is not None:
            return self._described
        self._described = found
        return found


def answer(situation: Situation) -> list[Part]:
    """What the subjects of an intent have to say, in order; what can be asked instead where none has anything."""
    asked: Intent | None = situation.got.intent
    if asked == "what-next" and situation.parameters and (situation.setups or situation.got.symptoms):
        asked = "diagnose" if situation.got.symptoms else "size"  # "what now?" about something named
    intent: Intent = asked or ("diagnose" if situation.got.symptoms else "size" if situation.parameters else "what-is")
    module = import_module(f"advisor.chat.answers.{intent.replace('-', '_')}")
    parts: list[Part] = []
    for subject in (*EVERYWHERE, *module.SUBJECTS):
        if subject.__name__ == "planned" and any(part.verdict is not None for part in parts):
            continue  # a plan speaks where no closer answer does
        part = subject(situation)
        if part is not None:
            parts.append(part)
    if not any(part.sentences for part in parts) and (explained := terms(situation)) is not None:
        parts.append(explained)
    if not any(part.sentences for part in parts) and (near := passages_near(situation)) is not None:
        parts.append(near)
    if not any(part.sentences for part in parts):
        parts.append(Telling(situation).told("nothing-close"))
    return parts


def verdict_of(parts: Sequence[Part], situation: Situation) -> Verdict:
    """The worst verdict of the parts; what is reported to go wrong counts too."""
    if situation.has("out-of-memory") or situation.has("killed"):
        return "does-not-fit"
    found: set[Verdict] = {part.verdict for part in parts if part.verdict is not None}
    if situation.causes and situation.causes[0].harmless and not situation.has("slow"):
        return "ok"
    if not found and any(situation.has(each) for each in _WRONG):
        return "works-badly"
    # The order holds every verdict and ends with what counts where no part has one.
    worst = _ORDER[min((_ORDER.index(each) for each in found), default=-1)]
    if worst in ("fits", "ok"):
        return "fits" if situation.intent in _OF_FIT else "ok"
    return worst


def _unchanged(situation: Situation, verdict: Verdict) -> Sequence[Sentence]:
    """What is said where a turn adds nothing: that it stays as it is."""
    telling = Telling(situation)
    telling.facts["verdict"] = verdict
    return telling.told("unchanged").sentences


def facts_shown(situation: Situation) -> dict[str, Any]:
    """Every fact understood, by name, with its value in base units; several values as a list."""
    shown: dict[str, Any] = {}
    for each in situation.got.facts:
        if each.negated:
            continue
        value: Any = each.value if each.value is not None else list(each.among) or each.text
        if each.upper is not None:
            value = [each.value, each.upper]
        entry = {"value": value, **({"unit": each.unit} if each.unit not in ("", "1") else {}), "text": each.text}
        if each.fact in shown:
            before = shown[each.fact]
            shown[each.fact] = [*(before if isinstance(before, list) else [before]), entry]
        else:
            shown[each.fact] = entry
    shown.update({fact: entry for fact, entry in inferred(situation).items() if fact not in shown})
    for fact, text in situation.notes.items():
        shown[fact] = {"value": text, "text": text}
    return shown


def _text(sentences: Sequence[Sentence], ask: Ask | None) -> str:
    lines = [f"{each.text} [{', '.join(each.evidence)}]" if each.evidence else each.text for each in sentences]
    if ask is not None:
        lines.append(f"? {ask.text}")
    return "\n".join(lines)
