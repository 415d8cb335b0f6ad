"""What people say, turned into the facts of a workload document."""
