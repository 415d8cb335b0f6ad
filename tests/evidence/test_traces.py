"""Traces of requests: those that ship, publishers' own forms, people's files, and clear messages for everything else."""

import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.errors import AdvisorError, DocumentError, UnknownNameError
from advisor.evidence.traces import read_trace, read_trace_file, shipped_traces
from advisor.library import Library

# Computed by others from the published files: requests, mean and p95 of prompts, mean of answers, mean rate, and the fullest
# second, ten seconds and minute over the mean one.
PUBLISHED = {
    "azure-2023-code": (8819, 2047.8, 7303.3, 27.9, 2.5667, (26.11, 12.79, 4.18)),
    "azure-2023-conversation": (19366, 1154.7, 4083, 211.1, 5.5304, (2.89, 1.77, 1.52)),
    "mooncake-conversation": (12031, 12035.1, 39550.5, 342.6, 3.4015, (8.23, 1.97, 1.21)),
    "mooncake-synthetic": (3993, 15325.5, 48904.6, 149.1, 3.9069, (3.33, 1.41, 1.17)),
    "ragpulse-week": (7106, 2943.6, 4425, 283.2, 0.0118, (255.29, 34.04, 14.18)),
}
AZURE = "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.9799600,4808,10\n2023-11-16 18:17:04.0319600,3180,8\n"
BURST = (
    "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
    "5,ChatGPT,472,18,490,Conversation log\n45,ChatGPT,0,0,0,Conversation log\n118,GPT-4,417,276,693,Conversation log\n"
)
BURST_3 = (
    "Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
    "5,,1.5,M,472,18,490,API\n7,,1,M,4,6,10,API\n"
)
MOONCAKE = (
    '{"timestamp": 0, "input_length": 6758, "output_length": 500, "hash_ids": [0, 1]}\n'
    '{"timestamp": 3000, "input_length": 7322, "output_length": 490, "hash_ids": [0, 14]}\n'
)
VIDUR = "arrived_at,num_prefill_tokens,num_decode_tokens\n0.5,100,10\n1.25,200,20\n"


def written(folder: Path, text: str, name: str = "arrivals.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", PUBLISHED)
def test_shipped_traces_have_the_published_statistics(library: Library, name: str) -> None:
    trace = read_trace(name, library)
    requests, input_mean, input_p95, output_mean, rate, peaks = PUBLISHED[name]
    assert (len(trace), trace.dropped) == (requests, 0)
    assert trace.input_tokens.mean() == pytest.approx(input_mean, abs=0.06)
    assert np.percentile(trace.input_tokens, 95) == pytest.approx(input_p95, abs=0.06)
    assert trace.output_tokens.mean() == pytest.approx(output_mean, abs=0.06)
    assert trace.requests_per_second == pytest.approx(rate, rel=5e-3)
    assert [trace.peak_to_mean(window) for window in (1, 10, 60)] == pytest.approx(peaks, rel=3e-4, abs=6e-3)
    assert trace.arrivals[0] == 0
    assert np.all(np.diff(trace.arrivals) >= 0)


def test_shipped_traces_are_small(library: Library) -> None:
    assert sum(path.stat().st_size for path in shipped_traces(library).values()) < 400_000


def test_a_preset_names_its_trace(library: Library) -> None:
    assert read_trace("Chat assistant", library).name == "azure-2023-conversation"
    assert len(read_trace("rag", library)) == 7106
    with pytest.raises(DocumentError, match='no requests ship with the preset "translation"') as caught:
        read_trace("translation", library, where="workloads[0].traffic.trace")
    assert caught.value.where == "workloads[0].traffic.trace"
    assert "azure-2023-code" in str(caught.value.hint)
    with pytest.raises(UnknownNameError) as unknown:
        read_trace("chat asistant", library)
    assert "chat-assistant" in unknown.value.nearest


@pytest.mark.parametrize(
    ("text", "arrivals", "tokens_in", "tokens_out", "dropped"),
    [
        (AZURE, [0, 0.052], [4808, 3180], [10, 8], 0),
        (BURST, [0, 113], [472, 417], [18, 276], 1),
        (BURST_3, [0, 2], [472, 4], [18, 6], 0),
        (MOONCAKE, [0, 3], [6758, 7322], [500, 490], 0),
        (VIDUR, [0, 0.75], [100, 200], [10, 20], 0),
        ("arrival,input_tokens,output_tokens\n10,1,2\n12.5,3,4\n", [0, 2.5], [1, 3], [2, 4], 0),
        ("timestamp_ms,prompt_tokens,completion_tokens\n10,1,2\n1510,3,4\n", [0, 1.5], [1, 3], [2, 4], 0),
        ("Arrival (ms);Prompt Tokens;Completion Tokens\n10;1;2\n1510;3;4\n", [0, 1.5], [1, 3], [2, 4], 0),
        ("time\tISL\tOSL\n1\t1\t2\n2\t3\t4\n", [0, 1], [1, 3], [2, 4], 0),
        ("timestamp,input,output\n1700000000.5,1,2\n1700000002,3,4\n", [0, 1.5], [1, 3], [2, 4], 0),
        ("timestamp,input,output\n1700000000500,1,2\n1700000002000,3,4\n", [0, 1.5], [1, 3], [2, 4], 0),
        ("timestamp,input,output\n2026-03-01T10:00:00Z,1,2\n2026-03-01T11:00:02+01:00,3,4\n", [0, 2], [1, 3], [2, 4], 0),
        ("arrival,input_tokens,output_tokens\r\n5,3,4\r\n\r\n2,1,2\r\n", [0, 3], [1, 3], [2, 4], 0),
        ('\ufeffarrival,input_tokens,output_tokens,note\n1,1,2,"a, b"\n2,3,4,\n', [0, 1], [1, 3], [2, 4], 0),
    ],
)
def test_usual_forms(
    tmp_path: Path, text: str, arrivals: list[float], tokens_in: list[float], tokens_out: list[float], dropped: int
) -> None:
    trace = read_trace_file(written(tmp_path, text))
    assert trace.arrivals.tolist() == pytest.approx(arrivals, abs=1e-6)
    assert trace.input_tokens.tolist() == tokens_in
    assert trace.output_tokens.tolist() == tokens_out
    assert trace.dropped == dropped


