"""Words that carry no subject: what a question is made of around the thing it asks for.

Closed classes only (articles, pronouns, auxiliaries, prepositions, conjunctions, question words), written as they
stand after folding, contractions without their apostrophe.  The index holds them all the same, so that a quoted phrase
is whole; only a query drops them.
"""

from __future__ import annotations

from typing import Final

ENGLISH: Final = frozenset(
    """
    a an the this that these those i me my mine myself we us our ours ourselves you your yours yourself yourselves
    he him his himself she her hers herself it its itself they them their theirs themselves one ones someone
    somebody something anyone anybody anything everyone everybody everything nobody nothing who whom whose which
    what when where why how whether whatever whichever whenever wherever whoever am is are was were be been being do
    does did doing done have has had having will would shall should can could may might must ought im ive id ill
    youre youve youd youll hes hed shes shed itll were weve wed theyre theyve theyd theyll thats thatll theres heres
    whats whos whens wheres whys hows isnt arent wasnt werent dont doesnt didnt havent hasnt hadnt wont wouldnt
    shant shouldnt cant couldnt mightnt mustnt aint lets gonna wanna gotta and or but nor so yet if then else
    because as until while than though although unless since of at by for with about against between into through
    during before after above below to from up down in out on off over under again further once upon within without
    toward towards per via among across behind along around near here there now just only also too very even ever
    never always often still already really quite rather much many more most some any all both each either neither
    few other others another such own same no not please tell let get got
    """.split()
)
GERMAN: Final = frozenset(
    """
    der die das den dem des ein eine einen einem einer eines kein keine keinen ich du er sie es wir ihr mich dich
    ihn uns euch ihm ihnen mein meine dein deine sein seine ihre unser unsere sich wer wen wem wessen was wann wo
    wie warum wieso welche welcher welches welchen wohin woher und oder aber denn weil dass ob wenn als auch noch
    nur schon sehr nicht ist sind war waren bin bist wird werden wurde wurden hat haben hatte hatten kann konnen
    muss soll von vom zu zum zur mit bei nach aus auf fur an am im in uber unter vor durch gegen ohne um bis diese
    dieser dieses
    """.split()
)
FRENCH: Final = frozenset(
    """
    le la les un une des du de au aux ce cet cette ces je tu il elle on nous vous ils elles me te se moi toi lui
    leur leurs mon ma mes ton ta tes son sa ses notre nos votre vos qui que quoi quand ou comment pourquoi quel
    quelle quels quelles combien et mais donc or ni car si ne pas plus est sont etait etaient suis es sommes etes
    ete etre a ont ai avait avoir fait dans en sur sous par pour avec sans chez vers entre y d l c j m n s t qu
    aussi tres
    """.split()
)
SPANISH: Final = frozenset(
    """
    el la los las un una unos unas lo al del yo tu ella nosotros ellos ellas usted ustedes me te se le les nos mi
    mis su sus nuestro nuestra que quien quienes cual cuales cuando donde como cuanto cuantos por para con sin de en
    a y o u e pero si no ni porque es son era eran fue fueron ser esta estan estaba estar ha han hay habia he muy
    mas ya este esta esto estos estas ese esa eso esos esas desde hasta sobre entre
    """.split()
)
ITALIAN: Final = frozenset(
    """
    il lo la i gli le un uno una di del dello della dei degli delle al allo alla ai agli alle dal dalla nel nella
    nei sul sulla con per tra fra da in su io tu lui lei noi voi loro mi ti si ci vi ne che chi cosa quando dove
    come perche quale quali quanto quanti e ed o ma se non anche piu sono era erano stato stata essere ha hanno ho
    avere aveva questo questa questi queste quello quella mio mia suo sua
    """.split()
)
PORTUGUESE: Final = frozenset(
    """
    o a os as um uma uns umas de do da dos das em no na nos nas ao aos por pelo pela para com sem eu tu ele ela nos
    eles elas voce voces me te se lhe meu minha seu sua nosso nossa que quem qual quais quando onde como quanto
    porque e ou mas nao sim foi foram era eram sao ser estar esta estao estava tem tinha ha muito mais ja este esta
    isto esse essa isso aquele aquela ate sobre entre
    """.split()
)
DUTCH: Final = frozenset(
    """
    de het een ik jij je hij zij ze wij we jullie mij jou hem haar ons hun mijn jouw zijn onze wie wat wanneer waar
    hoe waarom welke welk en of maar want omdat dat die dit deze niet geen ook nog al is was waren ben bent wordt
    worden werd heeft hebben had kan moet van voor naar met bij uit op aan in over onder door tegen zonder om tot
    als er
    """.split()
)
RUSSIAN: Final = frozenset(
    """
    и в во не что он она оно они я ты мы вы на с со как а то все его ее их им ему ей нам вам меня мне тебя тебе нас
    вас мой моя мое мои твой наш ваш свой кто где когда куда откуда почему зачем какой какая какое какие каком чей
    сколько который которая которое которые это этот эта эти тот та те был была было были есть будет у за по от из о
    об для до при но же бы ли или если чтобы так уже только еще
    """.split()
)
GREEK: Final = frozenset(
    """
    ο η το οι τα του τησ των τον την τη τουσ τισ στο στη στην στον στα στουσ στισ και να θα δεν που πωσ ποτε ποιοσ
    ποια ποιο ποιοι τι γιατι ειναι ηταν απο με για σε ενα ενασ μια μου σου μασ σασ αυτο αυτη αυτοσ
    """.split()
)

LATIN_LANGUAGES: Final = {
    "german": GERMAN,
    "french": FRENCH,
    "spanish": SPANISH,
    "italian": ITALIAN,
    "portuguese": PORTUGUESE,
    "dutch": DUTCH,
}
OTHER_SCRIPTS: Final = RUSSIAN | GREEK
