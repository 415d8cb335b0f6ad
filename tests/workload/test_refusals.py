"""Bad documents: the place, what is wrong, and what to do, in our own words."""

from pathlib import Path

import pytest

from advisor.errors import DocumentError
from advisor.workload.reading import read_document, to_document

KINDS = "write one of: pretraining, fine-tuning, evaluation, batch-inference, realtime-inference, rag, agent"
HEAD = "workloads:\n  - kind: rag\n    model: m\n"  # what follows stands on line 4


def refused(text: str | bytes | Path) -> DocumentError:
    where = None if isinstance(text, Path) else "a.yaml"
    with pytest.raises(DocumentError) as caught:
        read_document(text, where=where)
    return caught.value


# text, where after the file's name, message, part of the hint
WHOLE = [
    ("", "", "the document is empty", "write at least workloads: [{kind:"),
    ("# nothing yet\n", "", "the document is empty", "write at least"),
    ("hello", "", '"hello" stands where the keys of a document are expected', "write at least"),
    ("- a\n- b\n", "", "a list stands where the keys of a document are expected", "write at least"),
    ("name: x\n", ", line 1, workloads", '"workloads" is missing', "a kind and a model in each"),
    ("name: x\nworkloads:\n", ", line 2, workloads", '"workloads" has no value', "a kind and a model in each"),
    ("workloads: []", ", line 1, workloads", "the list of workloads is empty", "- kind:"),
    ("workloads: [~]", ", line 1, workloads[0]", '"workloads" has an empty item', "a kind and a model in each"),
    (
        "workloads: {kind: rag}",
        ", line 1, workloads",
        "a mapping of keys to values stands where a list is expected",
        "a dash before",
    ),
    ("workloads: chat", ", line 1, workloads", '"chat" stands where a list is expected', "a dash before"),
    (
        "workloads: [chat]",
        ", line 1, workloads[0]",
        '"chat" stands where keys and values are expected',
        "its keys are name, kind",
    ),
    ("workloads:\n  - model: m\n", ", line 2, workloads[0].kind", '"kind" is missing', KINDS),
    ("workloads:\n  - kind: rag\n", ", line 2, workloads[0].model", '"model" is missing', "{parameters: 13B}"),
    ("workloads:\n  - model: m\n    kind:\n", ", line 3, workloads[0].kind", '"kind" has no value', KINDS),
    (
        "kind: rag\nmodel: m\n",
        ", line 1, kind",
        'unknown key "kind"',
        '"kind" belongs under workloads (one more problem was found)',
    ),
    (
        "workloads:\n  - kind: rag\n    modle: m\n",
        ", line 3, workloads[0].modle",
        'unknown key "modle"; did you mean "model"?',
        None,
    ),
    (
        "workloads:\n  - kind: realtime-inferense\n    model: m\n",
        ", line 2, workloads[0].kind",
        '"realtime-inferense" is not known here; did you mean "realtime-inference"?',
        KINDS,
    ),
    ("workloads: [{kind: [rag], model: m}]", ", line 1, workloads[0].kind", "a list stands where a word is expected", KINDS),
    ("workloads: [{kind: rag, model: [m]}]", ", line 1, workloads[0].model", "a list stands where text is expected", "write"),
    (
        "workloads: [{kind: rag, model: {layers: 3}}]",
        ", line 1, workloads[0].model.parameters",
        '"parameters" is missing',
        "parameters: 13B",
    ),
    (
        "workloads: [{kind: rag, model: {parameters: 13B, heads: 8, kv_heads: 16}}]",
        ", line 1, workloads[0].model.kv_heads",
        "kv_heads (16) is more than heads (8)",
        None,
    ),
    (
        "name: x\nworkloads:\n  - kind: rag\n    name: y\n    model: m\n    traffic: {concurrent_request: 50}\n",
        ", line 6, workloads[0].traffic.concurrent_request",
        'unknown key "concurrent_request"; did you mean "concurrent_requests"?',
        None,
    ),
]
# what stands on line 4, where after "line 4, ", message, part of the hint
ONE_KEY = [
    (
        "site: {storage: 80 Gb}",
        "site.storage",
        '"80 Gb": Gb can be read as Gbit or as GB, eight times as much',
        "write GB for bytes",
    ),
    ("site: {storage: 80}", "site.storage", '"80" has no unit; expected bytes', "write for example 500 GB"),
    ("site: {storage: 80 W}", "site.storage", '"80 W" is a power (W, kW, MW); expected bytes', "500 GB"),
    ("site: {storage: 80 GX}", "site.storage", '"80 GX" has the unknown unit "GX"; expected bytes', "500 GB"),
    ("site: {pue: 0.9}", "site.pue", '"0.9" is less than 1, the least that is taken here: it is the facility\'s power', "1.4"),
    ("site: {pue: 14}", "site.pue", '"14" is more than 5', "1.4"),
    (
        "site: {electricity: 0.28 EUR/kWh}",
        "site.electricity",
        '"0.28 EUR/kWh" is in EUR, and the document gives no rate for it',
        "exchange_rates: {EUR:",
    ),
    ("site: {deployment: clowd}", "site.deployment", '"clowd" is not known here; did you mean "cloud"?', "write one of: cloud"),
    ("budget: {currency: euros}", "budget.currency", '"euros" is not a currency', "USD or EUR"),
    ("budget: {exchange_rates: {EUR: 1.08}}", "budget.exchange_rates.EUR", '"1.08" has no unit', "1.08 USD"),
    ("budget: {term: 300 years}", "budget.term", '"300 years" is more than 30 years: hardware does not last so long', "3 years"),
    ("budget: {prices: {l40s: 28000}}", "budget.prices.l40s", '"28000" has no unit; expected an amount of money', "USD"),
    ("budget: {prices: {l40s: {rents: 2 USD/h}}}", "budget.prices.l40s.rents", 'unknown key "rents"; did you mean "rent"?', None),
    ("budget: {prices: {l40s: {note: old}}}", "budget.prices.l40s", "no amount is given", "rent: 2.10 USD/h"),
    ("estate: {server: []}", "estate.server", 'unknown key "server"; did you mean "servers"?', None),
    (
        "estate: {projects: [{name: a, workloads: [b]}]}",
        "estate.projects[0].workloads",
        'project "a" names the workload "b", which is not in the document',
        None,
    ),
    ("today: 30.11.2026", "today", '"30.11.2026" is not a day', "2026-11-30"),
    ("today: 2026-02-30", "today", '"2026-02-30" is not a day of the calendar', "2026-11-30"),
    ("today: 1026-02-03", "today", '"1026-02-03" is outside the years 2000 to 2100', None),
    (
        "gpu_memory_utilization: 0.9",
        "gpu_memory_utilization",
        'unknown key "gpu_memory_utilization"',
        '"gpu_memory_utilization" belongs under workloads.engine_settings',
    ),
    ('"a\\nb c": 1', '"a\\nb c"', 'unknown key "a\\nb c"', "known here: name, today, workloads"),
]
# key of the workload on line 4, path after workloads[0]., message, part of the hint
IN_WORKLOAD = [
    ("traffic: {people: -5}", "traffic.people", '"-5" is negative', "2000"),
    ("traffic: {concurrent_requests: 0}", "traffic.concurrent_requests", '"0" is zero', "50"),
    ("traffic: {concurrent_requests: .nan}", "traffic.concurrent_requests", '".nan" is not a number', "50"),
    ("traffic: {concurrent_requests: .inf}", "traffic.concurrent_requests", '".inf" is not a number', "50"),
    ("traffic: {people: 1e300}", "traffic.people", '"1e300" is more than 10,000,000,000 people', "2000"),
    ("traffic: {people: 1e400}", "traffic.people", '"1e400" is not a finite number', "2000"),
    (
        "traffic: {active_share: 10}",
        "traffic.active_share",
        '"10" is more than 100 %: it is a part of the whole',
        "write 10 % or 0.1",
    ),
    ("traffic: {active_share: 0}", "traffic.active_share", "nobody would be active", "10 %"),
    ("traffic: [50]", "traffic", "a list stands where keys and values are expected", "its keys are people"),
    ("traffic: 50", "traffic", '"50" stands where keys and values are expected', "its keys are people"),
    (
        "traffic: {concurrent_requests: 5, requests_per_second: 1}",
        "traffic.requests_per_second",
        "requests_per_second and concurrent_requests are both given, and each fixes the load by itself",
        "keep the one you know",
    ),
    (
        "traffic: {people: 9, requests_per_active_person_per_hour: 6, concurrent_requests: 5}",
        "traffic.requests_per_active_person_per_hour",
        "requests_per_active_person_per_hour and concurrent_requests are both given",
        "keep the one you know",
    ),
    (
        "traffic: {people: 2000, active_share: 10 %, requests_per_active_person_per_hour: 6, requests_per_second: 1}",
        "traffic.requests_per_second",
        "1 requests/s are given, but 2,000 people, 10 % of them active, 6 requests an hour each make 0.333 requests/s",
        "keep one of the two ways",
    ),
    (
        "traffic: {concurrent_requests 50}",
        'traffic."concurrent_requests 50"',
        'unknown key "concurrent_requests 50"',
        "a colon and a space belong after concurrent_requests",
    ),
    ("traffic: {users: 50}", "traffic.users", 'unknown key "users"; did you mean "people"?', None),
    ("targets: {availability: 99.9}", "targets.availability", '"99.9" is more than 99.99999 %', "write 99.9 % or 0.999"),
    (
        "targets: {availability: 100 %}",
        "targets.availability",
        '"100 %" is more than 99.99999 %: nothing is up all the time',
        "99.9 %",
    ),
    ("targets: {ttft_mean: 2}", "targets.ttft_mean", '"2" has no unit; expected a time', "2 s"),
    ("targets: {ttft_mean: 1:30}", "targets.ttft_mean", '"1:30" could be hours or minutes', "90 min"),
    ("targets: {ttft_mean: '1,5 s'}", "targets.ttft_mean", '"1,5 s" has a comma that does not separate thousands', "1.5"),
    (
        "targets: {tpot_mean: 50 us, ttft_mean: 1 us}",
        "targets.ttft_mean",
        '"1 us" is less than 1 ms, the least that is taken here: no prompt is read faster',
        "2 s",
    ),
    (
        "targets: {ttft_p95: 3 s, ttft_p99: 2 s}",
        "targets.ttft_p99",
        "ttft_p99 (2 s) is less than ttft_p95 (3 s)",
        "it is the larger one",
    ),
    ("input_tokens: {p50: 4000, p95: 1000}", "input_tokens.p95", "p95 (1,000) is less than p50 (4,000)", "the larger one"),
    ("input_tokens: {}", "input_tokens", "no length is given", "{p50: 1000, p95: 4000}"),
    ("input_tokens: 0", "input_tokens", "a request holds at least one token", "4k"),
    ("input_tokens: [1, 2]", "input_tokens", "a list stands where keys and values are expected", "mean, p50, p95, max"),
    ("input_tokens: lots", "input_tokens", '"lots" is not a number with a unit; expected a number of tokens', "4k"),
    (
        "input_tokens: 100\n    shared_prefix_tokens: 200",
        "shared_prefix_tokens",
        "the shared prefix (200 tokens) is longer than the input (100 tokens) it is a part of",
        "its shared beginning included",
    ),
    (
        "accelerators: {only: [h100-sxm], exclude: [H100_SXM]}",
        "accelerators.exclude",
        '"h100-sxm" is both in only and in exclude',
        "take it out of one",
    ),
    ("accelerators: {only: [~]}", "accelerators.only[0]", "nothing stands where text is expected", "h100-sxm"),
    ("accelerators: {max_count: 1.5}", "accelerators.max_count", '"1.5" is not a whole number', "8"),
    (
        "accelerators: {owned: {id: h100, count: 4}}",
        "accelerators.owned",
        "a mapping of keys to values stands where a list is expected",
        "a dash before each item",
    ),
    ("accelerators: {owned: [{id: h100}]}", "accelerators.owned[0].count", '"count" is missing', "count: 8"),
    (
        "accelerators: {owned: [{id: h100, count: 4, per_node: 8}]}",
        "accelerators.owned[0].per_node",
        "4 accelerators cannot stand 8 to a node",
        "those in one server",
    ),
    ("batch: 0x10", "batch", '"0x10" has the unknown unit "x10"; expected a plain number', "64"),
    ("batch: 1.5", "batch", '"1.5" is not a whole number', "64"),
    (
        "engine_settings: {enforce_eager: maybe}",
        "engine_settings.enforce_eager",
        '"maybe" is neither true nor false',
        "true or false",
    ),
    (
        "engine_settings: {gpu-memory-utilization: 0.9}",
        "engine_settings.gpu-memory-utilization",
        'unknown key "gpu-memory-utilization"; did you mean "gpu_memory_utilization"?',
        None,
    ),
    ("engine_settings: {tp: 4}", "engine_settings.tp", 'unknown key "tp"; did you mean "tensor_parallel"?', None),
    (
        "engine_settings: {kv_cache_dtype: fp8}",
        "engine_settings.kv_cache_dtype",
        'unknown key "kv_cache_dtype"',
        '"kv_precision" belongs under workloads',
    ),
    ("dataset: alpaca", "dataset", '"alpaca" may count tokens or samples', "{tokens: 200M}"),
    (
        "dataset: {tokens: 1M, samples: 10, tokens_per_sample: 10}",
        "dataset.tokens",
        "1,000,000 tokens is given, but 10 samples of 10 tokens make 100",
        "leave one of the three out",
    ),
    (
        "data: {chunk_tokens: 100, chunk_overlap: 100}",
        "data.chunk_overlap",
        "chunk_overlap (100) is not less than chunk_tokens",
        "go on",
    ),
    (
        "components: [{role: embeder, model: b}]",
        "components[0].role",
        '"embeder" is not known here; did you mean "embedder"?',
        "draft",
    ),
    (
        "finish_within: 2 h\n    targets: {finish_within: 3 h}",
        "finish_within",
        "finish_within stands here and under targets",
        "keep one",
    ),
    (f"name: {'k' * 300}", "name", "has 300 characters; at most 200 are taken here", None),
    ('name: "a\\nb"', "name", '"a\\nb" holds line breaks', "one line of text"),
    ("name: ''", "name", "the text is empty", "chat"),
]
# text, line, message, part of the hint
NOT_YAML = [
    (HEAD + "    kind: rag\n", 4, 'the key "kind" stands on lines 2 and 4', "keep one of the two"),
    ("a: {b: 1, b: 2}", 1, 'the key "b" stands twice on line 1', "keep one of the two"),
    ("workloads:\n\t- kind: rag\n", 2, "the line is indented with a tab", "indent with spaces"),
    (HEAD + "---\n" + HEAD, 4, "a second document begins here", "delete `---`"),
    ("a: &a [*a]\n", 1, "*a stands inside what it names", "write the value out"),
    ("a: *b\n", 1, "*b names nothing that stands before it", "&b"),
    (
        "a: !!python/object:os.system x\n",
        1,
        "the tag !!python/object:os.system is not used in workload documents",
        "without a tag",
    ),
    (HEAD + "    traffic: {people: 5\n", 5, "a bracket is not closed, or a comma is missing", "check the { } and [ ]"),
    (HEAD + '    name: "abc\n', 5, "a quoted text does not end", "close it"),
    (HEAD + "    name: a: b\n", 4, "a colon stands where none can", "quotes"),
    (HEAD + "   name: b\n", 4, "the line is no item of the list", "indent"),
    (HEAD + "    name: @x\n", 4, "a value begins with a character that YAML keeps for itself", "quotes"),
    (HEAD + "    name\n", 5, "a key has no colon after it", "with a space after the colon"),
    (HEAD + "    [a]: 5\n", 4, "a list or a mapping stands where a key is expected", "key: value"),
    ("a: 1\n~: 5\n", 2, "a key is empty", "before the colon"),
    ("a: 1\n<<: 5\n", 2, "<< merges mappings, and this is none", "*anchor"),
    ("a: 1\nb: \x01\n", 2, "it holds characters that no text has", "UTF-8"),
    ("a: 1\nb: \ud800\n", 2, "it holds half of a character", "UTF-8"),
    (b"a: 1\nb: \xe4\n", 2, "it is not UTF-8 text", "UTF-8"),
    (b"a: 1\0\n", None, "it is not text", "YAML or JSON"),
]


