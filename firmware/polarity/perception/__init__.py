"""Raw counts in, facts out: what lies on the mat, what moves above it, and what has happened."""
