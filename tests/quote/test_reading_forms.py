"""Quotes in the forms people have: what is read of each, and from where."""

import json
from pathlib import Path

import pytest
import yaml

from advisor.errors import DocumentError
from advisor.quote.quote import Quote, Sureness
from advisor.quote.reading import read_quote
from advisor.quote.recognising import Recogniser
from advisor.quote.saving import reading_yaml
from advisor.quote.tally import Known, tally
from tests.quote.building import workbook

VENDOR = """\
"OFFER";"valid 30 days";;;;;
Line;Part No;Description;Qty;UoM;Unit Price USD;Ext. Price USD
10;SRV-H100;"GPU SVR 8U, 8 x NVIDIA H100 80GB SXM5, 2x8480+ 56C, 32x64GB DDR5-4800 (2TB), \
4x6.4TB NVMe, 8x CX7 NDR400 1P OSFP incl.";64;EA;"310,000.00";"19,840,000.00"
20;SW-IB;"IB switch 64p 400G OSFP (3rd party, MQM9700 equiv.)";8;EA;"36,000.00";"288,000.00"
30;CBL;"Cbl/transceiver kit NDR, 1 lot";1;LOT;"675,840.00";"675,840.00"
40;SVC;"Colo + ops, life of asset, per node";64;EA;"50,000.00";"3,200,000.00"
50;;"Support: basic RTB 3Y - INCL.";64;EA;0;0
;;;;;"Subtotal excl. tax";"24,003,840.00"
;;;;;Freight;TBD
"""
MAIL = """\
Subject: RE: final config

Hello,

  1x TR PRO 7975WX ............... 3.899
  1x WRX90E-SAGE SE .............. 1.299
  8x 64GB DDR5-5600 ECC RDIMM .... 3.200
  4x RTX 4090 24G (triple fan) ... 7.200
  1x 1600W T2 + 1x 1000W T2 ......   899   (+ add2psu cable)
  1x 990 Pro 2T, 2x T705 4T ......   850
  tower case + 6 fans ............   430
  CX4-Lx 25G .....................   200
  KVM, cables, paste .............   195
  ------------------------------------
  total USD                       17.972

It stands in the office, where there is one 20A outlet (110-120V).
Use: Llama 70B in fp16, at times the 405B quantised.
"""
SHEET = """\
Pos\tArtikel / Item\tMenge / Qty\tEinzel / Unit USD\tGesamt / Total USD\tStatus
1\tRTX PRO 6000 Blackwell Max-Q 96GB\t1\t8250\t8250\tin stock
2\tTR PRO 9975WX 32C\t1\t4099\t4099\tin stock
3\tASUS WRX90E-SAGE SE\t1\t1100\t1100\tin stock
4\t32GB DDR5-6400 RDIMM ECC\t6\t158\t950\tin stock
5\tPSU 1300W Titanium\t1\t380\t380\tin stock
\t\t\tSUMME\t14749\t
\t\t\tShipping (est.)\t200\t
\t\t\tTOTAL\t14949\t
"""
GERMAN = """\
Pos.;Bezeichnung;Menge;Einheit;Einzelpreis EUR;Bemerkung
1;GPU-Knoten 8x H100 80GB SXM5, 2x CPU 56C, 2.048 GB RAM, 4x 6,4 TB NVMe;4;Stk;auf Anfrage;max. 10,2 kW je Knoten, Luftkühlung
2;Einbau in vorhandenes Rack 600x1200 mm, Seitenkühler 60 kW;1;psch;auf Anfrage;alle 4 Knoten in EIN Rack
3;Stromzuführung vorhanden: 2x CEE 3x32A (A/B), 230/400 V;;;;redundant gefordert
4;InfiniBand NDR 400, 1 Port je GPU, 1 Switch 64 Ports;1;Stk;auf Anfrage;inkl. Kabel 32x
5;Lieferung frei Verwendungsstelle, Lastenaufzug 630 kg;1;psch;auf Anfrage;
"""
PASTED = """\
Acme Computing Ltd                          Quotation 2026-118

Pos   Description                                        Qty    Unit Price      Total
1     Supermicro 8U GPU server, 8x NVIDIA H200 SXM 141GB   2     320,000.00   640,000.00
      2x Xeon 8568Y+, 24x 96GB DDR5-5600
2     NVIDIA ConnectX-7 NDR400 single port                16       1,500.00    24,000.00
                                                      Subtotal                664,000.00
"""


