"""Running rules: the only file that imports durable.

RuleEngine(rules).derive(facts) chains design rules until nothing new follows; .advise(facts) runs check rules once. The habits
of durable-rules 2.0.28 that this file works around, each pinned by a test in tests/reasoning/test_durable_habits.py:

- its host starts two threads, which may take a case's actions away from the caller: ours starts none;
- deleting the state of a case in which no action ever ran reads memory that was never set and ends the process: every case
  begins with a fact that fires a rule;
- a fact that no rule observes is reported as an exception: one rule observes every fact and never fires;
- a batch ends silently at the first fact it cannot read, and ends the process where that is the first of all: every batch
  begins with a fact that can be read, and closes with one whose rule must have fired;
- numbers with an exponent and no point (1e+16) cannot be read: they are written with one (1.0e+16);
- state stays behind for every case, and 1,024 of them fill it: it is deleted, also when a case fails;
- exceptions in an action are swallowed into the returned state: it is looked at;
- actions that assert facts may end in an error: actions only note what fired, and derived facts go in afterwards.
"""

import json
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from types import SimpleNamespace
from typing import Any

from advisor.errors import KnowledgeError
from advisor.facts import FactDeclaration, FactValue
from advisor.reasoning.advice import Advice, DerivedFact, advice_of, matched, worst_first
from advisor.reasoning.candidate_facts import CANDIDATE_FACTS
from advisor.reasoning.patterns import Alternative, alternatives, sets_of
from advisor.reasoning.rule import Phase, Rule, Subject, declared_by_rules
from advisor.reasoning.strata import absence_order
from advisor.reasoning.values import checked, kinds_of_facts

_OPEN, _BATCH, _CLOSE, _NEVER = "$open", "$batch", "$close", "$never"
_EXPONENT_WITHOUT_POINT = re.compile(r"(?<=[:\[,])(-?\d+)(e[+-]?\d+)(?=[,}\]])")

# Rules come to the host in at most this many parts, since every part takes the facts of a case anew.
_MOST_PARTS = 4
_INFINITY = re.compile(r"(?<=[:\[,])(-?)Infinity(?=[,}\]])")

_lock = threading.Lock()
_case_numbers = count(1)
_ruleset_numbers = count(1)
_hosts: list[Any] = []


