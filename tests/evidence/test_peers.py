"""The peer's package is asked in its own terms, and whatever it cannot do is told, not raised; a stand-in takes its place."""

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from advisor.errors import MissingExtraError
from advisor.evidence.peers import PeerEstimate, PeerQuestion, PeerRefusal, peer_estimate
from advisor.facts import Label, answered
from advisor.library import Library
from advisor.plan.plan import Configuration, Sold
from advisor.plan.quantity import Quantity
from advisor.plan.second_opinion import second_opinion

PACKED = {
    "meta-llama/Meta-Llama-3.1-70B": None,
    "nvidia/Llama-3.1-70B-Instruct-FP8": "fp8",
    "deepseek-ai/DeepSeek-R1": "fp8_block",
    "deepseek-ai/DeepSeek-V3": "fp8_block",
    "openai/gpt-oss-120b": "mxfp4",
    "zai-org/GLM-5": None,
    "nvidia/GLM-5-NVFP4": "nvfp4",
}
EXPERTS = ("deepseek", "gpt-oss", "glm")
QUESTION = PeerQuestion(
    model="meta-llama/Llama-3.1-70B-Instruct",
    accelerator="h100-sxm",
    engine="vllm",
    engine_version="0.24.0",
    tensor_parallel=4,
    precision="bf16",
    input_tokens=4000,
    output_tokens=500,
    concurrent_requests=50,
)


class Peer:
    """A stand-in with the shape of the package's interface: what it was asked last, and what it answers or raises."""

    def __init__(self) -> None:
        self.asked: dict[str, Any] = {}
        self.error: Exception | None = None
        self.ttft = 650.0
        self.warning: str | None = None

    def cli_estimate(self, model_path: str, system_name: str, **given: Any) -> SimpleNamespace:
        self.asked = {"model_path": model_path, "system_name": system_name, **given}
        if self.error is not None:
            raise self.error
        return SimpleNamespace(
            ttft=self.ttft,
            tpot=25.0,
            backend_name=given["backend_name"],
            backend_version=given["backend_version"] or "0.24.0",
            system_name=system_name,
            kv_cache_warning=self.warning,
        )

    def modules(self) -> dict[str, ModuleType]:
        """The modules that are looked up, by name."""
        members: dict[str, dict[str, Any]] = {
            "": {"__version__": "0.12.0"},
            ".cli.api": {"cli_estimate": self.cli_estimate},
            ".sdk.common": {"DefaultHFModels": set(PACKED)},
            ".sdk.models": {"check_is_moe": lambda name: any(word in name.casefold() for word in EXPERTS)},
            ".sdk.perf_database": {"get_version_slots": lambda system, backend: {"current": "0.24.0", "next": "0.27.0"}},
            ".sdk.utils": {"get_model_config_from_model_path": lambda name: {"raw_config": {"quant_algo": PACKED[name]}}},
        }
        made = {}
        for name, content in members.items():
            module = ModuleType(f"aiconfigurator{name}")
            for key, value in content.items():
                setattr(module, key, value)
            made[module.__name__] = module
        return made


@pytest.fixture
def peer(monkeypatch: pytest.MonkeyPatch) -> Peer:
    """The stand-in, installed."""
    standing = Peer()
    for name, module in standing.modules().items():
        monkeypatch.setitem(sys.modules, name, module)
    return standing


def _ask(**changed: Any) -> PeerEstimate | PeerRefusal:
    return peer_estimate(QUESTION.model_copy(update=changed))


def _reason(**changed: Any) -> str:
    answer = _ask(**changed)
    assert isinstance(answer, PeerRefusal)
    return answer.reason


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "aiconfigurator", None)
    with pytest.raises(MissingExtraError) as raised:
        peer_estimate(QUESTION)
    assert raised.value.extra == "peers"
    assert "ai-infra-advisor[peers]" in str(raised.value)


def test_times_come_back_in_seconds_with_version_and_tables(peer: Peer) -> None:
    assert _ask() == PeerEstimate(
        time_to_first_token=0.65, time_per_output_token=0.025, version="0.12.0", database="vllm 0.24.0 on h100_sxm"
    )


