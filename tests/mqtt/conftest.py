from tests.hall import broker  # noqa: F401
