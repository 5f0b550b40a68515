//! Postal addresses: a house number and a street, in the forms of several countries, with the place behind them.

use std::{ops::Range, sync::LazyLock};

use regex::Regex;

use super::{
    announced_streets,
    beside::{in_number, stands_alone},
    expression::compile,
    kind::{PersonalData, PersonalDataKind},
};

/// Words of names, which may be in lower case.
const WORD: &str = r"\p{L}[\p{L}'’.-]{0,24}";

/// `48 Maple Avenue`: a number, one to four words and a kind of street, which may be in lower case.
static ENGLISH: LazyLock<Regex> = LazyLock::new(|| {
    let word = format!("(?:[0-9]{{1,3}}(?:st|nd|rd|th)|{WORD})");
    let kinds = [STRONG.join("|"), WEAK.join("|")].join("|");
    compile(&format!(
        r"(?i)[0-9]{{1,5}}(?:-[0-9]{{1,4}})?[a-z]?,? (?P<name>{word}(?: {word}){{0,3}}?) (?P<kind>{kinds})\b"
    ))
});
/// What may follow: a direction, a flat, and a place with its code.
static ENGLISH_END: LazyLock<Regex> = LazyLock::new(|| {
    let place = r"(?:,? \p{L}[\p{L}'’.-]{1,24}){1,3},?";
    let unit = r"(?:apt|apartment|unit|suite|ste|flat|floor|room|rm|#)";
    let state = r"(?-i:[A-Z]{2})";
    let code = r"[a-z]{1,2}[0-9][0-9a-z]? ?[0-9][a-z]{2}\b";
    let direction = r"(?: (?-i:[NSEW]{1,2})\b)?";
    let flat = format!(r"(?:,? {unit}\.? ?#?(?:[0-9][0-9a-z-]{{0,5}}|[a-z])\b)?");
    let zip = format!(r"(?:{place} {state})?,? [0-9]{{5}}(?:-[0-9]{{4}})?\b");
    let town = format!(r"(?:{zip}|{place} {state}\b|{place} {code}|,? {code})?");
    compile(&format!(r"(?i)^\.?{direction}{flat}{town}"))
});
/// Kinds of streets that mean one in lower case too, behind a name.
const STRONG: [&str; 12] =
    ["street", "st", "avenue", "ave", "road", "rd", "lane", "ln", "boulevard", "blvd", "crescent", "terrace"];
/// Kinds of streets that mean one behind a capitalised name.
const WEAK: [&str; 32] = [
    "drive", "dr", "court", "ct", "place", "pl", "way", "circle", "cir", "parkway", "pkwy", "highway", "hwy",
    "square", "sq", "close", "cres", "gardens", "grove", "mews", "row", "hill", "walk", "trail", "trl",
    "alley", "plaza", "loop", "quay", "rise", "ridge", "bend",
];
/// Words that no street is called by: `5 minutes down the road`.
const NO_NAME: [&str; 72] = [
    "minute", "minutes", "min", "mins", "hour", "hours", "hr", "hrs", "day", "days", "week", "weeks",
    "month", "months", "year", "years", "mile", "miles", "km", "meter", "meters", "feet", "ft", "block",
    "blocks", "people", "guys", "men", "players", "cars", "the", "a", "an", "down", "up", "in", "on", "at",
    "to", "from", "and", "or", "is", "was", "are", "with", "for", "my", "your", "his", "her", "their", "our",
    "this", "that", "per", "way", "more", "other", "another", "dirt", "rough", "mid", "bot", "bottom",
    "fast", "bus", "bike", "express", "when", "where", "we",
];

