import pytest
from sqlalchemy import create_engine, text

from tests.hall import broker, needs_postgres, postgres_server  # noqa: F401


@pytest.fixture(autouse=True)
def hasty(monkeypatch):
    """Who waits before trying again waits shorter."""
    monkeypatch.setattr("polarity_host.hub.intake.CHECK_EVERY_S", 0.2)
    monkeypatch.setattr("polarity_host.hub.intake.RETRY_S", (0.05, 0.4))
    monkeypatch.setattr("polarity_host.mqtt.publisher.RETRY_S", (0.05, 0.4))
    monkeypatch.setattr("polarity_host.mqtt.publisher.RECORD_EVERY_S", 0.1)


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=needs_postgres)])
def where(request, tmp_path):
    if request.param == "sqlite":
        return str(tmp_path / "hub.db")
    return emptied(request.getfixturevalue("postgres_server").url)


def emptied(url):
    """A database of PostgreSQL without anything in it."""
    with create_engine(url.replace("://", "+psycopg://")).begin() as db:
        db.execute(text("DROP SCHEMA public CASCADE"))
        db.execute(text("CREATE SCHEMA public"))
    return url
