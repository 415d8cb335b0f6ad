"""The parts of a plan by name, and what makes each of them: what statements of the guides may name as their carrier."""

PLAN_SECTIONS: dict[str, str] = {
    "recommended": "advisor.plan.configuration:configuration",
    "alternatives": "advisor.plan.choice:alternatives",
    "limits": "advisor.plan.choice:limit_reports",
    "near-misses": "advisor.plan.choice:near_misses",
    "relaxations": "advisor.plan.relaxing:relaxed",
    "running": "advisor.plan.running:running_report",
    "traffic": "advisor.plan.load:traffic_of",
    "launch": "advisor.plan.launching:launch_command",
    "training-launch": "advisor.plan.training_launch:training_launch",
    "measured": "advisor.plan.measured:measured_neighbours",
    "components": "advisor.plan.components:plan_component",
    "rent": "advisor.plan.rents:Rents",
    "trace": "advisor.plan.tracing:steps",
    "assumptions": "advisor.plan.sheet:FactSheet",
    "advice": "advisor.plan.judging:judged",
    "not-modelled": "advisor.plan.coverage:not_covered",
    "comparison": "advisor.plan.comparing:compare",
    "quote-review": "advisor.plan.quote_check:check_quote",
}
