"""One Gavel for all tests, and an account for each."""

from collections.abc import AsyncIterator, Iterator
from itertools import count

import pytest
from gavel_client import AsyncGavel, Gavel
from gavel_server import GavelServer
from hooks import Hooks

NUMBERS = count()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GavelServer]:
    server = GavelServer(tmp_path_factory.mktemp("gavel"))
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def stoppable(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GavelServer]:
    server = GavelServer(tmp_path_factory.mktemp("stoppable"))
    yield server
    server.stop()


@pytest.fixture
def other_server(stoppable: GavelServer) -> GavelServer:
    """A Gavel that a test may stop."""
    if stoppable.process is None:
        stoppable.start()
    return stoppable


@pytest.fixture
def key(server: GavelServer) -> str:
    return server.account(f"test{next(NUMBERS)}@example.com")


@pytest.fixture
def gavel(server: GavelServer, key: str) -> Iterator[Gavel]:
    with Gavel(server.url, key) as client:
        yield client


@pytest.fixture
async def async_gavel(server: GavelServer, key: str) -> AsyncIterator[AsyncGavel]:
    async with AsyncGavel(server.url, key) as client:
        yield client


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def hooks() -> Iterator[Hooks]:
    hooks = Hooks()
    yield hooks
    hooks.close()
