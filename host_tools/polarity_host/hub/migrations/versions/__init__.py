"""One step each; only ever add to them."""
