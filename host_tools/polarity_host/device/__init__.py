"""A mat at a port: found, talked to, set, examined."""
