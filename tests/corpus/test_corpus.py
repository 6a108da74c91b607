from termgauge.io.documents import DocumentAbout


def test_a_document_needs_no_more_than_its_id() -> None:
    about = DocumentAbout("PMC1")
    assert about.journal is None
    assert about.mesh == ()
    assert about.more == {}
