"""Feed-forward layers, dense and with experts: weights, and how many of them one token uses."""

from dataclasses import dataclass
from typing import Final

from advisor.catalogue.config.families import Family
from advisor.catalogue.config.keys import Keys
from advisor.catalogue.model import Experts

INTERMEDIATE: Final = ("intermediate_size", "ffn_dim", "ffn_hidden_size", "n_inner", "d_ff", "hidden_dim")
EXPERT_COUNT: Final = (
    "num_local_experts",
    "n_routed_experts",
    "num_experts",
    "moe_num_experts",
    "num_routed_experts",
    "n_experts",
)
PER_TOKEN: Final = (
    "num_experts_per_tok",
    "num_experts_per_token",
    "experts_per_token",
    "moe_top_k",
    "top_k_experts",
    "moe_topk",
    "moe_k",
    "num_selected_experts",
    "moe_num_active_experts",
)
_SHARED_COUNT: Final = ("n_shared_experts", "num_shared_experts", "moe_num_shared_experts", "num_shared_expert")
_SHARED_WIDTH: Final = (
    "shared_expert_intermediate_size",
    "moe_shared_expert_intermediate_size",
    "shared_intermediate_size",
    "share_expert_dim",
)


@dataclass(frozen=True, slots=True)
class FeedForwardShape:
    """Parameters of one feed-forward layer: all, those of its routed experts, and those of the routed experts one token uses."""

    parameters: int
    experts: int = 0
    experts_used: int = 0


NOTHING: Final = FeedForwardShape(0)


@dataclass(frozen=True, slots=True)
class ExpertShape:
    """A layer's experts: how many, how many a token uses, their width, and the width of what is always on beside them."""

    count: int
    per_token: int
    shared: int
    width: int
    shared_width: int

    def record(self, layers: int) -> Experts:
        """As the catalogue keeps it; one wide shared expert counts as as many of the routed width as it holds."""
        return Experts(count=self.count, per_token=self.per_token, shared=self.shared, intermediate=self.width, layers=layers)


def dense_width(keys: Keys, hidden: int, model_type: str) -> int:
    """The width of a dense feed-forward, adjusted as the model type's own code adjusts it."""
    width = keys.whole("intermediate_size_mlp", "dense_intermediate_size")  # Llama 4, MiniMax M3: the other width is an expert's
    width = width or keys.whole("block_ff_dim")  # LFM2's own key wins over the library's
    if width is None and (listed := keys.wholes("intermediate_size")):
        width = max(listed)
    if width is None:
        width = keys.whole(*INTERMEDIATE)
    if width is None and (ratio := keys.number("expansion_ratio", "mlp_ratio")) is not None:
        width = round(ratio * hidden)
    if width is None:
        return _without_key(keys, hidden, model_type)
    if model_type == "qwen":  # its key holds gate and up together
        width //= 2
    if model_type == "lfm2" and keys.flag("block_auto_adjust_ff_dim") is not False:
        multiple = keys.whole("block_multiple_of") or 256
        width = int((keys.number("block_ffn_dim_multiplier") or 1.0) * int(2 * width / 3))
        width = multiple * -(-width // multiple)
    return width // 2 if model_type == "recurrent_gemma" else width


def _without_key(keys: Keys, hidden: int, model_type: str) -> int:
    # These families always build four times the hidden width, and write the key only where it differs, or never.
    if model_type in ("gpt2", "gpt-sw3", "gptj", "gpt_bigcode", "gpt_neo", "codegen", "bloom", "falcon", "openai-gpt", "mpt"):
        return 4 * hidden
    return keys.need(*INTERMEDIATE, what="the width of the feed-forward layer")


def dense(keys: Keys, hidden: int, width: int, family: Family) -> FeedForwardShape:
    """Two matrices, or three with a gate."""
    biased = keys.flag("mlp_bias", "use_bias", "enable_bias", "bias", "use_mlp_bias")
    if biased is None and family.biased != "qkv" and (without := keys.flag("no_bias")) is not None:
        biased = not without
    if family.mlp_bias and keys.flag("mlp_bias", "use_bias", "enable_bias", "bias") is None:
        biased = True
    matrices = 3 if family.gated else 2
    bias = (matrices - 1) * width + hidden if biased else 0
    return FeedForwardShape(matrices * hidden * width + bias)


def expert_shape(keys: Keys, hidden: int) -> ExpertShape | None:
    """The experts of a layer, or None for a dense model."""
    count = keys.whole(*EXPERT_COUNT, least=0)
    if not count:
        listed = keys.wholes(*EXPERT_COUNT)
        if not listed:
            return None
        count = max(listed)
    if keys.flag("enable_moe_block") is False or count == 1:
        return None
    listed = keys.wholes(*PER_TOKEN)
    per_token = max(listed) if listed else keys.need(*PER_TOKEN, what="how many experts a token uses")
    if per_token > count:
        raise keys.error(PER_TOKEN[0], f"is {per_token}, more than the {count} experts there are")
    widths = keys.wholes("moe_intermediate_size")
    width = max(widths) if widths else keys.whole("moe_intermediate_size", "expert_ffn_hidden_size", "moe_ffn_hidden_size")
    if width is None:
        width = keys.need(*INTERMEDIATE, what="the width of an expert")
    listed = keys.wholes(*_SHARED_COUNT)
    shared = max(listed) if listed else keys.count(*_SHARED_COUNT)
    stated = keys.whole(*_SHARED_WIDTH, least=0)
    # A stated width is that of all shared experts together.
    if stated is None:
        shared_width = shared * width
    else:
        shared_width = stated
        shared = round(shared_width / width) if stated else 0
    if (keys.text("model_type") or "").startswith("hunyuan"):  # always there, and as wide as the dense layers
        shared = max(shared, 1)
        shared_width = shared * keys.need(*INTERMEDIATE, what="the width of the feed-forward layer")
    if shared_width == 0 and (keys.text("model_type") or "").startswith("llama4"):
        shared, shared_width = 1, width
    return ExpertShape(count, per_token, shared, width, shared_width)


def routed(keys: Keys, hidden: int, shape: ExpertShape, family: Family, model_type: str) -> FeedForwardShape:
    """A router, routed experts, and what is always on beside them."""
    matrices = 3 if family.gated else 2
    # Some types squeeze the tokens into a narrower vector before the experts and widen it after them.
    narrow = keys.whole("moe_latent_size", "routed_expert_hidden_size")
    width = narrow or hidden
    one = matrices * width * shape.width
    if family.expert_bias:
        one += (matrices - 1) * shape.width + hidden
    experts = shape.count * one
    parameters = experts + hidden * shape.count + matrices * hidden * shape.shared_width
    parameters += 2 * hidden * narrow if narrow else 0
    parameters += shape.count if family.router_bias else 0
    parameters += shape.count if family.correction_bias else 0
    parameters += hidden if family.shared_gate and shape.shared_width else 0
    if keys.flag("enable_moe_block"):  # Gemma 4: a dense feed-forward beside the experts, with norms and scales of their own
        parameters += dense(keys, hidden, dense_width(keys, hidden, model_type), family).parameters
        parameters += 3 * hidden + hidden + shape.count
    if nothing := keys.count("zero_expert_num"):  # LongCat: experts that pass a token through, and two dense layers beside them
        parameters += hidden * nothing + 2 * dense(keys, hidden, dense_width(keys, hidden, model_type), family).parameters
    if model_type == "arctic":  # a dense feed-forward as wide as the model runs beside the experts
        parameters += 3 * hidden * hidden + hidden
    return FeedForwardShape(parameters, experts, shape.per_token * one)
