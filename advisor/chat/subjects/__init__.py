"""What can be said of one kind of question each: memory of training, of serving, power, links, rates, purchases."""
