"""How long rules take: importing and starting durable, registering 150 rules, and a whole pass over 150 facts.

python bench/bench_rules.py [--rules 150] [--facts 150] [--passes 200]

Then the same for the rules that ship and the facts of a real plan: registering those on plans from the compiled library, and
judging a whole plan.
"""

import argparse
import json
import random
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from advisor.facts import FactDeclaration
from advisor.library import open_library
from advisor.plan import judging
from advisor.plan.making import make_plan
from advisor.questionnaire.question import Question, declared_facts
from advisor.reasoning.engine import RuleEngine
from advisor.reasoning.rule import Rule
from advisor.workload.reading import read_document

LIMITS = {"register_ms": 30.0, "pass_ms": 8.0, "shipped_register_per_150_ms": 30.0, "shipped_pass_ms": 8.0}
ROOT = Path(__file__).resolve().parents[1]


def main() -> None:
    """Measure and print one JSON object; exit 1 where a limit is missed."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    arguments.add_argument("--rules", type=int, default=150)
    arguments.add_argument("--facts", type=int, default=150)
    arguments.add_argument("--passes", type=int, default=200)
    given = arguments.parse_args()
    random_numbers = random.Random(1)
    names = [f"fact_number_{index}" for index in range(given.facts)]
    rules = [_rule(index, names, random_numbers) for index in range(given.rules)]
    figures: dict[str, float] = {"import_and_host_ms": _import_and_host()}
    registering = [_register(rules) for _ in range(5)]
    figures["register_ms"] = statistics.median(first for first, _ in registering)
    engine = registering[0][1]
    passes, walls, fired = [], [], []
    for _ in range(given.passes):
        facts = {name: random_numbers.random() for name in names}
        start, wall = time.process_time(), time.perf_counter()
        derived = engine.derive(facts)
        advice = engine.advise({**facts, **{name: fact.value for name, fact in derived.items()}})
        passes.append((time.process_time() - start) * 1e3)
        walls.append((time.perf_counter() - wall) * 1e3)
        fired.append(len(derived) + len(advice))
    figures["pass_ms"] = statistics.median(passes)
    figures["pass_p95_ms"] = sorted(passes)[int(0.95 * len(passes))]
    figures["pass_wall_ms"] = statistics.median(walls)
    figures["fired_mean"] = statistics.mean(fired)
    figures |= _shipped(given.passes)
    sys.stdout.write(json.dumps({name: round(value, 2) for name, value in figures.items()}) + "\n")
    sys.exit(any(figures[name] > limit for name, limit in LIMITS.items()))


def _shipped(passes: int) -> dict[str, float]:
    """The rules on plans that ship: registering them, and a whole pass over the example's plan, facts included."""
    library = open_library()
    rules = [rule for rule in library.all(Rule) if rule.subject != "quote"]
    facts = declared_facts(library.all(Question))
    registering = statistics.median(_register(rules, facts)[0] for _ in range(5))
    document = read_document(ROOT / "examples" / "assistant.yaml")
    taken: list[float] = []
    original = judging.judged

    def timed(*given: Any) -> Any:
        for _ in range(passes):
            start = time.process_time()
            found = original(*given)
            taken.append((time.process_time() - start) * 1e3)
        return found

    making = sys.modules[make_plan.__module__]
    making.judged = timed
    make_plan(document, library)
    making.judged = original
    return {
        "shipped_rules": len(rules),
        "shipped_register_ms": registering,
        "shipped_register_per_150_ms": registering * 150 / len(rules),
        "shipped_pass_ms": statistics.median(taken[1:]),
    }


def _rule(index: int, names: list[str], random_numbers: random.Random) -> Rule:
    """One to four conditions, one in four of them between two facts; one rule in five is a design rule."""
    chosen = random_numbers.sample(names, random_numbers.choice([1, 2, 2, 3, 3, 4]))
    when = []
    for position, name in enumerate(chosen):
        right = chosen[position - 1] if position and random_numbers.random() < 0.25 else f"{random_numbers.random():.3f}"
        when.append(f"{name} {random_numbers.choice('<>')} {right}")
    design: dict[str, Any] = {"phase": "design", "sets": {f"derived_{index}": True}}
    check: dict[str, Any] = {"phase": "check", "advice": f"Look at {{{chosen[0]}}}."}
    return Rule.model_validate(
        {
            "id": f"BEN-{index:03}",
            "title": "A rule to measure",
            "when": when,
            "because": "it is a measurement",
            "sources": ["bench"],
            "examples": {"fires": [{}], "silent": [{}]},
            **(design if index % 5 == 0 else check),
        }
    )


def _register(rules: list[Rule], facts: dict[str, FactDeclaration] | None = None) -> tuple[float, RuleEngine]:
    """Building the engine and its first, empty pass, which is when rulesets are registered."""
    start = time.process_time()
    engine = RuleEngine(rules, facts)
    engine.register()
    engine.derive({})
    engine.advise({})
    return (time.process_time() - start) * 1e3, engine


def _import_and_host() -> float:
    code = (
        "import advisor.reasoning.engine as e, time; start = time.perf_counter(); e._host(); "
        "print((time.perf_counter() - start) * 1e3)"
    )
    runs = [subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True) for _ in range(5)]
    return statistics.median(float(run.stdout) for run in runs)


if __name__ == "__main__":
    main()