def test_a_dense_model_in_its_terms(peer: Peer) -> None:
    _ask()
    assert peer.asked == {
        "model_path": "meta-llama/Meta-Llama-3.1-70B",
        "system_name": "h100_sxm",
        "backend_name": "vllm",
        "backend_version": "0.24.0",
        "isl": 4000,
        "osl": 500,
        "batch_size": 50,
        "tp_size": 4,
        "pp_size": 1,
        "attention_dp_size": 1,
        "moe_tp_size": None,
        "moe_ep_size": None,
        "gemm_quant_mode": None,
        "moe_quant_mode": None,
        "kvcache_quant_mode": None,
    }


def test_a_batch_is_counted_for_each_attention_group_and_stage(peer: Peer) -> None:
    _ask(model="deepseek-ai/DeepSeek-R1", tensor_parallel=1, data_parallel=8, expert_parallel=8, precision="fp8")
    wanted = {"attention_dp_size": 8, "batch_size": 7, "moe_tp_size": 1, "moe_ep_size": 8}
    assert {key: peer.asked[key] for key in wanted} == wanted
    _ask(pipeline_parallel=2)
    assert (peer.asked["pp_size"], peer.asked["batch_size"]) == (2, 25)


def test_experts_without_groups_are_cut_like_the_rest(peer: Peer) -> None:
    _ask(model="openai/gpt-oss-120b", precision="mxfp4")
    assert (peer.asked["moe_tp_size"], peer.asked["moe_ep_size"]) == (4, 1)
    assert peer.asked["gemm_quant_mode"] is None


@pytest.mark.parametrize(
    ("model", "precision", "packed"),
    [
        ("meta-llama/Llama-3.3-70B-Instruct", "fp8-e4m3-per-tensor", "nvidia/Llama-3.1-70B-Instruct-FP8"),
        ("meta-llama/Llama-3.3-70B-Instruct", "awq-int4-g128", "meta-llama/Meta-Llama-3.1-70B"),
        ("deepseek-ai/DeepSeek-R1-0528", "fp8-e4m3-block128", "deepseek-ai/DeepSeek-R1"),
        ("deepseek-ai/DeepSeek-V3.1", "nvfp4", "deepseek-ai/DeepSeek-V3"),
        ("zai-org/GLM-5", "nvfp4", "nvidia/GLM-5-NVFP4"),
    ],
)
def test_the_checkpoint_of_the_same_shape(peer: Peer, model: str, precision: str, packed: str) -> None:
    assert isinstance(_ask(model=model, precision=precision), PeerEstimate)
    assert peer.asked["model_path"] == packed


def test_a_checkpoint_of_another_format_is_asked_for_with_modes(peer: Peer) -> None:
    modes = {}
    for model, precision in ((QUESTION.model, "awq-int4-g128"), (QUESTION.model, "fp8"), ("deepseek-ai/DeepSeek-R1", "fp8")):
        _ask(model=model, precision=precision)
        modes[model, precision] = (peer.asked["gemm_quant_mode"], peer.asked["moe_quant_mode"])
    assert list(modes.values()) == [("int4_wo", None), (None, None), ("fp8", "fp8")]


def test_experts_of_four_bits_on_blackwell_compute_in_eight(peer: Peer) -> None:
    _ask(model="openai/gpt-oss-120b", precision="mxfp4", accelerator="b200-sxm", engine="tensorrt-llm")
    assert peer.asked["moe_quant_mode"] == "w4a8_mxfp4_mxfp8"


def test_experts_of_sglang_are_in_blocks(peer: Peer) -> None:
    _ask(model="deepseek-ai/DeepSeek-R1", precision="fp8", engine="sglang")
    assert (peer.asked["gemm_quant_mode"], peer.asked["moe_quant_mode"]) == ("fp8", "fp8_block")


@pytest.mark.parametrize(("written", "mode"), [("bf16", "bfloat16"), ("fp8-e4m3-per-tensor", "fp8"), (None, None)])
def test_the_cache_format(peer: Peer, written: str | None, mode: str | None) -> None:
    _ask(kv_precision=written)
    assert peer.asked["kvcache_quant_mode"] == mode


