"""The projections of a model that served adapters stand beside, by the names that adapter files use."""

from advisor.catalogue.model import LayerGroup, Model
from advisor.errors import InputError
from advisor.facts import did_you_mean

ATTENTION = ("q_proj", "k_proj", "v_proj", "o_proj")
FEED_FORWARD = ("gate_proj", "up_proj", "down_proj")
EVERY_LINEAR = (*ATTENTION, *FEED_FORWARD)


def adapted_width(model: Model, targets: tuple[str, ...] = EVERY_LINEAR) -> float:
    """Inputs and outputs of all targeted projections of a model, summed: the fact `adapted_width`.

    Raises InputError for a projection of another name, and for models whose projections are of another shape: without sizes,
    with routed experts among the targets, or without keys and values of their own heads (latent and recurrent layers).
    """
    if model.experts and set(targets) & set(FEED_FORWARD):
        raise InputError(
            f"{model.id} has routed experts, beside which adapters rarely stand", hint=f"target {', '.join(ATTENTION)}"
        )
    if not model.hidden or not model.heads or (not model.intermediate and set(targets) & set(FEED_FORWARD)):
        raise InputError(f"the sizes of {model.id} are not known", hint="state the adapter's size in bytes")
    width = 0.0
    for group in model.layer_groups:
        if group.kind != "attention" or not group.kv_heads or not group.head_dim:
            raise InputError(f"{model.id} has layers of kind {group.kind}", hint="state the adapter's size in bytes")
        widths = _widths(model, group)
        for target in targets:
            if target not in widths:
                raise InputError(
                    f'"{target}" is no projection{did_you_mean(target, widths)}', hint=f"projections are {', '.join(widths)}"
                )
            width += group.count * sum(widths[target])
    return width


def _widths(model: Model, group: LayerGroup) -> dict[str, tuple[float, float]]:
    hidden, wide = float(model.hidden or 0), float(model.intermediate or 0)
    head, kv_heads = float(group.head_dim or 0), float(group.kv_heads or 0)
    queries, keys = float(model.heads or 0) * head, kv_heads * head
    values = kv_heads * float(group.value_head_dim or head)
    return {
        "q_proj": (hidden, queries),
        "k_proj": (hidden, keys),
        "v_proj": (hidden, values),
        "o_proj": (queries, hidden),
        "gate_proj": (hidden, wide),
        "up_proj": (hidden, wide),
        "down_proj": (wide, hidden),
    }
