"""Text as the index sees it and as a query asks for it: folding, stems, names, scripts without spaces."""

from karte.domain.text.pruning import held, pruned_expression, tokens_to_count
from karte.domain.text.query import TextQuery, match_expression, matched_words, parse_query
from karte.domain.text.scoring import BEST, Scoring, scoring
from karte.domain.text.tokens import FTS5_TOKENIZE, index_text

__all__ = [
    "BEST",
    "FTS5_TOKENIZE",
    "Scoring",
    "TextQuery",
    "held",
    "index_text",
    "match_expression",
    "matched_words",
    "parse_query",
    "pruned_expression",
    "scoring",
    "tokens_to_count",
]
