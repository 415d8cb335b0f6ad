"""The document of examples/assistant.yaml as an API call carries it."""

from typing import Any

ASSISTANT: dict[str, Any] = {
    "name": "Staff assistant",
    "workloads": [
        {
            "name": "chat",
            "kind": "realtime-inference",
            "model": "meta-llama/Llama-3.1-70B-Instruct",
            "traffic": {"concurrent_requests": 50},
            "input_tokens": 4000,
            "output_tokens": 500,
            "targets": {"ttft_mean": "2 s", "tpot_mean": "50 ms", "availability": "99.9 %"},
            "accelerators": {"only": ["h100-sxm"]},
        }
    ],
    "site": {"deployment": "on-premises", "electricity": "0.12 USD/kWh", "pue": 1.4, "rack_power": "20 kW"},
    "budget": {"currency": "USD", "term": "3 years"},
}
