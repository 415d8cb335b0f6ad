"""Models that process items: work, speed, memory and streams against published figures and the laws they follow."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.catalogue.efficiency import Efficiency
from advisor.catalogue.model import Model
from advisor.library import Library
from advisor.sizing.efficiencies import End, efficiency_columns
from advisor.sizing.formula import formulas
from advisor.sizing.inference.constants import ITEM_CONSTANTS
from advisor.sizing.inference.item_facts import item_facts, item_kind, item_unit
from advisor.units import parse


def evaluate(wanted: str, **facts: Any) -> Any:
    return formulas().evaluate([wanted], facts)[wanted]


def with_constants(library: Library, facts: dict[str, Any], end: End = "typical") -> dict[str, Any]:
    known = efficiency_columns([library.get(Efficiency, id) for id in ITEM_CONSTANTS], facts, end)
    return {**known, **facts}


def on(
    library: Library, model: str, peak: str, *, end: End = "typical", runtime: str = "compiled", **load: Any
) -> dict[str, Any]:
    facts = {**item_facts(library.get(Model, model)), "item_runtime": runtime, "peak_item_compute": parse(peak, "FLOP/second")}
    usual = {"item_batch": 32.0, "image_scale": 1.0, "target_utilisation": 1.0}
    return with_constants(library, {**facts, **usual, **load}, end)


def test_kinds_follow_the_task(library: Library) -> None:
    kinds = {
        "bge-m3": "text-encoder",
        "bge-reranker-large": "text-encoder",
        "resnet50": "vision-convolution",
        "vit-b-16": "vision-transformer",
        "yolov8n": "detection",
        "whisper-small": "speech-decoder",
        "parakeet-tdt-0.6b-v2": "speech-encoder",
        "flux.1-dev": "diffusion",
        "llama-3.1-8b": None,
    }
    for id, kind in kinds.items():
        model = library.get(Model, id)
        assert item_kind(model) == kind, id
        assert (item_unit(model) is None) == (kind is None)


def test_work_of_a_text_agrees_with_the_catalogue(library: Library) -> None:
    # The catalogue counts one token of BGE large at 0.6067 GFLOP, attention left out.
    facts = {**item_facts(library.get(Model, "bge-large-en-v1.5")), "tokens_per_item": 512.0}
    assert evaluate("encoder_token_work", **facts) == pytest.approx(0.6067e9, rel=0.005)
    assert evaluate("item_attention_work", **facts) == pytest.approx(4 * 24 * 1024 * 512**2)
    assert evaluate("item_work", **facts) == pytest.approx(512 * 0.6078e9 + 4 * 24 * 1024 * 512**2, rel=0.005)


def test_whispers_decoder_counts_its_parameters(library: Library) -> None:
    # 0.906 B of large-v3's 1.5435 B parameters are the decoder's: two operations each, and attention to 1,500 positions.
    facts = item_facts(library.get(Model, "whisper-large-v3"))
    assert evaluate("decoder_token_work", **facts) == pytest.approx(2 * 0.906e9 + 4 * 1500 * 1280 * 32, rel=0.01)
    assert (facts["decoder_layers"], facts["item_group"], facts["audio_positions"]) == (32, 30, 1500)


def test_a_picture_is_its_steps(library: Library) -> None:
    sdxl = {
        **item_facts(library.get(Model, "sdxl-base-1.0")),
        "image_scale": 1.0,
        "denoising_steps": 30.0,
        "guidance_passes": 2.0,
    }
    assert evaluate("item_work", **sdxl) == pytest.approx(60 * 6761.2e9)


def test_a_video_step_is_mostly_attention(library: Library) -> None:
    # 81 frames of 1280x720: 21 x 45 x 80 latent tokens.
    wan = {**item_facts(library.get(Model, "wan2.1-t2v-14b")), "latent_tokens": 75600.0, "image_scale": 1.0}
    work = evaluate("denoising_step_work", **wan)
    assert work == pytest.approx(2 * 14.2885e9 * 75600 + 4 * 40 * 5120 * 75600**2)
    assert 0.6 < 4 * 40 * 5120 * 75600**2 / work < 0.75


def test_flux_needs_34_gb_of_weights_and_no_24_gb_card(library: Library) -> None:
    # UniEdit-Flow issue 5: 12 B at 16 bit, T5-XXL 9.5 GB and the VAE come to 33.8 GB; over 36 GB in use.
    facts = on(
        library, "flux.1-dev", "989 TFLOP/s", item_batch=1.0, guidance_passes=1.0, latent_tokens=4608.0, item_weight_bits=16.0
    )
    facts |= {
        "group_side_parameters": np.array([[4.76e9], [0.123e9], [0.084e9]]),
        "group_side_bits": 16.0,
        "image_pixels": 1024.0**2,
        "image_decoder_channels": 256.0,
    }
    assert evaluate("item_weights", **facts) == pytest.approx(33.8e9, rel=0.01)
    assert 36e9 < evaluate("item_memory", **facts) < 40e9


def test_memory_of_faster_whisper(library: Library) -> None:
    # Its own table for large-v2 at 16 bit: 4,525 MB one window at a time, 6,090 MB in batches of eight.
    for batch, published in ((1.0, 4525e6), (8.0, 6090e6)):
        facts = on(library, "whisper-large-v2", "43.5 TFLOP/s", item_batch=batch, item_weight_bits=16.0)
        facts |= {
            "group_side_parameters": np.zeros((1, 1)),
            "group_side_bits": 16.0,
            "image_pixels": 0.0,
            "image_decoder_channels": 0.0,
        }
        assert evaluate("item_memory", **facts) == pytest.approx(published, rel=0.1)


def test_a_starved_t4_was_capable_of_a_thousand_chunks_a_second(library: Library) -> None:
    # mcp-vector-search issue 124: 1,000 to 2,000 chunks a second, which stand between PyTorch at 32 bit and at 16 bit.
    plain, half = (
        evaluate("items_per_second", **on(library, "all-minilm-l6-v2", peak, runtime="eager", tokens_per_item=200.0))
        for peak in ("8.1 TFLOP/s", "65 TFLOP/s")
    )
    assert plain < 1000 < 2000 < half


def test_inference_is_faster_than_training(library: Library) -> None:
    # MLPerf Storage trains ResNet-50 with 1,786 images a second on an H100; a training step does three times the work.
    assert evaluate("items_per_second", **on(library, "resnet50", "989 TFLOP/s", runtime="eager", item_batch=400.0)) > 3 * 1786


def test_published_speeds_stand_between_the_ends(library: Library) -> None:
    # BERT large over 384 tokens with TensorRT on an A100 and a T4; Stable Diffusion XL in 30 steps on an H100.
    cases: tuple[tuple[str, str, dict[str, Any], float], ...] = (
        ("bert-large-uncased", "312 TFLOP/s", {"tokens_per_item": 384.0, "item_batch": 16.0}, 544.0),
        ("bert-large-uncased", "65 TFLOP/s", {"tokens_per_item": 384.0, "item_batch": 16.0}, 72.7),
        ("sdxl-base-1.0", "989 TFLOP/s", {"item_batch": 1.0, "denoising_steps": 30.0, "guidance_passes": 2.0}, 0.68),
        ("yolov8x", "312 TFLOP/s", {"item_batch": 1.0}, 1000 / 3.53),
    )
    for model, peak, load, measured in cases:
        low, high = (evaluate("items_per_second", **on(library, model, peak, end=end, **load)) for end in ("low", "high"))
        assert low <= measured <= high, model


def test_live_captions_need_batches(library: Library) -> None:
    # WhisperLive issues 295 and 188: some 36 clients of the small model on a 4090 with batching, 16 to 20 on a T4, four without.
    def streams(peak: str, batch: float, end: End = "typical") -> float:
        facts = on(library, "whisper-small", peak, end=end, item_batch=batch, audio_window=30.0, update_interval=2.0)
        return float(evaluate("real_time_streams", **facts))

    assert streams("165 TFLOP/s", 36.0, "low") <= 36 <= streams("165 TFLOP/s", 36.0, "high")
    assert streams("65 TFLOP/s", 16.0, "low") <= 20 <= streams("65 TFLOP/s", 16.0, "high")
    assert streams("165 TFLOP/s", 1.0) <= 6
    assert streams("165 TFLOP/s", 36.0) > 3 * streams("165 TFLOP/s", 1.0)


def test_cameras_per_card(library: Library) -> None:
    # Ultralytics issue 5810: 8 to 12 streams on an RTX A4000 with TensorRT and the nano model.
    facts = on(library, "yolov8n", "76.7 TFLOP/s", item_batch=1.0, frames_per_second=25.0, decoded_frames=1e9)
    assert 8 <= evaluate("camera_streams", **facts) <= 12
    assert evaluate("camera_streams", **{**facts, "decoded_frames": 100.0}) == 4


def test_streams_of_speech_synthesis_from_two_measurements() -> None:
    # orpheus-streaming issue 5: a real-time factor of 0.469 alone and 1.403 with 12 at once.
    facts = {"real_time_factor_alone": 0.469, "real_time_factor_together": 1.403, "streams_together": 12.0}
    assert evaluate("measured_real_time_streams", **facts) == 7
    assert evaluate("measured_real_time_streams", **{**facts, "real_time_factor_alone": 1.2}) == 0


def test_load_latency_and_accelerators(library: Library) -> None:
    facts = on(
        library, "bge-reranker-large", "121 TFLOP/s", tokens_per_item=256.0, requests_per_second=20.0, items_per_request=50.0
    )
    facts["target_utilisation"] = 0.7
    needed = evaluate("item_accelerators", **facts)
    assert evaluate("items_needed_per_second", **facts) == 1000
    assert needed == np.ceil(1000 / (0.7 * evaluate("items_per_second", **facts)))
    assert evaluate("item_utilisation", **facts) <= 0.7
    assert 1 <= evaluate("item_latency", **facts) / evaluate("pass_time", **facts) <= 1.5


def test_batches_by_latency_and_by_memory(library: Library) -> None:
    facts = on(library, "bge-m3", "121 TFLOP/s", tokens_per_item=512.0, item_latency_target=0.2, requests_per_second=1.0)
    batch = evaluate("batch_within_latency", **facts)
    assert batch > 1
    assert (
        evaluate("pass_time", **{**facts, "item_batch": batch}) * 1.5
        <= 0.2
        < evaluate("pass_time", **{**facts, "item_batch": batch + 1}) * 1.5
    )
    assert evaluate("batch_within_latency", **{**facts, "item_latency_target": 1e-4}) == 0
    facts |= {"item_weight_bits": 16.0, "group_side_parameters": np.zeros((1, 1)), "group_side_bits": 16.0}
    fits = evaluate("batch_that_fits", **facts, usable_memory=22e9)
    whole = {**facts, "item_batch": fits, "image_pixels": 0.0, "image_decoder_channels": 0.0}
    assert evaluate("item_memory", **whole) <= 22e9 < evaluate("item_memory", **{**whole, "item_batch": fits + 1})
    assert evaluate("batch_that_fits", **facts, usable_memory=2e9) == 0


@given(batch=st.floats(1, 512), factor=st.floats(1.01, 8), work=st.floats(1e6, 1e15))
def test_larger_batches_never_do_less_and_never_answer_sooner(batch: float, factor: float, work: float) -> None:
    facts = {
        "item_kind": "text-encoder",
        "item_unit": "text",
        "item_work": work,
        "item_group": 1.0,
        "peak_item_compute": 1e14,
        "item_compute_share": 0.3,
        "item_step_overhead": 1e-3,
        "item_speed_factor": 1.0,
    }
    small, large = ({**facts, "item_batch": size} for size in (batch, batch * factor))
    assert evaluate("items_per_second", **large) >= evaluate("items_per_second", **small)
    assert evaluate("pass_time", **large) >= evaluate("pass_time", **small)


def test_a_table_of_kinds_is_evaluated_at_once(library: Library) -> None:
    rows = [
        on(library, id, "312 TFLOP/s", tokens_per_item=256.0, denoising_steps=30.0, guidance_passes=2.0, latent_tokens=0.0)
        for id in ("bge-m3", "resnet50", "whisper-small", "sdxl-base-1.0")
    ]
    columns = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    together = formulas().evaluate(["items_per_second"], columns)["items_per_second"]
    assert together == pytest.approx([evaluate("items_per_second", **row) for row in rows])
