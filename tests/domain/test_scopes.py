"""Scopes: what a caller may do, and that nothing is granted by accident."""

import pytest

from karte.domain.scopes import AGENT_SCOPES, Principal, Scope, parse_scopes, require
from karte.errors import ConfigError, ScopeDenied

pytestmark = pytest.mark.requirement("mcp.scopes")


def test_an_agent_may_read_and_write_and_no_more() -> None:
    assert {Scope.READ, Scope.WRITE} == AGENT_SCOPES == Principal().scopes
    assert (Principal().agent, Principal().origin) == ("default", "agent_derived")


@pytest.mark.parametrize("held", list(Scope))
@pytest.mark.parametrize("wanted", list(Scope))
def test_no_scope_includes_another(held: Scope, wanted: Scope) -> None:
    principal = Principal(scopes=frozenset({held}))
    assert principal.has(wanted) is (held is wanted)
    if held is wanted:
        require(principal, wanted)
    else:
        with pytest.raises(ScopeDenied, match=wanted.value):
            require(principal, wanted)


def test_a_denial_names_its_field_and_a_remedy() -> None:
    with pytest.raises(ScopeDenied) as raised:
        require(Principal(), Scope.CURATE, field="cardinality")
    assert (raised.value.code, raised.value.field) == ("scope_denied", "cardinality")
    assert raised.value.remedy


@pytest.mark.parametrize(
    "written",
    ["memory:read,memory:write", "memory:read memory:write", " memory:write , memory:read ", list(AGENT_SCOPES)],
)
def test_scopes_are_read_from_text_or_a_list(written: str | list[str]) -> None:
    assert parse_scopes(written) == AGENT_SCOPES


def test_no_scopes_are_no_scopes() -> None:
    assert parse_scopes("") == parse_scopes([]) == frozenset()


@pytest.mark.parametrize("written", ["everything", "memory:*", "ADMIN", ["memory:read", ""]])
def test_an_unknown_scope_is_refused_by_name(written: str | list[str]) -> None:
    with pytest.raises(ConfigError, match="no such scope"):
        parse_scopes(written)
