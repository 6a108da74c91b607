"""How models show themselves, without making any vector: what they are called, what they are, where they come from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from termgauge.display import Showing, shortened

if TYPE_CHECKING:
    import polars as pl

    from termgauge.embeddings.model import Model


class ShowingModel(Showing):
    """A model that shows itself."""

    shown_by = "termgauge.reporting.about_models:model_section"

    def about(self) -> dict[str, Any]:
        """Return what is known of it before it makes any vector."""
        model = cast("Model", self)
        identity = model.identity
        return {
            "name": model.name,
            "kind": model.kind,
            "scheme": identity.scheme,
            "source": model.source,
            "options": ", ".join(f"{name}={value}" for name, value in identity.options),
            "key": identity.key,
        }

    def _brief(self) -> str:
        about = self.about()
        return f"model '{shortened(about['name'])}' of {about['kind']}: {about['scheme']}, {shortened(about['source'])}"

    def to_frame(self) -> pl.DataFrame:
        """Return a row that says what it is."""
        import polars as pl

        return pl.DataFrame([self.about()])
