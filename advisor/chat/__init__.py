"""Questions in plain words, answered from plans, formulas, rules and statements that are cited; no language model inside."""
