"""Reading a vendor's quote in the form the buyer received it, and the facts that follow from its lines."""