def read(text: str, recogniser: Recogniser) -> Quote:
    return read_quote(text.encode(), recogniser, where="quote")


def gpus_and_nodes(quote: Quote, recogniser: Recogniser) -> tuple[float, float | None]:
    counted = tally(quote, Known(recogniser.accelerators, recogniser.servers, recogniser.parts))
    return sum(each.total or 0 for each in counted.gpus()), counted.nodes


def test_a_vendors_csv(recogniser: Recogniser) -> None:
    quote = read(VENDOR, recogniser)
    assert (quote.form, quote.delimiter, quote.heading_line, quote.decimal, quote.currency) == ("table", ";", 2, ".", "USD")
    assert gpus_and_nodes(quote, recogniser) == (512, 64)
    assert quote.lines_total == 24_003_840
    assert [(each.kind, each.amount) for each in quote.totals] == [("subtotal", 24_003_840)]
    server = quote.lines[0]
    assert [(part.kind, part.count, part.id) for part in server.parts] == [
        ("server", 1, None),
        ("gpu", 8, "h100-sxm"),
        ("cpu", 2, "xeon-scalable-4"),
        ("ram", 32, None),
        ("storage", 4, None),
        ("nic", 8, "connectx-7"),
    ]
    assert server.where == "line 3"
    assert quote.lines[4].price_note == "included"
    assert quote.stated("excludes") is not None


def test_a_mail_whose_point_separates_thousands(recogniser: Recogniser) -> None:
    quote = read(MAIL, recogniser)
    assert (quote.form, quote.decimal, quote.currency) == ("text", ",", "USD")
    assert quote.lines_total == 18_172
    assert quote.total_of("total") is not None
    assert quote.totals[0].amount == 17_972
    assert gpus_and_nodes(quote, recogniser) == (4, 1)
    supplies = next(line for line in quote.lines if line.parts[0].kind == "psu")
    assert [part.attributes["power"] for part in supplies.parts] == [1600, 1000]
    assert supplies.sure == Sureness.likely
    assert [(each.parameters, each.bits) for each in quote.wanted] == [(70e9, 16), (405e9, 4.5)]
    voltage, current = quote.stated("circuit_voltage"), quote.stated("circuit_current")
    assert voltage is not None
    assert current is not None
    assert (voltage.value, current.value) == (120, 20)


def test_bilingual_headings_and_rows_of_totals(recogniser: Recogniser) -> None:
    quote = read(SHEET, recogniser)
    assert (quote.delimiter, quote.currency) == ("\t", "USD")
    assert [(each.kind, each.amount) for each in quote.totals] == [("total", 14749), ("shipping", 200), ("total", 14949)]
    memory = quote.lines[3]
    assert (memory.quantity, memory.unit_price, memory.total_price) == (6, 158, 950)
    assert "948.00" in memory.doubts[0]


def test_a_german_tender(recogniser: Recogniser) -> None:
    quote = read(GERMAN, recogniser)
    assert quote.decimal == ","
    assert gpus_and_nodes(quote, recogniser) == (32, 4)
    parts = {part.kind: part for part in quote.lines[0].parts}
    assert parts["ram"].attributes["module_size"] == 2048e9
    assert parts["storage"].attributes["capacity"] == 6.4e12
    assert parts["storage"].count == 4
    assert all(line.amount is None for line in quote.lines)
    said = {each.name: each.value for each in quote.statements}
    assert said["node_power"] == 10_200
    assert said["rack_cooling"] == 60_000
    assert (said["circuit_feeds"], said["circuit_phases"], said["circuit_current"], said["circuit_voltage"]) == (2, 3, 32, 230)
    assert said["lift_mass"] == 630
    assert said["redundant_feeds"] is True


