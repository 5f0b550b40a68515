//! Cues that regular expressions find.

use std::sync::LazyLock;

use regex::Regex;

use super::cue::{Cue, CueSet};

macro_rules! forms {
    ($($cue:ident $pattern:expr),+ $(,)?) => {
        [$((Cue::$cue, LazyLock::new(|| Regex::new($pattern).expect("the pattern is valid")))),+]
    };
}

type Forms<const N: usize> = [(Cue, LazyLock<Regex>); N];

/// Cues in the original text.
static AS_WRITTEN: Forms<5> = forms![
    Time concat!(
        r"(?i)\b(?:at|um|a|à|às|as|alle|om|o|в|around|round|by|near|gegen|vers|après|till?) (?:las |la |le |",
        r"ca )?",
        r"[0-9]{1,2}(?::[0-9]{2}|h|am|pm|ish)?\b|\b[0-9]{1,2}:[0-9]{2}\b|\b[0-9]{1,2} ?(?:am|pm|uhr)\b|",
        r"\b[0-9]{1,2}h[0-9]{0,2}\b"
    ),
    FullName r"\b\p{Lu}[\p{L}'’-]+ (?:Mc)?\p{Lu}[\p{L}'’-]+\b",
    NicknameIs concat!(
        r#"(?:"[^"]{2,24}"|@\w+|\b[A-Za-z]+[0-9]+\b|\b\w+_\w*\b|\b[A-Z][a-z]+[A-Z]\w*)[\w ,?’']{0,24}?"#,
        r"(?:\bis\b|=|hei(?:ß|ss)t|c'est|\bes\b|\bè\b|si chiama|\baka\b|\bto\b|это|'s|steckt|s'appelle|",
        r"se llama|\bé\b|heet|isnt|isn't|c'è|\?)"
    ),
    Age concat!(
        r"\b\p{Lu}[\p{L}'’-]+,? (?:aged? )?[1-9][0-9](?:,|\.| yo| ans| años| anni| jahre| from|$)|",
        r"\b[1-9][0-9] (?:yo|years old|ans|años|anos|jahre|anni|jaar|lat|yaşında)\b"
    ),
    Year r"\b1[5-9][0-9]{2}\b",
];

/// Things of a person by which others can find them.
const POSSESSIONS: &str = concat!(
    "(?:address|addy|adress|number|num|phone|cell|mobile|whatsapp|mail|email|inbox|ip|name|house|home|place|",
    "flat|door|",
    "plate|car|reg|school|uni|workplace|employer|boss|work|office|job|manager|street|building|mom|mum|mums|",
    "mother|dad|",
    "father|wife|husband|kids|sister|brother|daughter|parents|family|girlfriend|boyfriend|ssn|social|",
    "passport|birthday|",
    "linkedin|facebook|insta|instagram|shift|train|dms|nan|digits|personal|private|adresse|nummer|handynummer|",
    "privatnummer|chef|mutter|schwester|bruder|frau|tochter|kinder|haus|numero|telephone|portable|patron|",
    "mere|soeur|",
    "femme|plaque|casa|direccion|telefono|movil|correo|jefe|madre|hija|hermana|matricula|endereco|telefone|",
    "patrao|mae|",
    "irma|indirizzo|cellulare|capo|moglie|figlia|adres|privenummer|baas|moeder|zus|vrouw|numer|telefon|",
    "matka|nazwisko|",
    "szef|szefowi|адрес|номер|телефон|мать|имя|начальнику|жена)"
);