def check(error: DocumentError, where: str, message: str, hint: str | None) -> None:
    assert error.where == where
    assert message in error.message
    if hint is None:
        assert error.hint is None or "for example" not in error.hint
    else:
        assert hint in (error.hint or "")


@pytest.mark.parametrize(("text", "where", "message", "hint"), WHOLE)
def test_whole_documents(text: str, where: str, message: str, hint: str | None) -> None:
    check(refused(text), f"a.yaml{where}", message, hint)


@pytest.mark.parametrize(("text", "path", "message", "hint"), ONE_KEY)
def test_keys_beside_the_workloads(text: str, path: str, message: str, hint: str | None) -> None:
    check(refused(HEAD + text), f"a.yaml, line 4, {path}", message, hint)


@pytest.mark.parametrize(("text", "path", "message", "hint"), IN_WORKLOAD)
def test_keys_of_a_workload(text: str, path: str, message: str, hint: str | None) -> None:
    line = 5 if path == "shared_prefix_tokens" else 4
    check(refused(f"{HEAD}    {text}\n"), f"a.yaml, line {line}, workloads[0].{path}", message, hint)


@pytest.mark.parametrize(("text", "line", "message", "hint"), NOT_YAML)
def test_text_that_is_no_document(text: str | bytes, line: int | None, message: str, hint: str) -> None:
    error = refused(text)
    place = (error.where or "").split(", workloads")[0].split(", a")[0].split(", b")[0]
    check(error, error.where or "", message, hint)
    assert place == ("a.yaml" if line is None else f"a.yaml, line {line}")


