"""Games and players counted, as tables and plots."""
