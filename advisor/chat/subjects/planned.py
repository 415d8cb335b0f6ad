"""A plan for what was said, where it says enough for one."""

from advisor.chat.records import Figure, Part, Sentence
from advisor.chat.situation import Situation
from advisor.chat.working import written
from advisor.errors import AdvisorError
from advisor.plan.making import make_plan
from advisor.plan.plan import Assumption, Plan, WorkloadPlan
from advisor.questionnaire.question import Question
from advisor.units import show_base
from advisor.workload.reading import to_document

_TOLD = ("time_to_first_token", "time_per_output_token", "weights", "output_token_rate", "training_time")
_SIZED = ("realtime-inference", "batch-inference", "rag", "agent", "fine-tuning", "pretraining", "evaluation")


def planned(situation: Situation) -> Part | None:
    """The recommendation of a plan for what was said, or why nothing meets it; None where too little was said."""
    observed = situation.got.symptoms or situation.number("utilisation") is not None
    if observed or situation.intent == "compare" or (situation.trains and situation.intent not in ("size", "what-next")):
        return None  # what exists is judged by what is seen of it
    data = situation.got.document
    workload = data["workloads"][0]
    if workload.get("kind") not in _SIZED or "model" not in workload:
        return None
    if isinstance(workload["model"], str) and situation.model is not None:
        data = {**data, "workloads": [{**workload, "model": situation.model.id}]}
    elif workload["model"] is None:
        return None
    named = [id for each in situation.got.facts if each.fact == "accelerator" and not each.negated for id in each.among]
    workload = data["workloads"][0]
    wish = workload.get("accelerators", {})
    if named and "only" not in wish and situation.setup is not None and situation.setup.part is not None:
        wish = {**wish, "only": list(dict.fromkeys(named))}
        data = {**data, "workloads": [{**workload, "accelerators": wish}]}
    try:
        plan = make_plan(to_document(data), situation.library)
    except AdvisorError as error:
        said = f"A plan cannot be made of this: {error.message}." + (f" {error.hint}." if error.hint else "")
        return Part(sentences=(Sentence(text=said, evidence=("plan",)),))
    asked = {question.fact for question in situation.library.all(Question)}
    told = tuple(each for each in plan.assumptions if each.name in asked)
    return _told(plan, plan.workloads[0], told, asked_for=bool(workload.get("accelerators")))


def _told(plan: Plan, workload: WorkloadPlan, assumptions: tuple[Assumption, ...], *, asked_for: bool) -> Part:
    from advisor.report.sections import headline

    chosen = workload.recommended
    if chosen is None:
        said = [Sentence(text="A plan finds nothing that meets everything asked for.", evidence=("plan",))]
        said += [
            Sentence(text=f"{each.configuration} would, with {each.what} at {each.needed}.", evidence=("plan",))
            for each in workload.relaxations[:2]
        ]
        return Part(sentences=tuple(said), verdict="does-not-fit" if asked_for else None)
    figures = tuple(
        Figure(name=name, what=name.replace("_", " "), value=each.value, unit=each.unit, shown=written(each.value, each.unit))
        for name, each in chosen.estimates.items()
        if name in _TOLD
    )
    says = ", ".join(f"{each.what} {each.shown}" for each in figures)
    sentences = [Sentence(text=f"A plan for this takes {headline(chosen)}{': ' + says if says else ''}.", evidence=("plan",))]
    if assumptions:
        assumed = ", ".join(_assumed(each) for each in assumptions[:3])
        sentences.append(Sentence(text=f"It assumes {assumed}; say otherwise where that is wrong.", evidence=("plan",)))
    errors = [each for each in plan.advice if each.severity == "error"][:2]
    sentences += [Sentence(text=each.advice, evidence=(f"rules/{each.rule}",)) for each in errors]
    return Part(sentences=tuple(sentences), figures=figures, verdict="fits" if asked_for else None)


def _assumed(each: Assumption) -> str:
    value = show_base(each.value, each.unit).strip() if isinstance(each.value, float) else str(each.value)
    return f"{each.name.replace('_', ' ')} {value}"
