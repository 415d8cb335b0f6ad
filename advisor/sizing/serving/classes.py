"""Words by which fitted constants are keyed: kinds of accelerator, weight format, engine, model and link.

A part or format that no measurement has takes its class's constants, with a wider band.
"""

from advisor.catalogue.accelerator import Accelerator
from advisor.catalogue.formats import Format
from advisor.catalogue.model import LayerGroup
from advisor.units import parse

# Architecture, as accelerator entries name it, to the class its kernels are tuned for.
_CLASSES = {
    "Ampere": "ampere",
    "Ada Lovelace": "ada",
    "Hopper": "hopper",
    "Hopper + Grace": "hopper",
    "Blackwell": "blackwell",
    "Blackwell Ultra": "blackwell",
    "Blackwell (GB202)": "blackwell-workstation",
    "Blackwell (GB10)": "blackwell-workstation",
    "CDNA2": "cdna2",
    "CDNA3": "cdna3",
    "CDNA3 APU": "cdna3",
    "CDNA4": "cdna4",
    "Gaudi2": "gaudi2",
    "Gaudi3": "gaudi3",
    "Xe-HPC (Ponte Vecchio)": "xe",
    "Xe2 (Battlemage)": "xe2",
}
_PLATFORMS = {"AMD": "-rocm", "Intel": "-xpu"}
# One direction of a PCI Express slot of 16 lanes, by generation.
_PCIE = {"3": parse("16 GB/s", "byte/second"), "4": parse("32 GB/s", "byte/second"), "5": parse("64 GB/s", "byte/second")}
_FALLBACK = {
    "fp4": ("fp4", "fp8", "int8", "bf16", "fp16", "fp32"),
    "fp8": ("fp8", "int8", "bf16", "fp16", "fp32"),
    "int8": ("int8", "fp8", "bf16", "fp16", "fp32"),
    "bf16": ("bf16", "fp16", "tf32", "fp32"),
    "fp16": ("fp16", "bf16", "tf32", "fp32"),
    "fp32": ("fp32",),
}


def accelerator_class(part: Accelerator) -> str:
    """The class of an accelerator's generation."""
    return _CLASSES.get(part.architecture, "other")


def engine_class(engine: str, part: Accelerator) -> str:
    """An engine on the platform of this part: "vllm", "vllm-rocm", "vllm-xpu"."""
    suffix = "-habana" if part.architecture.startswith("Gaudi") else _PLATFORMS.get(part.vendor, "")
    return f"{engine}{suffix}" if engine in ("vllm", "deepspeed") else engine


def weight_class(form: Format) -> str:
    """The class of a weight format: 16bit, fp8, nvfp4, mxfp4, or weight-only (small weights, 16-bit arithmetic)."""
    if form.id in ("nvfp4", "mxfp4") or form.id.startswith("mxfp4"):
        return "nvfp4" if form.id == "nvfp4" else "mxfp4"
    if form.bits >= 12:
        return "16bit"
    return "fp8" if form.compute in ("fp8", "int8", "fp4") else "weight-only"


def layer_class(form: Format, *, experts_only: bool) -> str:
    """The class of what is not a routed expert."""
    if not experts_only:
        return weight_class(form)
    return "fp8" if form.rest_bits < 12 else "16bit"


def peak_compute(part: Accelerator, number_format: str) -> float | None:
    """Dense peak rate for a number format, of the nearest wider one where the part has none; None where no rate is known."""
    rates = (part.compute.get(name) for name in _FALLBACK.get(number_format, ("bf16", "fp16")))
    return next((rate for rate in rates if rate), None)


def arithmetic(form: Format, part: Accelerator) -> str:
    """The number format in which a part multiplies weights of this format."""
    if weight_class(form) == "mxfp4":
        return "fp8" if "fp4" in part.compute else "bf16"
    return form.compute


def attention_class(groups: tuple[LayerGroup, ...], has_experts: bool) -> str:
    """dense, moe, mla or hybrid: how a model's kernels differ beside their size."""
    kinds = {group.kind for group in groups}
    if "recurrent" in kinds:
        return "hybrid"
    if "latent" in kinds:
        return "mla"
    return "moe" if has_experts else "dense"


def cache_class(groups: tuple[LayerGroup, ...], heads: int | None) -> str:
    """mla, mha or gqa: how many queries share one cached key."""
    if any(group.kind == "latent" for group in groups):
        return "mla"
    return "mha" if heads and all(group.kv_heads in (None, heads) for group in groups) else "gqa"


def link(part: Accelerator) -> tuple[str, float]:
    """Class and rate in one direction of the link among accelerators of one node."""
    slot = _PCIE.get((part.pcie or "4")[:1], _PCIE["4"])
    scale_up = part.scale_up
    if scale_up is None or scale_up.kind in ("pcie", "none"):
        return "pcie", slot
    rate = scale_up.per_direction or (scale_up.bandwidth / 2 if scale_up.bandwidth else slot)
    if scale_up.kind in ("nvlink", "nvlink-bridge"):
        return "nvlink", rate
    return ("xgmi" if scale_up.kind == "xgmi" else "fabric"), rate


def slot_rate(part: Accelerator) -> float:
    """Rate of the part's PCI Express slot in one direction, for groups that its bridge does not span."""
    return _PCIE.get((part.pcie or "4")[:1], _PCIE["4"])