class RuleEngine:
    """Rules compiled once, to be run on any number of cases from any number of threads.

    declarations: facts that questions and formulas declare, beside those of candidates and of the rules themselves; they give
    the kinds that values are checked against and the units they are shown in. A fact that nobody declares is taken as the rules
    compare it. Raises KnowledgeError for a rule that the engine cannot hold or that disagrees with a declaration.
    """

    def __init__(self, rules: Iterable[Rule], declarations: Mapping[str, FactDeclaration] | None = None) -> None:
        self.rules = tuple(sorted(rules, key=lambda rule: rule.id))
        self.declarations = {**CANDIDATE_FACTS, **declared_by_rules(self.rules), **(declarations or {})}
        self.facts = frozenset(name for rule in self.rules for name in rule.facts)
        for first, second in zip(self.rules, self.rules[1:], strict=False):
            if first.id == second.id:
                raise KnowledgeError("two rules have this id", where=first.id)
        self._kinds = kinds_of_facts(self.rules, self.declarations)
        phases: dict[tuple[Phase, Subject | None], list[Rule]] = {}
        for rule in self.rules:
            phases.setdefault((rule.phase, rule.subject), []).append(rule)
        self._phases = {key: _Compiled(chosen) for key, chosen in phases.items()}

    def derive(self, facts: Mapping[str, FactValue], *, subject: Subject | None = None) -> Mapping[str, DerivedFact]:
        """The facts that design rules add to these, over as many steps as follow from one another.

        A fact that was given is never overridden. Raises InputError for a value of the wrong kind, KnowledgeError where two
        rules set a fact to different values.
        """
        values = checked(facts, self._kinds)
        compiled = self._phases.get(("design", subject))
        found: dict[str, DerivedFact] = {}
        if compiled is None:
            return found
        with compiled.case() as case:
            fired = case.assert_facts(values, absent=[name for name in compiled.absences[0] if name not in values])
            level = 0
            while True:
                new = self._set_by(fired, values, facts, found)
                if new:
                    values |= new
                    fired = case.assert_facts(new)
                    continue
                level += 1
                if level == len(compiled.absences):
                    return found
                fired = case.assert_facts({}, absent=[name for name in compiled.absences[level] if name not in values])

    def advise(
        self, facts: Mapping[str, FactValue], *, subject: Subject | None = None, where: str | None = None
    ) -> tuple[Advice, ...]:
        """What check rules say of these facts, worst first. where: the node, line, tier or workload that the facts are about.

        Raises InputError for a value of the wrong kind.
        """
        values = checked(facts, self._kinds)
        compiled = self._phases.get(("check", subject))
        if compiled is None:
            return ()
        with compiled.case(values.keys()) as case:
            fired = case.assert_facts(values, absent=[name for name in compiled.absences[0] if name not in values])
        read: dict[str, dict[str, None]] = {}
        rules: dict[str, Rule] = {}
        for each in fired:
            rules[each.rule.id] = each.rule
            read.setdefault(each.rule.id, {}).update(dict.fromkeys(each.facts))
        return worst_first(advice_of(rule, matched(read[id], values, self.declarations), where) for id, rule in rules.items())

    def register(self) -> None:
        """Register every rule with the host now, so that no later case waits for it."""
        with _lock:
            for compiled in self._phases.values():
                compiled.register(None)

    def _set_by(
        self,
        fired: Iterable[Alternative],
        values: Mapping[str, FactValue],
        given: Mapping[str, FactValue],
        found: dict[str, DerivedFact],
    ) -> dict[str, FactValue]:
        """What the fired rules newly set; adds it to `found`."""
        new: dict[str, FactValue] = {}
        for each in sorted(fired, key=lambda alternative: alternative.rule.id):
            for name, value in each.rule.sets.items():
                if name in given:
                    continue
                earlier = found.get(name)
                if earlier is None:
                    found[name] = DerivedFact(
                        name=name,
                        value=value,
                        unit=self.declarations[name].unit if name in self.declarations else "",
                        rule=each.rule.id,
                        because=each.rule.because,
                        sources=each.rule.sources,
                        facts=matched(each.facts, values, self.declarations),
                    )
                    new[name] = value
                elif earlier.value != value:
                    raise KnowledgeError(
                        f"{earlier.rule} sets {name} to {earlier.value}, and {each.rule.id} to {value}, of the same facts",
                        where=each.rule.id,
                        hint="make the conditions of one of the two rules narrower",
                    )
        return new


class _Compiled:
    """The rules of one phase and subject, in rulesets that are registered with the host when a case first could fire them.

    A command plans one thing and needs a part of the rules; registering them is most of what rules cost it.
    """

    def __init__(self, rules: list[Rule]) -> None:
        self.absences = absence_order(rules)
        self.waiting = [alternatives(rule) for rule in rules]
        self.rulesets: tuple[_Ruleset, ...] = ()

    def register(self, known: Set[str] | None) -> None:
        """Register the rules that facts of these names could fire; all that are left where none are named or parts are many."""
        if known is None or len(self.rulesets) >= _MOST_PARTS:
            wanted = self.waiting
        else:
            wanted = [found for found in self.waiting if any(each.needs <= known for each in found)]
        if wanted:
            host = _host()
            sets = sets_of(each for found in wanted for each in found)
            self.rulesets += tuple(_Ruleset(host, chosen) for chosen in sets)
            taken = {found[0].rule.id for found in wanted}
            self.waiting = [found for found in self.waiting if found[0].rule.id not in taken]

    @contextmanager
    def case(self, known: Set[str] | None = None) -> Iterator["_Case"]:
        """One case with its own sid; nothing of it stays behind. known: the facts it will have, where no more are derived."""
        with _lock:
            self.register(known)
            rulesets = tuple(each for each in self.rulesets if known is None or each.could_fire(known))
            sid = str(next(_case_numbers))
            opened: list[_Ruleset] = []
            try:
                for each in rulesets:
                    each.open(sid)
                    opened.append(each)
                yield _Case(sid, rulesets)
            finally:
                for each in opened:
                    each.close(sid)


