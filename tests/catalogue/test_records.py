"""What the records of prices, licences, networks and names accept, and what they refuse."""

from typing import Any

import pytest
from pydantic import ValidationError

from advisor.catalogue.ambiguous import AmbiguousName
from advisor.catalogue.licence import Licence
from advisor.catalogue.model import Parameters
from advisor.catalogue.network import AchievedShare
from advisor.catalogue.price import Price
from advisor.catalogue.record import BASE_UNITS
from advisor.catalogue.storage import Storage

ROW = {
    "provider": "aws",
    "instance": "p5.48xlarge",
    "region": "us-east-1",
    "accelerator": "h100-sxm",
    "sold_as": "H100",
    "count": "8",
    "vcpu": "",
    "memory": "2048 GiB",
    "on_demand": "55.04 USD/h",
    "spot": "",
    "as_of": "2026-07-20",
    "source": "first-list second-list",
}


def price(**changes: Any) -> Price:
    return Price.model_validate({**ROW, **changes})


def test_a_table_row_becomes_a_price() -> None:
    read = price()
    assert read.id == "aws/p5.48xlarge/us-east-1"
    assert read.on_demand == pytest.approx(55.04 / 3600)
    assert read.on_demand_per_accelerator == pytest.approx(6.88 / 3600)
    assert [citation.source for citation in read.sources] == ["first-list", "second-list"]
    assert (read.vcpu, read.spot, read.dated) == (None, None, True)


def test_a_price_without_a_day_is_undated() -> None:
    assert not price(as_of="").dated


def test_a_price_without_a_count_has_no_rate_for_each() -> None:
    assert price(count="").on_demand_per_accelerator is None


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"on_demand": ""}, "at least one of on_demand, spot and reserved"),
        ({"reserved": "30 USD/h"}, "reserved and term stand together"),
        ({"on_demand": "55.04"}, "has no unit"),
        ({"memory": "2048 Gb"}, "eight times as much"),
        ({"colour": "red"}, "Extra inputs are not permitted"),
    ],
)
def test_a_price_refuses(changes: dict[str, str], complaint: str) -> None:
    with pytest.raises(ValidationError, match=complaint):
        price(**changes)


def test_storage_is_priced_by_size_and_time() -> None:
    stored = Storage.model_validate(
        {"id": "x", "name": "X", "role": "product", "tier": "object", "price": "0.023 USD/GB/month", "sources": ["list"]}
    )
    month = 365 / 12 * 24 * 3600
    assert stored.price == pytest.approx(0.023 / 1e9 / month)


def test_a_licence_states_both_ends_of_its_price() -> None:
    with pytest.raises(ValidationError, match="price_low and price_high stand together"):
        Licence.model_validate(
            {"id": "x", "name": "X", "vendor": "V", "metric": "accelerator", "price_low": "2 USD", "sources": ["list"]}
        )


def test_an_achieved_share_is_ordered() -> None:
    assert AchievedShare.model_validate({"low": "80 %", "high": "90 %"}).low == pytest.approx(0.8)
    with pytest.raises(ValidationError, match="is more than high"):
        AchievedShare.model_validate({"low": "90 %", "high": "80 %"})


def test_an_ambiguous_name_may_be_a_plain_list() -> None:
    assert AmbiguousName.model_validate(["a", "b"]).meanings == ("a", "b")
    assert AmbiguousName.model_validate({"meanings": ["a"], "note": "why"}).note == "why"
    with pytest.raises(ValidationError):
        AmbiguousName.model_validate([])


def test_parameters_read_billions_and_keep_base_units() -> None:
    assert Parameters.model_validate({"total": "8.0303 B", "experts": "5 B"}).total == pytest.approx(8.0303e9)
    assert Parameters.model_validate({"total": 8.0303e9}, context=BASE_UNITS).total == 8.0303e9
    with pytest.raises(ValidationError, match=r"experts .* is more than total"):
        Parameters.model_validate({"total": "1 B", "experts": "5 B"})