/// `Gartenstraße 12`, `Clara-Zetkin-Platz 3/4`, `Lindelaan 14`, `Storgatan 5`.
static GERMANIC: LazyLock<Regex> = LazyLock::new(|| {
    compile(concat!(
        r"(?:\p{L}[\p{L}-]{1,30}(?:straße|strasse|str\.|gasse|allee|straat|laan|gracht)|",
        r"\p{Lu}[\p{L}-]+-(?:Straße|Strasse|Str\.|Gasse|Allee|Weg|Ring|Damm|Ufer)|",
        r"\p{Lu}\p{Ll}+(?:-\p{Lu}\p{Ll}+)+-Platz|",
        r"(?:\p{Lu}[\p{L}-]{1,24} ){1,2}(?:Straße|Strasse|Str\.|Gasse|Allee)|",
        r"\p{Lu}[\p{L}-]{2,}(?:gatan|vägen|gränd|stigen|torget|vej|sgade|stræde|veien|vegen|sgata|sgate|",
        r"katu|kuja|polku))",
        r" ?[0-9]{1,4}(?:[-/][0-9]{1,4}\b)?(?: ?[a-zA-Z]\b)?"
    ))
});
/// Likewise with words that end other names too, so that a place with its code has to follow.
static GERMANIC_WITH_PLACE: LazyLock<Regex> = LazyLock::new(|| {
    let kinds = "(?:[Ww]eg|[Pp]latz|[Rr]ing|[Dd]amm|[Uu]fer|[Cc]haussee|[Hh]of|[Mm]arkt|[Pp]lein|[Kk]ade)";
    let name = r"\p{Lu}[\p{L}-]{0,30}";
    let street = format!("(?:(?:Am|An der|Im|In der|Zum|Zur) {name}|{name} ?{kinds})");
    let place = r"(?:[A-Z]{1,2}-)?[0-9]{4,5}(?: [A-Z]{2})? \p{Lu}[\p{L}-]{2,30}";
    compile(&format!("{street} [0-9]{{1,4}}(?: ?[a-zA-Z])?,? {place}"))
});

/// `14 rue des Lilas`.
static FRENCH: LazyLock<Regex> = LazyLock::new(|| {
    let joint = r"(?:(?:de la|de l['’]|des|du|de|d['’]|la|le|les) ?)?";
    let strong = r"(?:[Rr]ue|[Aa]venue|[Bb]oulevard|[Bb]d|[Ii]mpasse|[Cc]hemin|[Qq]uai)";
    let weak = r"(?:[Pp]lace|[Aa]llées?|[Rr]oute|[Cc]ours|[Ss]quare|[Aa]v\.)";
    let name = r"\p{Lu}[\p{L}'’-]{1,24}";
    let street = format!("(?:{strong} {joint}{WORD}|{weak} {joint}{name})(?: {name}){{0,3}}");
    compile(&format!("[0-9]{{1,4}}(?: ?(?:bis|ter))?,? {street}"))
});

/// `Calle Mayor 15`, `Rua das Flores, 120`, `Via Roma 3`, `ул. Ленина, д. 5`.
static ROMANCE: LazyLock<Regex> = LazyLock::new(|| {
    let strong = concat!(
        r"(?i:calle|callejón|avenida|avda\.?|urbanización|glorieta|rambla|rua|travessa|viale|vicolo|piazzale|",
        r"ulica|ulicy|ul\.|улица|ул\.|проспект|пр-т)"
    );
    let weak = concat!(
        r"(?:[Cc]/ ?|[Pp]laza|[Pp]aseo|[Pp]raça|[Aa]lameda|[Ee]strada|[Aa]v\.|Via|Piazza|Corso|Vicolo|",
        r"[Cc]arrera|[Cc]amino|[Cc]añada|[Pp]asaje|[Pp]asadizo|[Tt]ravesía|Vial|Plazuela|Cuesta|",
        r"Acceso|Strada|Borgo|Contrada|Rotonda|",
        r"Incrocio|Stretto|Salita|Ladeira|Viela|Vereda|[Aa]leja|[Pp]lac|Osiedle)"
    );
    let joint = "(?:(?:de la|de los|de las|del|de|da|das|do|dos|della|dei|delle|la|el|los|las) ){0,2}";
    let number = r",? ?(?:n[.º°]{1,2} ?|nº ?|núm\. ?|#|д\. ?|дом )?[0-9]{1,5}";
    let flat = concat!(
        r"(?:,? (?:[Aa]pt\.?|[Aa]pto\.?|[Pp]uerta|[Pp]iso|[Pp]ortal|[Ee]scalera|[Aa]ppartamento|[Pp]iano|",
        r"[Ii]nterno|",
        r"кв\.) ?[0-9]{1,4}\b|/[0-9]{1,4}\b)?"
    );
    let name = r"\p{Lu}[\p{L}'’-]{1,24}";
    let street = format!("(?:{strong} {joint}{WORD}|{weak} {joint}{name})(?: {joint}{name}){{0,3}}");
    compile(&format!("{street}{number}{flat}"))
});