@dataclass
class _Case:
    """Facts go in in batches; what fires is noted."""

    sid: str
    rulesets: tuple["_Ruleset", ...]
    batches: int = 0

    def assert_facts(self, values: Mapping[str, FactValue], *, absent: Iterable[str] = ()) -> list[Alternative]:
        self.batches += 1
        sid = self.sid
        facts: dict[str, dict[str, Any]] = {
            **{name: {"name": name, "value": value, "known": True, "sid": sid} for name, value in values.items()},
            **{name: {"name": name, "known": False, "sid": sid} for name in absent},
        }
        first, last = ({"name": name, "value": self.batches, "sid": sid} for name in (_BATCH, _CLOSE))
        return [
            each
            for ruleset in self.rulesets
            for each in ruleset.assert_facts([first, *(facts[name] for name in facts if name in ruleset.reads), last])
        ]


class _Ruleset:
    """One ruleset of the host; rules are numbered by their place among the alternatives."""

    def __init__(self, host: Any, chosen: tuple[Alternative, ...]) -> None:
        self.name = f"rules-{next(_ruleset_numbers)}"
        self.chosen = chosen
        self.reads = frozenset(name for each in chosen for name in each.facts)
        self.host = host
        self.fired: list[int | str] = []
        rules: dict[str, dict[str, Any]] = {
            str(index): {"all": list(each.patterns), "run": self._note(index)} for index, each in enumerate(chosen)
        }
        never = {"f1": {"$and": [{"name": _NEVER}]}}
        rules[_NEVER] = {"all": [{"f0": {"$ex": {"name": 1}}}, never], "run": self._note(_NEVER)}
        for marker in (_OPEN, _CLOSE):
            rules[marker] = {"all": [{"f0": {"$and": [{"name": marker}]}}], "run": self._note(marker)}
        with _told("the rules could not be compiled"):
            host.register_rulesets({self.name: rules})

    def could_fire(self, known: Set[str]) -> bool:
        """Whether facts of these names are enough for some rule of it."""
        return any(each.needs <= known for each in self.chosen)

    def _note(self, what: int | str) -> Callable[[Any], None]:
        def run(context: Any) -> None:
            self.fired.append(what)

        return run

    def open(self, sid: str) -> None:
        self.fired.clear()
        with _told("a case could not be opened"):
            self._look_at(self.host.assert_fact(self.name, {"name": _OPEN, "sid": sid}))

    def assert_facts(self, facts: list[dict[str, Any]]) -> list[Alternative]:
        self.fired.clear()
        with _told("the facts could not be taken"):
            self._look_at(self.host.assert_facts(self.name, facts))
        if _CLOSE not in self.fired:
            raise KnowledgeError(f"the rule engine stopped before it had taken all {len(facts) - 2} facts")
        return [self.chosen[index] for index in sorted({index for index in self.fired if isinstance(index, int)})]

    def close(self, sid: str) -> None:
        self.host.delete_state(self.name, sid)

    def _look_at(self, state: Mapping[str, Any] | None) -> None:
        if state and "exception" in state:
            raise KnowledgeError(f"an action of the rule engine failed: {state['exception']}")


@contextmanager
def _told(what: str) -> Iterator[None]:
    """Errors of durable as ours, in words; a warning that somebody turned into an error is one of them."""
    from durable import engine

    try:
        yield
    except (
        engine.durable_rules_engine.error,
        engine.MessageNotHandledException,
        engine.MessageObservedException,
        MemoryError,
        Warning,
    ) as error:
        told = getattr(error, "message", None) or str(error) or type(error).__name__
        raise KnowledgeError(f"{what}: {told}") from error


def _host() -> Any:
    """The one host of this process, made when the first case is run."""
    if not _hosts:
        from durable import engine

        # durable writes facts and rules through its own module's `json`; this one writes numbers so that it can read them.
        engine.json = SimpleNamespace(dumps=to_json, loads=json.loads)
        # Timers and queued actions are what the two threads would serve, and neither is used here.
        quiet = type("QuietHost", (engine.Host,), {"_run": lambda self: None})
        _hosts.append(quiet())
    return _hosts[0]


def to_json(value: Any, *, ensure_ascii: bool = False) -> str:
    """JSON in which a number with an exponent always has a point: 1.0e+16, not 1e+16, and infinity 1.0e+999."""
    text = json.dumps(value, ensure_ascii=ensure_ascii, separators=(",", ":"))
    if "Infinity" in text:
        text = _INFINITY.sub(r"\g<1>1.0e+999", text)
    return _EXPONENT_WITHOUT_POINT.sub(r"\1.0\2", text) if "e+" in text or "e-" in text else text
