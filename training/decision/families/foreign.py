"""Questions in German, French and Spanish over English states.

Predicates are chosen so that no word has to agree with its subject. `foreign` is trained on; `foreign_held` has other things, other
predicates and other questions, and is held out whole.
"""
import banks as b
from clauses import pick_one, scale
from .levels import MATTERS, URGENCY
from .reply import INTENTS

# English: de, fr, es
NOUNS = {"the lift": ("der Aufzug", "l'ascenseur", "el ascensor"), "the key": ("der Schlüssel", "la clé", "la llave"), "the printer": ("der Drucker", "l'imprimante", "la impresora"), "the car": ("das Auto", "la voiture", "el coche"),
         "the train": ("der Zug", "le train", "el tren"), "the door": ("die Tür", "la porte", "la puerta"), "the bill": ("die Rechnung", "la facture", "la factura"), "the parcel": ("das Paket", "le colis", "el paquete"),
         "the machine": ("die Maschine", "la machine", "la máquina"), "the phone": ("das Telefon", "le téléphone", "el teléfono"), "the ticket": ("die Fahrkarte", "le billet", "el billete"), "the contract": ("der Vertrag", "le contrat", "el contrato"),
         "the order": ("die Bestellung", "la commande", "el pedido"), "the room": ("das Zimmer", "la chambre", "la habitación"), "the heating": ("die Heizung", "le chauffage", "la calefacción"), "the camera": ("die Kamera", "la caméra", "la cámara"),
         "the page": ("die Seite", "la page", "la página"), "the meeting": ("die Besprechung", "la réunion", "la reunión")}
# yes in English, no in English, then questions with {n}; {x} is a value
ABOUT = [
    ("{n} works", "{n} does not work", ("Funktioniert {n}?", "Est-ce que {n} fonctionne ?", "¿Funciona {n}?")), ("{n} is missing", "{n} is not missing", ("Fehlt {n}?", "Est-ce que {n} manque ?", "¿Falta {n}?")),
    ("{n} belongs to {x}", "{n} does not belong to {x}", ("Gehört {n} {x}?", "Est-ce que {n} appartient à {x} ?", "¿Pertenece {n} a {x}?")), ("{n} is in {c}", "{n} is not in {c}", ("Ist {n} in {c}?", "Est-ce que {n} se trouve à {c} ?", "¿Está {n} en {c}?")),
    ("{n} costs more than {k} euros", "{n} costs less than {k} euros", ("Kostet {n} mehr als {k} Euro?", "Est-ce que {n} coûte plus de {k} euros ?", "¿Cuesta {n} más de {k} euros?")),
    ("{n} comes today", "{n} does not come today", ("Kommt {n} heute?", "Est-ce que {n} arrive aujourd'hui ?", "¿Llega {n} hoy?")), ("{n} has a fault", "{n} has no fault", ("Hat {n} einen Fehler?", "Est-ce que {n} a un défaut ?", "¿Tiene {n} un defecto?")),
    ("there is a problem with {n}", "there is no problem with {n}", ("Gibt es ein Problem mit: {n}?", "Y a-t-il un problème avec ceci : {n} ?", "¿Hay un problema con esto: {n}?")), ("{x} needs {n}", "{x} does not need {n}", ("Braucht {x}: {n}?", "Est-ce que {x} a besoin de ceci : {n} ?", "¿Necesita {x} esto: {n}?"))]
ROUTE = [("Worum geht es in der Nachricht?", "De quoi parle le message ?", "¿De qué trata el mensaje?"), ("Welches Team soll das bekommen?", "Quelle équipe doit s'en occuper ?", "¿Qué equipo debe encargarse?"), ("Was möchte der Kunde?", "Que veut le client ?", "¿Qué quiere el cliente?"),
         ("Wähle das Thema.", "Choisissez le sujet.", "Elige el tema."), ("Wohin gehört diese Anfrage?", "Où classer cette demande ?", "¿Dónde va esta solicitud?")]
