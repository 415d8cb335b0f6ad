"""Everything around the accelerators of a planned workload: `building.surroundings` is the door."""
