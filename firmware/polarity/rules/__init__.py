"""The rules of Polarity: facts in, rulings out. Pure, integers only, knows nothing of sensors."""
