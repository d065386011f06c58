"""A hall on this computer: its servers, virtual mats that play, and what it is measured by."""
