"""What may be used: the accelerators asked for or the default pool, the engine, and the weight formats worth a row."""

from collections.abc import Sequence
from dataclasses import dataclass

from advisor.catalogue.accelerator import Accelerator
from advisor.catalogue.engine import Engine
from advisor.catalogue.formats import Format
from advisor.catalogue.model import Model
from advisor.catalogue.running import how_it_runs
from advisor.catalogue.server import Server
from advisor.errors import DocumentError
from advisor.evidence.hosts import host_of
from advisor.library import Library
from advisor.sizing.candidates import Host
from advisor.workload.document import Workload

# Engines in the order they are tried for an accelerator when none is asked for.
DEFAULT_ENGINES = ("vllm", "sglang", "tensorrt-llm", "llama.cpp", "ollama")
# Formats offered beside a 16-bit checkpoint; each is shown as an alternative with what it costs in answers.
SMALLER_FORMATS = ("fp8-e4m3-per-channel", "awq-int4-g128")
_SIXTEEN_BIT = ("bf16", "fp16")


@dataclass(frozen=True)
class Pool:
    """Hosts that one engine serves, with the formats to try on them."""

    engine: Engine
    hosts: tuple[Host, ...]
    formats: tuple[Format, ...]


def pools(
    library: Library, workload: Workload, model: Model, native: Format, *, workstation: bool, where: str
) -> tuple[Pool, ...]:
    """The accelerators of a workload by the engine that would serve them.

    Without a wish these are shipping parts whose terms allow a data centre and that the engine supports (any part on a
    workstation site). Raises UnknownNameError and AmbiguousNameError for names, DocumentError where nothing is left.
    """
    parts = accelerators_of(library, workload, workstation, where)
    wanted = library.find(Engine, workload.engine, where=f"{where}.engine") if workload.engine else None
    by_engine: dict[str, list[Accelerator]] = {}
    for part in parts:
        engine = wanted if wanted is not None else _engine_of(library, part, asked=_asked_for(workload))
        if not part.memory and _asked_for(workload):
            raise DocumentError(
                f"the memory of {part.name} is not known, so nothing can be sized on it",
                where=f"{where}.accelerators",
                hint="add it to an entry of your own (--knowledge), or name another accelerator",
            )
        if engine is not None and (supports(engine, part) or _asked_for(workload)):
            by_engine.setdefault(engine.id, []).append(part)
    if not by_engine:
        raise DocumentError(
            "no accelerator is left to choose from", where=f"{where}.accelerators", hint="widen only, or exclude fewer"
        )
    formats = _formats(library, workload, native, where)
    return tuple(
        Pool(
            library.get(Engine, id),
            hosts_of(library, members, workload),
            formats,
        )
        for id, members in by_engine.items()
    )


def supports(engine: Engine, part: Accelerator, *, variants: bool = False) -> bool:
    """Whether an engine runs on a part; with variants also where a vendor's edition of it does, such as vllm-hpu of vllm.

    An edition is kept apart from the engine's own releases, so that it counts only for a part that somebody named.
    """
    return any(
        framework == own or (variants and framework.startswith(f"{own}-"))
        for own in engine.frameworks
        for framework in part.frameworks
    )


def runs_format(part: Accelerator, form: Format) -> bool:
    """Whether engines have kernels of a format for a part; what no source speaks of is not refused."""
    return how_it_runs(part, form) != "no"


def native_format(library: Library, model: Model) -> tuple[Format, str | None]:
    """The released checkpoint's weight format; bf16, with the reason, where the catalogue does not say."""
    if model.format is not None:
        return library.get(Format, model.format), None
    return library.get(Format, "bf16"), "the checkpoint's format is not known; most are released at 16 bit"


def hosts_of(library: Library, parts: Sequence[Accelerator], workload: Workload) -> tuple[Host, ...]:
    """Parts with the servers they stand in."""
    per_node = _per_node(library, workload)
    return tuple(host_of(library, part, per_node.get(part.id)) for part in parts)


def accelerators_of(library: Library, workload: Workload, workstation: bool, where: str) -> list[Accelerator]:
    """The parts asked for, else those shipping whose terms and form suit the site. Raises for unknown and doubtful names."""
    wish = workload.accelerators
    place = f"{where}.accelerators"
    excluded = {library.find(Accelerator, name, where=f"{place}.exclude").id for name in (wish.exclude if wish else ())}
    if wish and (wish.only or wish.owned):
        only = [library.find(Accelerator, name, where=f"{place}.only") for name in wish.only]
        owned = [library.find(Accelerator, each.id, where=f"{place}.owned") for each in wish.owned]
        named = {part.id: part for part in only or owned if part.id not in excluded}
        if only and owned and not {part.id for part in owned} & set(named):
            raise DocumentError(
                f"only names {only[0].id}, and none of it is owned",
                where=place,
                hint="name what is owned in only, or leave only out",
            )
        return list(named.values())
    return [
        part
        for part in library.all(Accelerator)
        if part.id not in excluded and part.status == "shipping" and part.memory and _fit_for_site(part, workstation)
    ]


def _fit_for_site(part: Accelerator, workstation: bool) -> bool:
    """Data-centre terms and form; on a workstation site desktop parts instead of those sold in servers or clouds only."""
    if workstation:
        return part.data_centre in ("no", "desktop") or (
            part.data_centre == "yes" and _is_card(part) and part.cooling != "passive-air"
        )
    return part.data_centre in ("yes", "cloud-only") and part.kind != "cpu" and not (part.cooling or "").startswith("active")


def _is_card(part: Accelerator) -> bool:
    return (part.form_factor or "").startswith("PCIe")


def _asked_for(workload: Workload) -> bool:
    return bool(workload.accelerators and (workload.accelerators.only or workload.accelerators.owned))


def _engine_of(library: Library, part: Accelerator, *, asked: bool) -> Engine | None:
    default = library.get(Engine, DEFAULT_ENGINES[0])
    if supports(default, part, variants=asked and part.kind != "cpu") or not asked:
        return default
    return next((engine for engine in (library.get(Engine, id) for id in DEFAULT_ENGINES) if supports(engine, part)), default)


def _formats(library: Library, workload: Workload, native: Format, where: str) -> tuple[Format, ...]:
    if workload.precision is not None:
        return (library.find(Format, workload.precision, where=f"{where}.precision"),)
    if native.id not in _SIXTEEN_BIT:
        return (native,)
    return (native, *(library.get(Format, id) for id in SMALLER_FORMATS))


def _per_node(library: Library, workload: Workload) -> dict[str, int]:
    """Accelerators in a server: as owned, else the largest server the catalogue has with that part."""
    largest: dict[str, int] = {}
    for server in library.all(Server):
        if server.accelerator is not None and server.accelerator_count:
            largest[server.accelerator] = max(largest.get(server.accelerator, 0), server.accelerator_count)
    for owned in workload.accelerators.owned if workload.accelerators else ():
        if owned.per_node is not None:
            largest[library.find(Accelerator, owned.id).id] = owned.per_node
    return largest
