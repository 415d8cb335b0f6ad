"""The environment of a planned workload: one subject after the other, each from what the ones before it found."""

from datetime import date

from advisor.library import Library
from advisor.plan.environment.deployment import deployment_report
from advisor.plan.environment.gathering import Gathered
from advisor.plan.environment.host import host_report
from advisor.plan.environment.money import cost_report
from advisor.plan.environment.network import network_report
from advisor.plan.environment.operations import operations_report
from advisor.plan.environment.power import power_report
from advisor.plan.environment.setting import Setting, setting
from advisor.plan.environment.storage import storage_report
from advisor.plan.environment_records import DeploymentReport, EnvironmentReport
from advisor.plan.plan import Step, WorkloadPlan
from advisor.plan.rents import Rents
from advisor.workload.document import Document, Workload


def surroundings(
    library: Library, document: Document, workload: Workload, plan: WorkloadPlan, rents: Rents, today: date
) -> WorkloadPlan:
    """The plan with its environment, and with that of every model beside it; unchanged where nothing is recommended.

    today: the day that prices and the next review are reckoned from. Figures of the environment have their steps in the plan's
    trace; those whose name the workload's own calculation has with another value begin with `environment_` there.
    """
    beside = tuple(surroundings(library, document, workload, each, rents, today) for each in plan.components)
    if beside:
        plan = plan.model_copy(update={"components": beside})
    if plan.recommended is None:
        return plan
    report, steps = _environment(setting(library, document, workload, plan, rents, today))
    return plan.model_copy(update={"around": report, "trace": {**plan.trace, **steps}})


def _environment(s: Setting) -> tuple[EnvironmentReport, dict[str, Step]]:
    g = Gathered(s.library)
    place = s.deployment if s.bought else "on-premises"
    g.give("deployment", place, "site.deployment" if s.bought else "an own hall, if it were bought")
    storage, storage_limits = storage_report(g, s)
    host = host_report(g, s)
    network, network_limits = network_report(g, s)
    power, power_limits = power_report(g, s)
    cost = cost_report(g, s)
    deployment = deployment_report(g, s, cost)
    operations = operations_report(g, s)
    report = EnvironmentReport(
        nodes=s.nodes,
        accelerators=s.accelerators,
        server=s.server_name,
        host=host,
        storage=storage,
        network=network,
        power=power,
        limits=(*power_limits, *network_limits, *storage_limits),
        cost=cost,
        deployment=deployment,
        operations=operations,
        assumed=tuple(g.assumed.values()),
    )
    return report, {**g.steps(s.plan.trace), **_by_curve(deployment)}


def _by_curve(deployment: DeploymentReport) -> dict[str, Step]:
    """Steps of what a search over the load curve found."""
    return {
        name: Step.model_construct(
            value=figure.value,
            unit=figure.unit,
            label=figure.label,
            because="one more unit is owned while the share of hours that need it exceeds the break-even, under the load curve",
            sources=("distributed-training-book, hybrid burst",),
        )
        for name, figure in deployment.figures.items()
    }
