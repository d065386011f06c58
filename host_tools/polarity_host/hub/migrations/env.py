"""Alembic runs this: the migrations, on the connection that `record` hands over."""

from alembic import context

from polarity_host.hub.schema import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