/// `, 69003 Lyon`.
static CODE_AND_PLACE: LazyLock<Regex> = LazyLock::new(|| {
    compile(concat!(
        r"^,? (?:[A-Z]{1,2}-)?[0-9]{4,5}(?: [A-Z]{2}|-[0-9]{3})?,? \p{Lu}[\p{L}'’-]{1,30}",
        r"(?:[ -]\p{Lu}[\p{L}'’-]{1,30})?"
    ))
});

/// `Çınar Caddesi No: 45`.
static TURKISH: LazyLock<Regex> = LazyLock::new(|| {
    compile(concat!(
        r"(?:\p{Lu}[\p{L}.'’-]+ )+(?:Sokak|Sokağı|Sk\.|Caddesi|Cad\.|Bulvarı|Blv\.)",
        r",? ?(?:[Nn]o ?[.:]? ?)?[0-9]{1,4}(?:/[0-9]{1,3}\b)?"
    ))
});

static BOX: LazyLock<Regex> = LazyLock::new(|| compile(r"(?i)\b(?:p\.? ?o\.? ?box|postfach) [0-9]{1,6}"));

/// Units that make a number something else: `via Messenger 5 minutes`.
static UNIT: LazyLock<Regex> = LazyLock::new(|| {
    compile(concat!(
        r"(?i)^(?:%|€|\$| ?(?:min\p{L}*|horas?|hours?|h|euros?|km|met(?:ros?|ri)|d[ií]as?|days?|tagen?|",
        r"jahren?|years?|anni|ore|weeks?|times|pm|uhr|мин\p{L}*|час\p{L}*|год\p{L}*)\b)"
    ))
});

/// The postal addresses of a message, in no order.
pub(super) fn find(content: &str) -> Vec<PersonalData> {
    // Each has a number.
    if !content.bytes().any(|byte| byte.is_ascii_digit()) {
        return Vec::new();
    }
    let mut spans: Vec<Range<usize>> = Vec::new();
    for found in ENGLISH.captures_iter(content) {
        let Some((whole, name)) = found.get(0).zip(found.name("name")) else { continue };
        let kind = found.name("kind").map(|kind| kind.as_str()).unwrap_or_default();
        if is_street(name.as_str(), kind) {
            spans.push(longer(content, whole.range(), &ENGLISH_END));
        }
    }
    for pattern in [&GERMANIC, &FRENCH, &ROMANCE, &TURKISH] {
        let found = pattern.find_iter(content).map(|found| found.range());
        // A "Champions-League-Platz" is in a table.
        let found = found.filter(|span| {
            !UNIT.is_match(&content[span.end..]) && !content[span.clone()].contains("League-")
        });
        spans.extend(found.map(|span| longer(content, span, &CODE_AND_PLACE)));
    }
    spans.extend(GERMANIC_WITH_PLACE.find_iter(content).map(|found| found.range()));
    let announced = announced_streets::find(content).into_iter();
    spans.extend(announced.filter(|span| !UNIT.is_match(&content[span.end..])));
    spans.extend(BOX.find_iter(content).map(|found| found.range()));
    let alone = spans
        .into_iter()
        .map(|span| without_stop(content, span))
        .filter(|span| stands_alone(content, span) && !in_number(content, span));
    alone.map(|span| PersonalData::new(PersonalDataKind::PostalAddress, span)).collect()
}

