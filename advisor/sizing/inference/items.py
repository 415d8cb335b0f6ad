"""Speed of models that process items: passes over a batch, items per second of an accelerator, latency, and streams.

A pass takes the time of its arithmetic at the share of peak that such models reach, and a time that does not depend on the batch
(launching kernels; for a speech decoder its steps one after another). Facts that key the fitted constants are `item_kind`
(text-encoder, vision-convolution, vision-transformer, detection, speech-encoder, speech-decoder, diffusion) and `item_runtime`:
compiled (TensorRT, torch.compile, TEI, CTranslate2) or eager (kernels launched one by one, as PyTorch does by itself).
"""

from advisor.sizing.formula import cite, formula
from advisor.units import (
    Count,
    FlopPerItem,
    FlopPerSecond,
    Items,
    ItemsPerRequest,
    ItemsPerSecond,
    Ratio,
    RequestsPerSecond,
    Seconds,
    TokensPerItem,
    TokensPerSecond,
    ceil,
    floor,
    maximum,
    minimum,
    where,
)

_FIT = cite("item-measurements", "fit of item speed")
_ROOFLINE = cite("williams-2009-roofline", "compute bound")
_LITTLE = cite("little-1961", "L = λ W")


@formula(sources=[_FIT])
def item_compute_rate(peak_item_compute: FlopPerSecond, item_compute_share: Ratio) -> FlopPerSecond:
    """Rate of arithmetic that a pass reaches: dense peak of the number format by the share that such models get of it.

    The share is fitted to 16-bit runs; 8-bit runs reach a smaller share of their higher peak.
    """
    return peak_item_compute * item_compute_share


@formula(sources=[_FIT])
def items_per_pass(item_batch: Count, item_group: Items) -> Items:
    """Items that one pass works on: the batch, each member of it a group of items.

    item_group is 1 for texts, images and generations. For audio, whose item is a second, it is the length of a clip, and 30 for
    Whisper, which always runs a window of 30 s.
    """
    return item_batch * item_group


@formula(sources=[_FIT])
def pass_steps(item_batch: Count) -> Count:
    """Launches of the whole model that follow one another in a pass: one, whatever the batch."""
    return 1 + 0 * item_batch


@formula(of="pass_steps", when='item_unit == "generation"', sources=[_FIT])
def pass_steps_of_generation(denoising_steps: Count) -> Count:
    """Denoising steps follow one another; the two passes of guidance run as one batch."""
    return denoising_steps


@formula(of="pass_steps", when='item_kind == "speech-decoder"', sources=[_FIT])
def pass_steps_of_decoder(decoder_layers: Count, audio_tokens_per_second: TokensPerItem, item_group: Items) -> Count:
    """Layers that run one after another while a decoder writes the words of a window token by token.

    Two layers' worth are added for what a token takes beside them (embedding, head, choice of the token).
    """
    return (decoder_layers + 2) * audio_tokens_per_second * item_group


@formula(sources=[_FIT])
def pass_overhead(pass_steps: Count, item_step_overhead: Seconds) -> Seconds:
    """Time of a pass that does not depend on its batch."""
    return pass_steps * item_step_overhead


@formula(sources=[_ROOFLINE])
def pass_compute_time(items_per_pass: Items, item_work: FlopPerItem, item_compute_rate: FlopPerSecond) -> Seconds:
    """Time of a pass's arithmetic."""
    return items_per_pass * item_work / item_compute_rate


@formula(sources=[_FIT])
def pass_time(pass_compute_time: Seconds, pass_overhead: Seconds, item_speed_factor: Ratio) -> Seconds:
    """Time of one pass over a batch.

    The speed factor is 1; its ends are the band in which four of five measured rows stand.
    """
    return (pass_compute_time + pass_overhead) / item_speed_factor


@formula(sources=[_FIT])
def items_per_second(items_per_pass: Items, pass_time: Seconds) -> ItemsPerSecond:
    """Items one accelerator gets through in a second when it is never idle; for audio, how many times faster than real time."""
    return items_per_pass / pass_time


@formula()
def items_needed_per_second(requests_per_second: RequestsPerSecond, items_per_request: ItemsPerRequest) -> ItemsPerSecond:
    """Items that arrive in a second: the candidates a reranker scores, the images or seconds of audio of a request."""
    return requests_per_second * items_per_request


