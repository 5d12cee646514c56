"""Wishes in German, Spanish and French, in their commonest forms."""

from typing import Final

from reverie.distil.said.cues import cues

OTHER_LANGUAGES: Final = cues(r"""
    (?:^|: |bitte )(?:immer|nie(?:mals)?)\b.*\b\w+(?:en|ieren)
    (?:^|, |bitte )(?!wir|ich|es|sie|er|das|die|der|man|warum|\w+t\b|soll|sollen|muss|müssen|darf|dürfen|kann|können|
        wird|werden|war\b|waren|sind|haben)\w+e?(?: mir| bitte| uns)* (?:immer|nie(?:mals)?|nur noch)
    bitte keine?n?\b.*
    bitte (?:verwende|nutze?|benutze?|schreibe?|nimm|mach|füge?) (?:\w+ )?keine?n?\b.*
    (?:verwende|nutze?|benutze?|nimm|schreibe?) (?:bitte )?(?:statt|anstelle|lieber)\b.*
    hör (?:bitte )?auf,? .*\bzu\b.*|hör (?:bitte )?auf,? .*\w+zu\w+
    (?:mir|uns) ist (?:\w+ )?wichtig
    ich (?:mag|hasse|will) keine?n?\b.*
    ich hätte (?:gern|lieber)\b.*
    (?:bei uns|in diesem (?:projekt|repo)|im projekt|hier)\b.*\b(?:immer|nie|niemals|nur|keine?n?|alle commits|
        alles) .*
    wir (?:schreiben|benennen|verwenden|nutzen|machen) (?:hier|bei uns|in diesem \w+) (?:alle|alles|immer|nur|nie|
        keine)\b.*
    (?:mich |uns )(?:bitte |gerne? |ruhig )*(?:duzen|siezen)
    (?:duze|sieze)(?: mich| uns)
    (?:kommentare|commits|variablen\w*|doku\w*|namen|code|texte|antworten)\b.{0,20}\b(?:bitte|immer|nur) (?:auf|
        in) <language>
    auf <language> (?:schreiben|antworten|reden|sprechen|bleiben)
    bitte\b.{1,40}\b(?:immer|nie|grundsätzlich|generell)
    (?:por favor,? )?no (?:uses|pongas|escribas|hagas|toques)\b.*
    wenn du\b.*\b(?:schreib|nimm|benutz|nutz|verwend|mach|frag)e?\b.*
    keine?n?\b.*\b(?:bitte|mehr)
    (?:por favor,? )?nada de\b.*
    deja(?:d)? de \w+(?:ar|er|ir)\b.*
    en este (?:proyecto|repo|repositorio),? (?:siempre |nunca |no )?(?:usamos|escribimos|ponemos|nombramos|utilizamos|
        se \w+)\b.*(?:síguelo|
        sigue|siempre|nunca|por favor|comillas|espacios|tabuladores)
    quiero que (?:siempre|nunca)\b.*
    prefiero\b.*
    dans ce (?:projet|repo|dépôt),? (?:on|nous) (?:\w+ )?(?:écri\w+|nomm\w+|utilise toujours|n'utilise|met\w*)\b.*
    arrête[sz]? d(?:e |')\w+\b.*
    n'(?:utilise|ajoute|écris|emploie|oublie)[sz]? (?:jamais|plus|pas)\b.*
    (?:s'il te plaît|stp|svp),? pas d(?:e |')\w+.*
    pas d(?:e |')\w+ .*(?:s'il te plaît|stp|svp|merci)
    (?:me |nous )(?:tutoy|vouvoy)\w+|(?:tutoie|vouvoie)[sz]?-(?:moi|nous)
    évite[sz]? (?:les|d'(?:ajouter|utiliser|écrire)|de (?:mettre|faire)) \w+
    evita (?:los (?:comentarios|anglicismos)|las (?:abreviaturas|abreviaciones)|usar|poner|añadir) \w+
    me gustan? (?:más )?(?:que (?:las|los|me|uses|escribas)|(?:las|los) (?:respuestas|commits|funciones|nombres|
        mensajes|
        comentarios|explicaciones|tests|pruebas))
    trátame de|háblame de (?:tú|usted)|tutéame|(?:puedes|podrías) tutearme
    (?:siempre|nunca) (?:usa|utiliza|escribe|responde|pon|ejecuta|hagas|uses|escribas|pongas|añade|con|en)
    (?:usa|utiliza|escribe|responde|contesta|respóndeme)\b.* siempre
    (?:utilise|écris|réponds|mets|réponds-moi|fais)\b.* toujours
    toujours (?:en|utiliser|écrire|avec)
    ^toujours \w+(?:er|ir|re)
    (?:ne \w+ )?(?:plus )?jamais (?:de|utiliser|faire|mettre|toucher)
""")
