from termgauge.io.documents import DocumentMetadata


def test_a_document_needs_no_more_than_its_id() -> None:
    about = DocumentMetadata("PMC1")
    assert about.journal is None
    assert about.mesh == ()
    assert about.more == {}
