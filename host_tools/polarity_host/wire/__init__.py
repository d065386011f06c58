"""Messages of the mat, as the wire carries them."""
