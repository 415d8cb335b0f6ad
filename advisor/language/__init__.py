"""Understanding plain text without a language model: names, counts, quantities, choices and intents, each with its span."""
