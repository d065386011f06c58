"""How a hub's database is brought up to date, by Alembic."""
