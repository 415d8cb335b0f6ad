"""Storage in three tiers: what stands in each, how fast the shared one must be, and how long a model takes to load."""

from advisor.facts import Label
from advisor.plan.environment.gathering import Gathered
from advisor.plan.environment.host import model_bytes
from advisor.plan.environment.retrieval import has_index, index_figures
from advisor.plan.environment.setting import Setting
from advisor.plan.environment_records import SiteLimit, SubjectReport
from advisor.plan.quantity import Quantity

_DAY = 86400.0
_STORED_TOKEN = 4.0


def storage_report(g: Gathered, s: Setting) -> tuple[SubjectReport, tuple[SiteLimit, ...]]:
    """Capacity and rates by tier, and the site's free capacity as a limit."""
    weights = model_bytes(s)
    g.give("model_file_bytes", weights, "weights as they are loaded")
    index = index_figures(g, s)
    notes: list[str] = []
    if not index:
        g.give("index_storage", 0.0, "no vector index")
    if s.workload.kind == "rag" and not s.beside and not has_index(s):
        notes.append("No vector index is sized: say how much there is to search, as data.documents or data.tokens.")
    _logs(g, s, notes)
    _data(g, s)
    g.constants("daily_change_share", "snapshot_days", "usable_fraction", "model_versions", "system_disk")
    g.give("artefact_bytes", weights, "one copy of the model that all servers read")
    tiers = ("shared_file_capacity", "object_capacity", "local_capacity")
    _tiers(g, s)
    figures = g.show(*(name for name in tiers if name != "shared_file_capacity" or not s.beside))
    figures |= index
    figures |= _rates(g, s, notes)
    if not s.beside:
        figures |= g.show("log_bytes_per_day") if g.number("log_bytes_per_day") else {}
    limits: tuple[SiteLimit, ...] = ()
    there = s.document.site.storage if s.document.site else None
    if there is not None and "shared_file_capacity" in figures:
        needed = figures["shared_file_capacity"].value
        limits = (
            SiteLimit(
                name="storage free at the site",
                needed=needed,
                there=there,
                unit="byte",
                holds=needed <= there,
                relax="keep logs and checkpoints for fewer days, or add capacity",
            ),
        )
    return SubjectReport(figures=figures, notes=tuple(notes)), limits


def _logs(g: Gathered, s: Setting, notes: list[str]) -> None:
    data = s.workload.data
    mean = s.requests / s.peak_to_mean
    g.give("mean_requests_per_second", mean, "the peak over the ratio of peak to mean")
    g.constants("log_record_bytes", "text_bytes_per_token")
    record, text = g.number("log_record_bytes"), g.number("text_bytes_per_token")
    kept = data is not None and data.prompts_logged
    size = record + ((s.input_tokens + s.output_tokens) * text if kept else 0.0)
    because = "a record of each request, with its prompt and answer" if kept else "a record of each request, without its text"
    g.give("log_bytes_per_request", size, because)
    if data is None or data.prompts_logged is None:
        if s.calls and not s.beside:
            notes.append("Logs hold no prompts or answers; data.prompts_logged counts them in.")
    days = (data.log_retention or data.retention) if data is not None else None
    if not g.state("log_days", days / _DAY if days is not None else None, "data.log_retention or data.retention"):
        g.constants("log_days")


def _data(g: Gathered, s: Setting) -> None:
    data, dataset = s.workload.data, s.workload.dataset
    size = data.size if data is not None and data.size is not None else dataset.size if dataset is not None else None
    tokens = s.traced("dataset_tokens") if s.runs else None
    if size is not None:
        g.give("dataset_bytes", float(size), "the size stated", label=Label.answered)
    elif tokens is not None:
        stored = s.traced("stored_bytes_per_token") or _STORED_TOKEN
        g.give("dataset_bytes", tokens * stored, "tokens of the data set, at the bytes a stored token takes")
    else:
        g.give("dataset_bytes", 0.0, "no data beside the model's files")
    g.give("hot_data", g.number("dataset_bytes"), "all of the data is read")
    copies = float(data.copies) if data is not None and data.copies is not None else 1.0
    g.give("data_copies", copies, "data.copies, or one")
    g.constants("dataset_versions")
    saved, kept = s.traced("checkpoint_size"), s.traced("checkpoints_kept")
    g.give("checkpoint_size", saved or 0.0, "of the run" if saved else "nothing is trained")
    g.give("checkpoints_kept", kept or 0.0, "of the run" if kept else "nothing is trained")
    g.give("checkpoints_archived", 1.0 if saved else 0.0, "the last one of a run")


def _tiers(g: Gathered, s: Setting) -> None:
    g.give("backup_bytes", g.number("index_storage"), "the vector index once more")
    g.give("local_models", 1.0, "the model that is served, or started from")
    g.give("staged_bytes", g.number("dataset_bytes") if s.runs else 0.0, "the data set, copied next to the accelerators")
    held = g.number("checkpoint_size") * 2 / s.nodes
    g.give("local_checkpoint_bytes", held, "this server's part of the last two checkpoints")
    g.give("local_log_bytes", 0.0, "logs leave the server")


def _rates(g: Gathered, s: Setting, notes: list[str]) -> dict[str, Quantity]:
    g.constants("load_bandwidth", "start_time_target")
    g.give("load_method", "sequential", "large reads, one after the other")
    starting = s.plan.running.figures["warm_replicas"].value if s.plan.running is not None and not s.runs else 0.0
    g.give("replicas_starting", max(1.0, starting), "replicas that start together when the load rises, at least one")
    read = s.traced("dataset_read_bandwidth") if s.runs else 0.0
    g.give("loader_read_rate", read or 0.0, "what the run reads of its data" if read else "no data loaders")
    interval = s.traced("checkpoint_interval") if s.runs else None
    if interval:
        g.give("checkpoint_mode", "asynchronous", "saves go on beside the run")
        g.give("checkpoint_interval", interval, "of the run")
    else:
        g.give("checkpoint_write_bandwidth", 0.0, "nothing is trained")
    if s.runs and g.number("checkpoint_size"):
        notes.append("Checkpoints are written beside the run; storage must have one before the next begins.")
    return g.show("model_load_time", "shared_read_rate", "shared_write_rate")
