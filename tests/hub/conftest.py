from tests.hall import broker, postgres_server  # noqa: F401
