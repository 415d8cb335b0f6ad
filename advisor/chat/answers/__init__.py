"""How each kind of question is answered: which subjects speak, in which order. One module an intent."""
