"""The LED ring: from position and rulings to colours. Pure; drivers/pixels.py shows them."""
