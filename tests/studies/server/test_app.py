"""Tests of the application: every address, the files that pages load, and that it closes what it opened."""

from __future__ import annotations

import re

import pytest

from termgauge.studies.server.serving import ROUTES
from termgauge.studies.server.site import STATIC
from tests.studies.server.served import invited, served


@pytest.mark.parametrize("name", STATIC)
def test_files_that_pages_load(study, name):
    with served(study) as make:
        client = make()
        response = client.get(f"/static/{name}")
        assert response.status_code == 200
        assert response.headers["content-type"].startswith(STATIC[name])
        again = client.get(f"/static/{name}", headers={"if-none-match": response.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")


def test_every_address_is_there(study):
    with served(study) as make:
        client = make(invited(study))
        for path, _handler, *methods in ROUTES:
            address = re.sub(r"{\w+:int}", "1", path).replace("{rater}", "r1")
            for method in methods:
                response = client.request(method, address.replace("{token}", "x"), follow_redirects=False)
                assert response.status_code not in (404, 405, 500), path


def test_the_database_is_one_file_after_the_server_has_ended(study):
    with served(study) as make:
        make(invited(study))
    assert not list(study.folder.glob("*-wal"))
