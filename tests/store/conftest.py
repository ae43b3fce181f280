"""A server that speaks the protocol of S3, and an empty bucket on it."""

import logging

import pytest

SECRET = "a-secret-that-nobody-may-read"


@pytest.fixture(scope="session")
def s3_server():
    """The address of the server."""
    moto_server = pytest.importorskip("moto.server")
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = moto_server.ThreadedMotoServer("127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def keys(s3_server, monkeypatch):
    """What programs of AWS find in the environment."""
    s3fs = pytest.importorskip("s3fs")
    found = {"ACCESS_KEY_ID": "a-key", "SECRET_ACCESS_KEY": SECRET, "DEFAULT_REGION": "us-east-1"}
    for name, value in (found | {"ENDPOINT_URL": s3_server, "EC2_METADATA_DISABLED": "true"}).items():
        monkeypatch.setenv(f"AWS_{name}", value)
    s3fs.S3FileSystem.clear_instance_cache()
    yield
    s3fs.S3FileSystem.clear_instance_cache()


@pytest.fixture
def objects(keys):
    """The bucket `shops`, which is empty."""
    s3fs = pytest.importorskip("s3fs")
    objects = s3fs.S3FileSystem(use_listings_cache=False)
    if objects.exists("shops"):
        objects.rm("shops", recursive=True)
    objects.mkdir("shops")
    return objects