def test_a_table_pasted_from_a_pdf(recogniser: Recogniser) -> None:
    quote = read(PASTED, recogniser)
    assert quote.form == "text"
    assert gpus_and_nodes(quote, recogniser) == (16, 2)
    assert quote.lines_total == 664_000
    assert [part.kind for part in quote.lines[0].parts] == ["server", "gpu", "cpu", "ram"]
    assert quote.not_understood[0].where == "line 1"


@pytest.mark.parametrize("shared", [True, False])
def test_a_workbook(recogniser: Recogniser, shared: bool) -> None:
    rows: list[list[str | float | None]] = [
        ["Offer 17", None, None, None],
        ["Item", "Qty", "Unit price EUR", "Total EUR"],
        ["NVIDIA L40S 48GB", 4, 7900.5, "=B3*C3 -> 31602"],
        ["EPYC 9354 32C", 1, 2400, 2400],
        ["Total", None, None, "=SUM(D3:D4) -> 34002"],
    ]
    quote = read_quote(workbook(rows, shared=shared), recogniser, where="offer.xlsx")
    assert (quote.form, quote.currency, quote.lines_total) == ("workbook", "EUR", 34_002)
    assert quote.totals[0].amount == 34_002
    assert gpus_and_nodes(quote, recogniser) == (4, 1)
    assert quote.lines[0].where == "row 3"


def test_json_and_yaml_say_the_same(recogniser: Recogniser) -> None:
    body = {
        "items": [{"what": "gpu", "model": "L40S 48 GB", "quantity": 4, "per": "node", "unit_price": 7900, "currency": "USD"}]
    }
    from_json, from_yaml = read(json.dumps(body), recogniser), read(yaml.dump(body), recogniser)
    assert from_json.form == "json"
    assert from_yaml.form == "yaml"
    assert [line.parts for line in from_json.lines] == [line.parts for line in from_yaml.lines]
    assert from_yaml.lines[0].basis == "node"
    assert from_yaml.lines[0].amount == 31_600


def test_a_key_nobody_knows_is_listed(recogniser: Recogniser) -> None:
    quote = read(
        yaml.dump({"items": [{"what": "gpu", "model": "L40S", "quantity": 1, "colour": "black"}], "mood": "good"}), recogniser
    )
    assert {each.text for each in quote.not_understood} == {"colour: black", "mood: good"}


def test_one_set_of_eight(recogniser: Recogniser) -> None:
    table = "Description;Qty;Unit;Price USD\nNVIDIA L40S 48GB (1 set = 8 GPUs);2;set;60000\nEPYC 9354;2;ea;2400\n"
    quote = read(table, recogniser)
    assert quote.lines[0].unit == "set"
    assert quote.lines[0].parts[0].count == 8


@pytest.mark.parametrize("text", [VENDOR, MAIL, SHEET, GERMAN, PASTED])
def test_a_saved_reading_reads_back_as_it_was(recogniser: Recogniser, text: str) -> None:
    quote = read(text, recogniser)
    assert read(reading_yaml(quote), recogniser) == quote


def test_a_corrected_reading_counts(recogniser: Recogniser) -> None:
    saved = yaml.safe_load(reading_yaml(read(MAIL, recogniser)))
    saved["reading"]["lines"][3]["quantity"] = 2
    corrected = read(yaml.dump(saved), recogniser)
    assert gpus_and_nodes(corrected, recogniser) == (2, 1)


def test_a_file_that_is_not_there(recogniser: Recogniser, tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match="cannot be opened"):
        read_quote(tmp_path / "none.csv", recogniser)