/// The span with what follows it of an address.
fn longer(content: &str, span: Range<usize>, end: &Regex) -> Range<usize> {
    let more = end.find(&content[span.end..]).map_or("", |found| found.as_str()).trim_end_matches('.');
    span.start..span.end + more.len()
}

/// The span without a full stop at its end.
fn without_stop(content: &str, span: Range<usize>) -> Range<usize> {
    span.start..span.start + content[span].trim_end_matches('.').len()
}

/// Whether a name and a kind of street are an address behind a number.
fn is_street(name: &str, kind: &str) -> bool {
    let lower = name.to_lowercase();
    if lower.split(' ').any(|word| NO_NAME.contains(&word)) {
        return false;
    }
    let capitalised = name.split(' ').all(|word| word.starts_with(|first: char| !first.is_lowercase()));
    capitalised || STRONG.contains(&kind.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::find;

    fn all(content: &str) -> Vec<&str> {
        find(content).iter().map(|found| &content[found.span.clone()]).collect()
    }

    #[test]
    fn addresses_are_found_as_countries_write_them() {
        for (before, address, after) in [
            ("her real address is ", "12 Elm Street", ""),
            ("it is ", "48 Maple Avenue, Dayton OH 45402", " now"),
            ("at ", "1450 Ocean Drive apt 12B", ""),
            ("", "221B Baker Street, London NW1 6XE", "!"),
            ("come to ", "12 elm st", " tonight"),
            ("at ", "45 W 34th St", "."),
            ("", "PO Box 1234", ", Reno"),
            ("er wohnt ", "Gartenstraße 12, 50667 Köln", ""),
            ("in der ", "Lindenallee 7", " und"),
            ("", "Am Markt 5, 01067 Dresden", ""),
            ("woont ", "Lindelaan 14", ""),
            ("c'est ", "14 rue des Lilas, 69003 Lyon", ", allez"),
            ("il habite ", "3 avenue Jean Jaurès", " à Lille"),
            ("vive en la ", "calle Olmo 8", " y"),
            ("es ", "Calle Mayor 15, 28013 Madrid", ""),
            ("na ", "Rua das Flores, 120", ""),
            ("abita in ", "Via Roma 3", ""),
            ("", "ул. Ленина, д. 5", ""),
            ("er wohnt ", "Clara-Zetkin-Platz 3/4", "."),
            ("c'est ", "14, avenue Joubert", "."),
            ("", "Cuesta Tadeo Ariza 9 Puerta 5", ""),
            ("ela mora na ", "Rua Azul 40", ", ao lado"),
            ("bor på ", "Storgatan 5", ""),
            ("evi ", "Çınar Caddesi No: 45", ""),
            ("he lives at ", "62 Alder Inlet", ""),
        ] {
            assert_eq!(all(&format!("{before}{address}{after}")), [address], "{address}");
        }
    }

    #[test]
    fn what_only_looks_like_one_is_left_alone() {
        for content in [
            "5 minutes down the road",
            "a 2 hour drive",
            "we sold 3 in a row",
            "4 people on the street",
            "10 ways to win",
            "2 bot lane players and 1 mid lane",
            "via Messenger 5 minutes ago",
            "Spring 12 is out",
            "tengo 2 calles",
            "patch 1.2 in court",
            "a 500 gb hard drive",
            "auf Champions-League-Platz 4",
            "C. Ronaldo 7",
            "3 more rounds, then court",
        ] {
            assert_eq!(all(content), Vec::<&str>::new(), "{content}");
        }
    }
}