/// Cues in the text that [`plain`](super::phrases::plain) returns.
static PLAIN: LazyLock<[(Cue, Regex); 5]> = LazyLock::new(|| {
    let owner = concat!(
        r"(?:his|her|their|hers|[\p{L}]+ s|karens?|mods?|admins?|teachers?|streamers?|refs?|ihre|ihr|seine|",
        r"sein|seinem|",
        r"ihrem|son|sa|ses|leur|su|sus|seu|sua|suo|zijn|haar|jego|jej|его|ее)"
    );
    let owned = format!(r" {owner} (?:\w+ ){{0,2}}{POSSESSIONS} ");
    let misdeed = concat!(
        r" (?:guy|girl|dude|woman|man|kid|boy|one|lady|mod|teacher|person|cop|driver|bitch|clown|rat|people|",
        r"those|",
        r"someone|whoever|wer|typ|frau|mec|meuf|fille|tio|tia|chica|cara|mina|tizio|tipa|gast|vent|meisje) ",
        r"(?:who|that|which|from|der|die|das|qui|de la|que|che|aus|ausm|behind|hinter) |",
        r" who (?:[a-z]+ed|got|made|stole|hit|ran|shot|took|lied|left|cut|drew|broke) "
    );
    let habit =
        r" (?:he|she|who|they|dude|er|sie|il|elle|hij|ze) (?:always |usually )?(?:s|is|\w+s|\w+ing|\w+t) ";
    let command = concat!(
        r" (?:\w+ez (?:lui|la|le|les|en|y|leur)|faites (?:lui|la|le|leur)|dites (?:lui|leur)|",
        r"\w+(?:ad|ed|id)(?:le|la|lo|les|los|selo)|\w+(?:ate|ete|ite|itte)(?:lo|la|gli|le|li)|\w{3,}cie|",
        r"\w{3,}(?:ите|итесь)|\w{3,}(?:lasin|lesin|meyin|mayin)|",
        r"(?:ruft|fragt|sagt|schreibt|zeigt|lasst|macht|klingelt|besucht|schickt|gebt|holt|jagt|sucht|filmt|",
        r"bringt|",
        r"nehmt|tretet|haut|werft|schmeisst|bestellt|meldet|wartet) (?:ihn|ihm|sie|ihr|mal|alle|da|dem|den|",
        r"der|das|es)|",
        r"(?:bel|vertel|stuur|zeg|vraag|spreek|wacht|pak|sloop|maak|geef|laat|film|zoek) ",
        r"(?:hem|haar|ze|die|allemaal|m)|\w+(?:am|em) (?:o|a|ele|ela|pro|pra|dela|dele)) "
    );
    let whereabouts = concat!(
        r" (?:works?|working|lives?|living|goes|stays|sits|hides|sleeps|parks|trains|teaches|studies|walks|",
        r"jogs|runs|",
        r"swims|drinks|eats|waits|moved|nurse|security|student|manager|arbeitet|wohnt|geht|sitzt|habite|",
        r"bosse|travaille|",
        r"vit|vive|trabaja|va|mora|trabalha|estuda|abita|lavora|woont|werkt|zit|mieszka|pracuje|chodzi|",
        r"живет|работает|",
        r"учится) (?:at|in|on|to|for|by|past|near|opposite|bei|beim|im|aufs|auf|am|an|a|au|aux|dans|chez|en|",
        r"al|na|no|em|",
        r"bij|op|naar|w|do|на|в|у) "
    );
    let patterns = [
        (Cue::Owned, owned.as_str()),
        (Cue::Whereabouts, whereabouts),
        (Cue::Misdeed, misdeed),
        (Cue::Habit, habit),
        (Cue::Command, command),
    ];
    patterns.map(|(cue, pattern)| (cue, Regex::new(pattern).expect("the pattern is valid")))
});

/// Adds the cues in a text, of which `plain` is what [`plain`](super::phrases::plain) returns.
pub(super) fn read(text: &str, plain: &str, cues: &mut CueSet) {
    for (cue, pattern) in &AS_WRITTEN {
        cues.add(*cue, pattern.is_match(text));
    }
    for (cue, pattern) in &*PLAIN {
        cues.add(*cue, pattern.is_match(plain));
    }
    cues.add(Cue::QuestionMark, text.contains(['?', '？', '؟']));
}
