"""Constants that formulas of a run's time, feeding and reliability take as facts: ids of entries in knowledge/efficiencies.

A fact of the same name that a person gives takes their place.
"""

TRAINING_RUN_CONSTANTS: tuple[str, ...] = (
    "checkpoint_bytes_per_parameter",
    "interruption_rate_per_node",
    "detection_time",
    "restart_time",
    "spare_node_share",
    "tenth_deviations",
    "least_checkpoint_interval",
    "host_copy_bandwidth",
    "checkpoints_kept",
    "milestones_kept",
    "evaluation_share",
    "failed_experiment_share",
    "training_power_share",
    "server_power_factor",
    "packing_efficiency",
    "read_amplification",
    "core_load",
    "items_per_core",
    "tokens_per_core",
    "loader_workers",
    "loader_worker_memory",
    "usable_storage_share",
    "item_compute_utilization",
)
