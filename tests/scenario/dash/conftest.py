"""Fixtures of several tests: a dashboard with an empty database."""
import pytest
from dashboard_tools import Dashboard


@pytest.fixture
def db(database, tmp_path):
    return database.with_tables(tmp_path)


@pytest.fixture
def dashboard(bin_dir, db):
    with Dashboard(bin_dir, db) as one:
        yield one
        assert one.stop() == (0, "", "")