def test_the_whole_message_as_the_person_sees_it() -> None:
    text = "name: x\nworkloads:\n  - kind: rag\n    model: m\n    name: y\n    traffic: {concurrent_request: 50}\n"
    with pytest.raises(DocumentError) as caught:
        read_document(text, where="assistant.yaml")
    assert str(caught.value) == (
        "assistant.yaml, line 6, workloads[0].traffic.concurrent_request: "
        'unknown key "concurrent_request"; did you mean "concurrent_requests"?'
    )


def test_two_workloads_of_one_name() -> None:
    error = refused("workloads:\n  - {kind: rag, model: m, name: a}\n  - {kind: rag, model: m, name: A}\n")
    check(error, "a.yaml, line 3, workloads[1].name", 'two workloads are called "A"', "its own name")


def test_further_problems_are_counted() -> None:
    error = refused(HEAD + "    traffic: {people: x}\n    batch: x\n    epochs: x\n")
    assert error.where == "a.yaml, line 4, workloads[0].traffic.people"
    assert error.hint == "write for example 2000 (2 more problems were found)"


def test_a_line_inside_what_an_alias_names() -> None:
    error = refused("workloads:\n  - &a\n    kind: rag\n    model: m\n    batch: x\n  - *a\n")
    assert error.where == "a.yaml, line 5, workloads[0].batch"


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    check(refused(tmp_path / "no.yaml"), str(tmp_path / "no.yaml"), "there is no such file", "standard input")
    check(refused(tmp_path), str(tmp_path), "this is a folder", "name a file in it")
    (tmp_path / "a.pdf").write_bytes(b"%PDF-1.7\n\xe2\xe3\xcf\xd3\n\0\0")
    check(refused(tmp_path / "a.pdf"), f"{tmp_path / 'a.pdf'}, line 2", "it is not UTF-8 text", "UTF-8")
    (tmp_path / "a.zip").write_bytes(b"PK\x03\x04\x14\0\0\0")
    check(refused(tmp_path / "a.zip"), str(tmp_path / "a.zip"), "it is not text", "YAML or JSON")
    check(refused(Path("a\0b")), "a\0b", "the file cannot be read", None)