def test_tables_of_another_version_are_its_current_ones(peer: Peer) -> None:
    answer = _ask(engine_version="0.19.0")
    assert peer.asked["backend_version"] is None
    assert isinstance(answer, PeerEstimate)
    assert answer.database == "vllm 0.24.0 on h100_sxm"


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"accelerator": "mi300x"}, "mi300x"),
        ({"engine": "llama.cpp"}, "llama.cpp"),
        ({"precision": "nf4"}, "nf4"),
        ({"model": "somebody/Unheard-13B"}, "somebody/Unheard-13B"),
        ({"model": "deepseek-ai/DeepSeek-R1-Distill-Llama-70B"}, "Distill"),
        ({"precision": "mxfp4"}, "mxfp4"),
        ({"kv_precision": "nvfp4"}, "nvfp4"),
        ({"model": "deepseek-ai/DeepSeek-R1", "precision": "fp8", "expert_parallel": 3}, "3 groups"),
    ],
)
def test_what_it_has_nothing_for_is_refused_before_it_is_asked(peer: Peer, changed: dict[str, Any], named: str) -> None:
    assert named in _reason(**changed)
    assert peer.asked == {}


def test_its_errors_become_reasons_without_places_on_this_machine(peer: Peer) -> None:
    peer.error = RuntimeError('MoE data missing for MoeKey { quant: "fp8" } at /opt/x/data/h100_sxm; available: []\nsecond line')
    assert _reason() == 'aiconfigurator cannot estimate it: MoE data missing for MoeKey { quant: "fp8" }'
    peer.error = RuntimeError("OOM: the model does not fit")
    assert "does not fit" in _reason()
    peer.error = TypeError("cli_estimate() got an unexpected keyword argument 'isl'")
    assert "cannot be called as 0.12 is" in _reason()


def test_a_time_that_is_none(peer: Peer) -> None:
    peer.ttft = float("inf")
    assert "no finite time" in _reason()


def test_its_own_doubt_is_passed_on(peer: Peer) -> None:
    peer.warning = "Requested batch_size exceeds estimated KV cache capacity"
    answer = _ask()
    assert isinstance(answer, PeerEstimate)
    assert answer.caution is not None
    assert "queue" in answer.caution


def test_only_one_file_reaches_it(root: Path) -> None:
    reaching = {path.name for path in (root / "advisor").rglob("*.py") if "aiconfigurator" in path.read_text(encoding="utf-8")}
    assert reaching == {"peers.py"}


CONFIGURATION = Configuration(
    role="recommended",
    accelerator="h100-sxm",
    accelerator_name="H100",
    accelerators=8,
    accelerators_per_node=8,
    replicas=2,
    tensor_parallel=4,
    pipeline_parallel=1,
    precision="bf16",
    kv_precision="bf16",
    engine="vllm",
    engine_version="0.33.0",
    sold=Sold(per_node=8, nodes=1, accelerators=8, idle=0),
    estimates={"time_per_output_token": Quantity(value=0.02, unit="second", label=Label.estimated)},
)
LOAD = {
    name: answered(name, value)
    for name, value in {"input_tokens": 4000.0, "output_tokens": 500.0, "concurrent_requests": 50.0}.items()
}


def test_a_second_opinion_stands_beside_our_figures(peer: Peer, library: Library) -> None:
    opinion = second_opinion(CONFIGURATION, LOAD, library, "llama-3.1-70b")
    assert opinion.refused is None
    assert (opinion.tool, opinion.version, opinion.database) == ("aiconfigurator", "0.12.0", "vllm 0.24.0 on h100_sxm")
    assert peer.asked["batch_size"] == 25
    each, first = opinion.figures["time_per_output_token"], opinion.figures["time_to_first_token"]
    assert each.difference == pytest.approx(0.25)
    assert (first.ours, first.peers, first.difference) == (None, 0.65, None)


def test_a_second_opinion_says_why_there_is_none(peer: Peer, library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    refused = second_opinion(CONFIGURATION.model_copy(update={"accelerator": "mi300x"}), LOAD, library, "llama-3.1-70b")
    assert refused.refused is not None
    assert refused.figures == {}
    monkeypatch.setitem(sys.modules, "aiconfigurator", None)
    absent = second_opinion(CONFIGURATION, LOAD, library, "llama-3.1-70b")
    assert absent.refused is not None
    assert "pip install" in absent.refused
