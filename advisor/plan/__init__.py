"""Plans: `advisor.plan.making.make_plan` is the door that every interface uses."""
