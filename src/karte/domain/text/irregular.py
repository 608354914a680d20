"""English forms that no ending explains: ``drew`` is ``draw``, ``children`` are ``child``.

A stemmer cuts endings; the commonest verbs change inside, and people ask "what did she draw" of a memory that says
"I drew".  Left out are forms that mean something else as often (``wound``, ``ground``, ``bore``, ``lay``, ``lives``,
``leaves``).
"""

from __future__ import annotations

from typing import Final

_VERBS: Final = """
awake awoke awoken; become became; begin began begun; bend bent; bite bit bitten; bleed bled; blow blew blown;
break broke broken; breed bred; bring brought; build built; burn burnt; buy bought; catch caught;
choose chose chosen; cling clung; come came; creep crept; deal dealt; dig dug; draw drew drawn; dream dreamt;
drink drank drunk; drive drove driven; eat ate eaten; fall fell fallen; feed fed; feel felt; fight fought;
find found; flee fled; fly flew flown; forbid forbade forbidden; forget forgot forgotten;
forgive forgave forgiven; freeze froze frozen; get got gotten; give gave given; go went gone; grow grew grown;
hang hung; hear heard; hide hid hidden; hold held; keep kept; kneel knelt; know knew known; lead led; lean leant;
leap leapt; learn learnt; leave left; lend lent; lose lost; make made; mean meant; meet met;
mistake mistook mistaken; overcome overcame; pay paid; prove proven; ride rode ridden; ring rang rung; rise risen;
run ran; say said; see saw seen; seek sought; sell sold; send sent; sew sewn; shake shook shaken; shine shone;
shoot shot; show shown; shrink shrank shrunk; sing sang sung; sink sank sunk; sit sat; sleep slept; slide slid;
speak spoke spoken; spell spelt; spend spent; spill spilt; spin spun; spring sprang sprung; stand stood;
steal stole stolen; stick stuck; sting stung; strike struck; swear swore sworn; sweep swept; swim swam swum;
swing swung; take took taken; teach taught; tear tore torn; tell told; think thought; throw threw thrown;
understand understood; undertake undertook undertaken; wake woke woken; wear wore worn; weave wove woven;
weep wept; win won; withdraw withdrew withdrawn; write wrote written
"""
_NOUNS: Final = """
child children; foot feet; goose geese; half halves; knife knives; loaf loaves; man men; mouse mice;
person people; shelf shelves; thief thieves; tooth teeth; wife wives; wolf wolves; woman women
"""


def _forms(table: str) -> dict[str, str]:
    rows = (row.split() for row in table.replace("\n", " ").split(";"))
    return {form: base for base, *forms in rows for form in forms}


REGULAR_FORM: Final[dict[str, str]] = _forms(_VERBS) | _forms(_NOUNS)
