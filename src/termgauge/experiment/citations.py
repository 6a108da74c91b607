"""What to cite for the methods that a report rests on."""

from __future__ import annotations

from typing import NamedTuple


class Method(NamedTuple):
    """What a method is used for, and where it was published."""

    use: str
    citation: str


METHODS = {
    "benchmark": Method(
        use="Sets built from a terminology, category separation",
        citation="Schulz C, Juric D. Can embeddings adequately represent medical terminology? New large-scale medical "
        "term similarity datasets have the answer! AAAI 2020, 34(5):8775-8782.",
    ),
    "accuracy": Method(
        use="Differences of accuracy",
        citation="McNemar Q. Note on the sampling error of the difference between correlated proportions or "
        "percentages. Psychometrika 12(2):153-157, 1947 (the exact binomial test).",
    ),
    "wilson": Method(
        use="Intervals of accuracy and of coverage",
        citation="Wilson EB. Probable inference, the law of succession, and statistical inference. Journal of the "
        "American Statistical Association 22(158):209-212, 1927.",
    ),
    "auc": Method(
        use="Areas under the ROC curve",
        citation="DeLong ER, DeLong DM, Clarke-Pearson DL. Comparing the areas under two or more correlated receiver "
        "operating characteristic curves: a nonparametric approach. Biometrics 44(3):837-845, 1988.",
    ),
    "spearman": Method(
        use="Intervals and differences of Spearman's rho",
        citation="Efron B. Better bootstrap confidence intervals. Journal of the American Statistical Association "
        "82(397):171-185, 1987 (BCa).",
    ),
    "holm": Method(
        use="Correction for many comparisons",
        citation="Holm S. A simple sequentially rejective multiple test procedure. Scandinavian Journal of Statistics "
        "6(2):65-70, 1979.",
    ),
    "coverage": Method(
        use="Coverage of a domain, analogies",
        citation="Giancani S, Albertoni R, Catalano CE. Quality of word and concept embeddings in targetted biomedical "
        "domains. Heliyon 9(6):e16818, 2023.",
    ),
}
