"""Where it is to run: kind of place, power, cooling, racks, and the networks that are there."""

from typing import Annotated, Literal, get_args

from pydantic import BeforeValidator

from advisor.catalogue.record import Record
from advisor.workload.quantities import Bandwidth, Power, Quantity, Share, Size
from advisor.workload.words import Choice, Flag, Place, one_or_many

Deployment = Literal["cloud", "dedicated", "colocation", "on-premises", "hybrid", "edge", "workstation"]
Cooling = Literal["air", "rear-door", "liquid", "immersion"]
EnergyPrice = Annotated[
    float, Quantity("USD/joule", 0, 1e-5, "that would be 36 USD a kWh, a hundred times the dearest tariffs", "0.12 USD/kWh")
]
PowerUsageEffectiveness = Annotated[
    float, Quantity("1", 1, 5, "facilities stay below 2.5", "1.4", "it is the facility's power over that of its computers")
]
Volts = Annotated[float, Quantity("volt", 12, 1000, "racks are fed with less", "230 V", "racks are fed with more")]
Amperes = Annotated[float, Quantity("ampere", 1, 6300, "the largest breakers carry 6,300 A", "32 A")]
Phases = Annotated[int, Quantity("1", 1, 3, "a circuit has one or three phases", "3", whole=True)]
Racks = Annotated[int, Quantity("1", 0, 100_000, "the largest halls hold some ten thousand", "4", whole=True)]
RackUnits = Annotated[int, Quantity("1", 1, 60, "the tallest racks have 60 units", "42", whole=True)]

_DEPLOYMENT = Choice(
    get_args(Deployment),
    (
        ("on-premise", "on-premises"),
        ("on-prem", "on-premises"),
        ("onprem", "on-premises"),
        ("own", "on-premises"),
        ("public-cloud", "cloud"),
        ("bare-metal", "dedicated"),
        ("colo", "colocation"),
        ("desktop", "workstation"),
    ),
)


class Circuit(Record):
    """One electrical circuit to a rack or desk; `continuous_share` is the part of its rating that may be drawn for hours."""

    voltage: Volts | None = None
    current: Amperes | None = None
    phases: Phases | None = None
    continuous_share: Share | None = None


class Site(Record):
    """The place.

    deployment: what kind of place. region: where it stands, user_regions: where its users are. electricity: price of energy.
    pue: facility power over that of its computers. power: all that is there for this; rack_power: limit of one rack; circuit: of
    one feed. racks, rack_units: room that is free. network: between nodes; internet: to the users. storage: free capacity.
    """

    deployment: Annotated[Deployment, _DEPLOYMENT] | None = None
    region: Place | None = None
    user_regions: Annotated[tuple[Place, ...], BeforeValidator(one_or_many)] = ()
    electricity: EnergyPrice | None = None
    pue: PowerUsageEffectiveness | None = None
    power: Power | None = None
    rack_power: Power | None = None
    racks: Racks | None = None
    rack_units: RackUnits | None = None
    circuit: Circuit | None = None
    redundant_feeds: Annotated[bool, Flag()] | None = None
    cooling: Annotated[Cooling, Choice(get_args(Cooling))] | None = None
    network: Bandwidth | None = None
    internet: Bandwidth | None = None
    storage: Size | None = None