@pytest.mark.parametrize(
    ("given", "where", "message"),
    [
        (None, None, "the document is empty"),
        ([], None, "a list stands where the keys of a document are expected"),
        ({1: 2}, None, "1 stands where a key is expected"),
        ({"workloads": [{"kind": "rag", "model": 7}]}, "workloads[0].model", "7 is a number where text is expected"),
        ({"workloads": [{"kind": True, "model": "m"}]}, "workloads[0].kind", "true stands where a word is expected"),
        (
            {"workloads": [{"kind": "rag", "model": "m", "input_tokens": float("nan")}]},
            "workloads[0].input_tokens",
            '"nan" is not a finite number',
        ),
        (
            {"workloads": [{"kind": "rag", "model": "m", "input_tokens": 10**400}]},
            "workloads[0].input_tokens",
            "a number of more than 60 digits stands where a number of tokens is expected",
        ),
        (
            {"workloads": [{"kind": "rag", "model": "m", "batch": True}]},
            "workloads[0].batch",
            "true stands where a whole number is expected",
        ),
        (
            {"workloads": [{"kind": "rag", "model": "m", "targets": {"ttft_mean": 2}}]},
            "workloads[0].targets.ttft_mean",
            "2 has no unit; expected a time",
        ),
    ],
)
def test_data(given: object, where: str | None, message: str) -> None:
    with pytest.raises(DocumentError) as caught:
        to_document(given)
    assert caught.value.where == where
    assert message in caught.value.message


def test_no_wording_of_pydantic_comes_through() -> None:
    texts = [text for text, *_ in WHOLE]
    texts += [HEAD + text for text, *_ in ONE_KEY] + [f"{HEAD}    {text}\n" for text, *_ in IN_WORKLOAD]
    for text in texts:
        said = str(refused(text))
        assert not any(word in said for word in ("Input should", "Extra inputs", "Field required", "validation error")), said