def test_compressed_files_read_the_same(tmp_path: Path) -> None:
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(VIDUR.encode()))
    assert read_trace_file(path).input_tokens.tolist() == [100, 200]


HEAD = "arrival,input_tokens,output_tokens\n"


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("", "", "it is empty"),
        ("\n\n", "", "it is empty"),
        (HEAD, "", "no request with tokens"),
        (HEAD + "1,2,3\n", "", "1 request with tokens"),
        (HEAD + "1,2,0\n2,3,0\n", "", "no request with tokens"),
        ("input_tokens,output_tokens\n1,2\n", "", "no column tells arrival"),
        ("request_id,input_tokens\n1,2\n", "", "no column tells arrival or output_tokens; the heading is request_id"),
        (HEAD + "1,2,3\n2,3\n", ", line 3", "the row has 2 cells; the heading has 3"),
        (HEAD + "1,2,3\n\n2,x,3\n", ", line 4", 'input_tokens: "x" is not a number of tokens'),
        (HEAD + "1,2,3\n2,-4,3\n", ", line 3", '"-4" is not a number of tokens'),
        (HEAD + "1,2,nan\n2,4,3\n", ", line 2", '"nan" is not a number of tokens'),
        (HEAD + "1,2,1e300\n", ", line 2", "is not a number of tokens"),
        (HEAD + "soon,2,3\n", ", line 2", 'arrival: "soon" is not a time'),
        (HEAD + "inf,2,3\n", ", line 2", 'arrival: "inf" is not a time'),
        (HEAD + "1,2,3\n2026-03-01 10:00,2,3\n", ", line 3", "is not a time"),
        (HEAD + "2026-03-01 10:00,2,3\n5,2,3\n", ", line 3", "is not a time like those before it"),
        (HEAD + "2026-03-01 10:00,2,3\n2026-03-01T10:00Z,2,3\n", ", line 3", "is not a time like those before it"),
        ('{"timestamp": 1, "input_length": 2, "output_length": 3}\nnot json\n', ", line 2", "it is not a JSON object"),
        ('[{"timestamp": 1}]', ", line 1", "it is not a JSON object"),
        ('{"timestamp": 1, "input_length": [2], "output_length": 3}\n', ", line 1", "is not a number of tokens"),
        ("x" * 1_000_001, ", line 1", "more than 1,000,000 characters"),
    ],
)
def test_wrong_files_are_told_by_line(tmp_path: Path, text: str, place: str, message: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(DocumentError) as caught:
        read_trace_file(path)
    assert message in caught.value.message
    assert caught.value.where == f"{path}{place}"


def test_what_is_no_file_of_text(tmp_path: Path, library: Library) -> None:
    for content, message in {b"\xff\xfe\x00\x01": "not UTF-8", b"\x1f\x8bnot gzip at all": "cannot be read"}.items():
        path = tmp_path / "odd.csv"
        path.write_bytes(content)
        with pytest.raises(DocumentError, match=message):
            read_trace(path, library)
    cut = tmp_path / "cut.csv.gz"
    cut.write_bytes(gzip.compress((HEAD + "1,2,3\n" * 5000).encode())[:40])
    with pytest.raises(DocumentError, match="cannot be read"):
        read_trace(cut, library)
    with pytest.raises(DocumentError, match="it is a folder"):
        read_trace(tmp_path, library)
    with pytest.raises(DocumentError, match="there is no such file") as caught:
        read_trace("./absent.csv", library, where="workloads[0].traffic.trace")
    assert str(caught.value.where).startswith("workloads[0].traffic.trace, ")


def test_doors_that_serve_others_read_no_files(tmp_path: Path, library: Library) -> None:
    path = written(tmp_path, VIDUR)
    for given_path in (str(path), path, "arrivals.csv", "~/a.csv", "../a"):
        with pytest.raises(DocumentError, match="a path cannot be given here"):
            read_trace(given_path, library, files=False, where="trace")
    assert len(read_trace("azure-2023-code", library, files=False)) == 8819


def test_windows_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    trace = read_trace_file(written(tmp_path, HEAD + "0,1,1\n1,1,1\n10,1,1\n"))
    assert trace.peak_to_mean(5) == pytest.approx(2 / 1.5)
    assert trace.peak_to_mean(10) == 1
    for window in (0, -1, 11):
        with pytest.raises(DocumentError, match="does not fit a trace of 10 s"):
            trace.peak_to_mean(window)
    at_once = read_trace_file(written(tmp_path, HEAD + "3,1,1\n3,1,1\n"))
    with pytest.raises(DocumentError, match="gives no rate"):
        _ = at_once.requests_per_second


@given(st.text(max_size=200))
def test_no_text_gives_anything_but_a_trace_or_a_clear_error(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.getbasetemp() / "any.csv"
    path.write_bytes((HEAD if len(text) % 2 else "").encode() + text.encode("utf-8", "surrogatepass"))
    told = ""
    try:
        read = len(read_trace_file(path))
    except AdvisorError as error:
        read, told = 0, str(error)
    assert read >= 2 or str(path) in told