HASTE = [("Wie dringend ist es?", "Est-ce urgent, et à quel point ?", "¿Qué tan urgente es?"), ("Bewerte die Dringlichkeit.", "Évaluez l'urgence.", "Valora la urgencia."), ("Welche Priorität hat die Anfrage?", "Quelle est la priorité de la demande ?", "¿Qué prioridad tiene la solicitud?")]
LEVELS = [["low", "medium", "high", "critical"], ["can wait", "this week", "today", "at once"], ["low: no deadline", "normal: within days", "urgent: today", "emergency: this moment"]]


def _ask(g, nouns, about, route, haste):
    lang = g.rng.randint(0, 2)
    kind = g.rng.randint(0, 4)
    if kind == 0:
        x, *rest = g.rng.sample(list(INTENTS), 5)
        text = g.pick(["Hello, {}.", "{}, please help.", "Good day. {}."]).format(INTENTS[x][1])
        return [pick_one(g, text, [r[lang] for r in route], {k: INTENTS[k][0] for k in (x, *rest)}, x)]
    if kind == 1:
        u = g.rng.randint(0, 3)
        return [scale(g, f"{g.pick(MATTERS).capitalize()}. {g.pick(URGENCY[u])}", [h[lang] for h in haste], g.rng.choice(LEVELS), u)]
    noun = g.pick(nouns)
    yes, no, questions = g.pick(about)
    fill = {"x": g.name(), "c": g.pick(b.CITIES), "k": g.rng.randint(5, 300)}
    say = lambda t: (lambda s: s[:1].upper() + s[1:])(t.format(n=noun, **fill)) + "."
    more = g.pick(["", " The rest is in the file.", f" {g.name()} told me.", " I looked this morning.", " Nothing else is new."])
    words = questions[lang].format(n=nouns[noun][lang], **fill)
    return [{"state": say(t) + more, "type": "noul", "instructions": words, "criteria": None, "label": v, "pair": 0} for t, v in ((yes, True), (no, False))]


def foreign(g):
    return _ask(g, NOUNS, ABOUT, ROUTE, HASTE)


HELD_NOUNS = {"the book": ("das Buch", "le livre", "el libro"), "the bicycle": ("das Fahrrad", "le vélo", "la bicicleta"), "the garden": ("der Garten", "le jardin", "el jardín"), "the bridge": ("die Brücke", "le pont", "el puente"), "the letter": ("der Brief", "la lettre", "la carta"), "the kitchen": ("die Küche", "la cuisine", "la cocina")}
HELD_ABOUT = [("{n} is from {c}", "{n} is not from {c}", ("Stammt {n} aus {c}?", "Est-ce que {n} vient de {c} ?", "¿Viene {n} de {c}?")), ("{x} likes {n}", "{x} does not like {n}", ("Mag {x} {n}?", "Est-ce que {x} aime {n} ?", "¿Le gusta {n} a {x}?")),
              ("{n} has a roof", "{n} has no roof", ("Hat {n} ein Dach?", "Est-ce que {n} a un toit ?", "¿Tiene {n} un techo?")), ("{x} can see {n}", "{x} cannot see {n}", ("Kann {x} das sehen: {n}?", "Est-ce que {x} peut voir {n} ?", "¿Puede {x} ver {n}?"))]
HELD_ROUTE = [("Um welches Anliegen handelt es sich?", "Quel est l'objet de la demande ?", "¿Cuál es el motivo de la consulta?"), ("Wer ist dafür zuständig?", "Qui est responsable ?", "¿Quién es el responsable?")]
HELD_HASTE = [("Wie eilig ist die Sache?", "À quel point est-ce pressé ?", "¿Cuánta prisa corre?"), ("Wie schnell muss jemand handeln?", "À quelle vitesse faut-il agir ?", "¿Con qué rapidez hay que actuar?")]


def foreign_held(g):
    return _ask(g, HELD_NOUNS, HELD_ABOUT, HELD_ROUTE, HELD_HASTE)


FAMILIES = {"foreign": foreign}
HELD = {"foreign_held": foreign_held}
