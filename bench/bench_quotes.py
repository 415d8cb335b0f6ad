"""How often checks of quotes find what a reviewer found: python bench/bench_quotes.py FOLDER [--show NAME].

FOLDER holds quotes as YAML with `expect` (must_flag, must_not_flag, verdict); raw/expect.yaml tells of files of other forms.
"""

import argparse
import sys
import time
from datetime import date
from pathlib import Path
from typing import Any

import yaml

from advisor.errors import AdvisorError
from advisor.library import Library, open_library
from advisor.plan.quote_check import Review, check_quote
from advisor.plan.quote_facts import quote_facts, recogniser_for
from advisor.quote.reading import read_quote

TODAY = date(2026, 12, 1)


def main() -> None:
    """Print the misses file by file, then the shares."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--show", help="print facts and findings of one file")
    asked = parser.parse_args()
    library = open_library()
    cases = [(path, yaml.safe_load(path.read_text("utf-8"))["expect"]) for path in sorted(asked.folder.glob("*.yaml"))]
    raw = asked.folder / "raw" / "expect.yaml"
    if raw.is_file():
        cases += [(raw.parent / name, expect) for name, expect in yaml.safe_load(raw.read_text("utf-8")).items()]
    if asked.show:
        _show(library, next(path for path, _ in cases if asked.show in path.name))
        return
    found = wanted = wrong = unwanted = right = 0
    started = time.perf_counter()
    for path, expect in cases:
        must, must_not = _codes(expect.get("must_flag")), _codes(expect.get("must_not_flag"))
        try:
            review = _checked(library, path)
        except AdvisorError as error:
            _say(f"{path.name}: {error}")
            wanted += len(must)
            unwanted += len(must_not)
            continue
        codes = set(review.codes)
        found += len(must & codes)
        wanted += len(must)
        wrong += len(must_not & codes)
        unwanted += len(must_not)
        right += review.verdict == expect["verdict"]
        verdict = "" if review.verdict == expect["verdict"] else f"  verdict {review.verdict}, not {expect['verdict']}"
        worst = [
            f"{each.code}({each.severity[0]})" for each in review.findings if each.severity != "note" and each.code not in must
        ]
        if must - codes or must_not & codes or verdict:
            _say(f"{path.name}: missed {sorted(must - codes)} wrong {sorted(must_not & codes)}{verdict}  others {worst}")
    took = (time.perf_counter() - started) / max(1, len(cases))
    _say(f"must flag {found} of {wanted}, must not {wrong} of {unwanted}, verdict {right} of {len(cases)}")
    _say(f"{1000 * took:.0f} ms a quote")


def _say(*told: object) -> None:
    sys.stdout.write(" ".join(str(each) for each in told) + "\n")


def _codes(given: Any) -> set[str]:
    return {each["code"] if isinstance(each, dict) else each for each in given or ()}


def _checked(library: Library, path: Path) -> Review:
    return check_quote(read_quote(path, recogniser_for(library)), library, today=TODAY)


def _show(library: Library, path: Path) -> None:
    quote = read_quote(path, recogniser_for(library))
    for line in quote.lines:
        _say(line.where, line.quantity, line.basis, line.unit_price, line.total_price, line.price_note)
        for part in line.parts:
            _say("    ", part.kind, part.count, part.id, part.others, part.attributes)
    for statement in quote.statements:
        _say("  said", statement.name, statement.value, statement.text)
    _say(quote.wanted, quote.work, quote.totals, quote.decimal, quote.currency)
    for unread in quote.not_understood:
        _say("  unread", unread.where, unread.text, unread.why)
    for name, value in sorted(quote_facts(quote, library, today=TODAY).items()):
        _say(f"  {name} = {value}")
    for finding in check_quote(quote, library, today=TODAY).findings:
        _say(finding.severity, finding.code, finding.rule, finding.advice)


if __name__ == "__main__":
    sys.exit(main())
