"""The generated Python client against a running service: a plan made, a number explained, a rule read."""

import sys
import time

import httpx
from client import Client
from client.api.knowledge import get_rule
from client.api.plans import explain_quantity, make_plan
from client.models import Document

from advisor.api.examples import ASSISTANT


def main() -> None:
    """Call the service at the address given."""
    address = sys.argv[1]
    for _ in range(200):
        try:
            httpx.get(f"{address}/healthz")
            break
        except httpx.ConnectError:
            time.sleep(0.1)
    client = Client(base_url=address, timeout=httpx.Timeout(60))
    document = Document.from_dict(ASSISTANT)
    made = make_plan.sync_detailed(client=client, body=document)
    explained = explain_quantity.sync_detailed(client=client, body=document, quantity="kv_cache")
    rule = get_rule.sync_detailed("PAR-002", client=client)
    sys.stdout.write(f"plan {made.status_code}, explanation {explained.status_code}, rule {rule.status_code}\n")
    if {made.status_code, explained.status_code, rule.status_code} != {200}:
        sys.exit(1)


if __name__ == "__main__":
    main()
