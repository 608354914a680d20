"""Text as the index sees it and as a query asks for it: folding, stems, names, scripts without spaces."""

from karte.domain.text.content import content_sequence, content_tokens, content_tokens_of
from karte.domain.text.query import TextQuery, all_expression, match_expression, matched_words, parse_query
from karte.domain.text.rarity import rarities, tokens_to_count, without_absent
from karte.domain.text.tokens import FTS5_TOKENIZE, index_text

__all__ = [
    "FTS5_TOKENIZE",
    "TextQuery",
    "all_expression",
    "content_sequence",
    "content_tokens",
    "content_tokens_of",
    "index_text",
    "match_expression",
    "matched_words",
    "parse_query",
    "rarities",
    "tokens_to_count",
    "without_absent",
]