@formula(sources=[_LITTLE])
def item_accelerators(
    items_needed_per_second: ItemsPerSecond, items_per_second: ItemsPerSecond, target_utilisation: Ratio
) -> Count:
    """Accelerators that keep up with the items that arrive, none of them fuller than the target."""
    return maximum(1, ceil(items_needed_per_second / (items_per_second * target_utilisation)))


@formula(sources=[_LITTLE])
def item_utilisation(
    items_needed_per_second: ItemsPerSecond, items_per_second: ItemsPerSecond, item_accelerators: Count
) -> Ratio:
    """How full the accelerators are."""
    return items_needed_per_second / (items_per_second * item_accelerators)


@formula(sources=[_LITTLE])
def item_latency(pass_time: Seconds, item_utilisation: Ratio) -> Seconds:
    """Mean time from an item's arrival to its result: what is left of the running pass, and the pass it goes into.

    Holds while a pass takes all that wait; where more wait than a batch holds, the queue comes on top. Pre-processing and the
    network are left out.
    """
    return pass_time * (1 + minimum(item_utilisation, 1) / 2)


@formula(sources=[_FIT])
def batch_within_latency(
    item_latency_target: Seconds,
    pass_overhead: Seconds,
    item_speed_factor: Ratio,
    item_compute_rate: FlopPerSecond,
    item_group: Items,
    item_work: FlopPerItem,
) -> Count:
    """Largest batch whose results come within the target, even to those that wait half a pass first; zero where none does."""
    return floor(
        maximum(0, item_latency_target * item_speed_factor / 1.5 - pass_overhead) * item_compute_rate / (item_group * item_work)
    )


@formula()
def item_token_rate(items_per_second: ItemsPerSecond, tokens_per_item: TokensPerItem) -> TokensPerSecond:
    """Tokens that one accelerator of an embedder or a reranker reads in a second."""
    return items_per_second * tokens_per_item


@formula(sources=[cite("whisperlive-issue-295", "streams share passes once they are batched")])
def stream_repeats(audio_window: Seconds, update_interval: Seconds) -> Ratio:
    """How many times one second of live audio is processed: a decoder over windows begins its window anew at every update.

    audio_window: seconds a pass looks at (30 for Whisper, however little of them is new). update_interval: seconds between two
    updates of a caption. Recorded audio is processed once: state an interval as long as the window.
    """
    return maximum(1, audio_window / update_interval)


@formula(sources=[_FIT])
def real_time_streams(items_per_second: ItemsPerSecond, stream_repeats: Ratio, target_utilisation: Ratio) -> Count:
    """Live audio streams that one accelerator follows: seconds of audio per second, by how often each is processed."""
    return floor(items_per_second * target_utilisation / stream_repeats)


@formula(sources=[cite("ultralytics-issue-5810", "8 to 12 streams, where the model alone would take several times as many")])
def camera_streams(
    items_per_second: ItemsPerSecond,
    video_pipeline_share: Ratio,
    frames_per_second: ItemsPerSecond,
    decoded_frames: ItemsPerSecond,
) -> Count:
    """Camera streams that one accelerator analyses: images per second that its whole pipeline passes, over the frame rate.

    video_pipeline_share: what decoding, tracking and copies leave of the model's own speed. decoded_frames: frames per second
    that its video decoder passes; without a figure, give a very large one.
    """
    return floor(minimum(items_per_second * video_pipeline_share, decoded_frames) / frames_per_second)


@formula(sources=[cite("orpheus-streaming-issue-5", "0.469 alone, 1.403 with 12 at once")])
def measured_real_time_streams(real_time_factor_alone: Ratio, real_time_factor_together: Ratio, streams_together: Count) -> Count:
    """Streams in real time by two measurements of one's own: alone, and several at once; between them time grows evenly.

    The real-time factor is processing time over length of audio; at 1 a stream just keeps up. Zero where not even one does.
    """
    return where(
        real_time_factor_alone < 1,
        floor(
            1
            + (1 - real_time_factor_alone)
            * (streams_together - 1)
            / maximum(real_time_factor_together - real_time_factor_alone, 1e-9)
        ),
        0,
    )
