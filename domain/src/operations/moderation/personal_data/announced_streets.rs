//! Streets of kinds that have other meanings, such as `Park` and `Ring`: they count after words such as "lives at",
//! with a flat, or with a number that looks like a house number.

use std::{ops::Range, sync::LazyLock};

use regex::Regex;

use super::{beside::before, expression::compile};

/// `8657 Ward Gateway`: a number, a name, and a kind of street of the United States Postal Service (Publication 28,
/// appendix C1) that is not among those of [`postal_address`](super::postal_address).
static ENGLISH: LazyLock<Regex> = LazyLock::new(|| {
    compile(concat!(
        r"(?P<number>[0-9]{1,5}),? \p{Lu}[\p{L}'’-]+(?: \p{Lu}[\p{L}'’-]+)? (?:(?P<clear>",
        r"Bayou|Bluffs?|Bypass|Canyon|Causeway|Coves?|Creek|Crest|Crossing|Crossroads?|Expressway|Freeway|Gateway|",
        r"Glens?|Groves|Harbors?|Haven|Heights|Hollow|Inlet|Isle|Junctions?|Knolls?|Landing|Manors?|Meadows?|Motorway|",
        r"Orchard|Overpass|Parkways|Passage|Pike|Prairie|Ridges|Roads|Shoals?|Skyway|Spurs?|Squares|Stravenue|Streets|",
        r"Throughway|Trace|Trafficway|Turnpike|Underpass|Valleys?|Viaduct|Vista|Walks)|",
        r"Annex|Arcade|Beach|Branch|Bridge|Brooks?|Burgs?|Camp|Cape|Centers?|Circles|Cliffs?|Club|Commons?|Corners?|",
        r"Course|Courts|Curve|Dale|Dam|Divide|Drives|Estates?|Extensions?|Falls?|Ferry|Fields?|Flats?|Fords?|Forest|",
        r"Forges?|Forks?|Fort|Garden|Greens?|Hills|Islands?|Keys?|Lakes?|Land|Lights?|Loaf|Locks?|Lodge|Mall|Mills?|",
        r"Mission|Mount|Mountains?|Neck|Oval|Parks?|Pass|Path|Pines?|Plains?|Plazas|Points?|Ports?|Radial|Ramp|Ranch|",
        r"Rapids?|Rest|River|Route|Rue|Run|Shores?|Springs?|Station|Stream|Summit|Track|Tunnel|Unions?|Via|Views?|",
        r"Villages?|Ville|Wall|Ways|Wells?)\b(?P<flat>,? (?:Apt\.?|Suite|Unit|Flat|#) ?[0-9]{1,5}[A-Z]?\b)?"
    ))
});

/// `Flat 60, Paula Court`, in one line or two.
static FLAT_FIRST: LazyLock<Regex> = LazyLock::new(|| {
    compile(concat!(
        r"(?:Flat|Studio|Apartment|Apt\.?|Unit) [0-9]{1,3}[A-Za-z]?(?:, ?| |,?\r?\n)",
        r"(?:[0-9]{1,4}[A-Za-z]? )?\p{Lu}[\p{L}'’-]+(?: \p{Lu}[\p{L}'’-]+){1,2}"
    ))
});

/// `Textorweg 50`: compounds that may be words such as `Parkplatz` too.
static GERMAN: LazyLock<Regex> = LazyLock::new(|| {
    compile(concat!(
        r"(?P<street>\p{Lu}\p{L}{2,}(?P<kind>weg|platz|ring|damm|ufer|stieg|steig|markt))",
        r" [0-9]{1,3}(?:[-/][0-9]{1,3})?(?: ?[a-zA-Z]\b)?"
    ))
});
/// Beginnings of compounds with "weg" that are no streets.
const NO_STREETS: [&str; 26] = [
    "um",
    "heim",
    "rück",
    "hin",
    "aus",
    "schul",
    "arbeits",
    "lebens",
    "rad",
    "fuß",
    "rettungs",
    "lösungs",
    "wander",
    "rund",
    "schleich",
    "flucht",
    "bildungs",
    "liefer",
    "transport",
    "anfahrts",
    "nach",
    "königs",
    "haupt",
    "neben",
    "dienst",
    "rechts",
];

/// Words right before an address.
static ANNOUNCEMENT: LazyLock<Regex> = LazyLock::new(|| {
    compile(concat!(
        r"(?i)(?:\b(?:lives?|living|live|meet|me|party|house|home|stays?|staying) (?:at|is)|\baddress(?: is|:)?|",
        r"\b(?:send|ship|deliver|mail|post|bring) (?:it|them|this|that|the parcel|the package)? ?to|\bcome to|",
        r"\b(?:wohn\w*|lebt|adresse)(?: ist| in| im| am|:)?|\banschrift:?)\s+$"
    ))
});

/// Such streets of a message, in no order.
pub(super) fn find(content: &str) -> Vec<Range<usize>> {
    let mut spans: Vec<Range<usize>> = FLAT_FIRST.find_iter(content).map(|found| found.range()).collect();
    for found in ENGLISH.captures_iter(content) {
        let Some((whole, number)) = found.get(0).zip(found.name("number")) else { continue };
        let is_clear = found.name("clear").is_some() && is_house(number.as_str());
        if found.name("flat").is_some() || is_clear || is_announced(content, &whole.range()) {
            spans.push(whole.range());
        }
    }
    for found in GERMAN.captures_iter(content) {
        let Some((whole, street)) = found.get(0).zip(found.name("street")) else { continue };
        let kind = found.name("kind").map(|kind| kind.as_str()).unwrap_or_default();
        if is_german_street(street.as_str(), kind) || is_announced(content, &whole.range()) {
            spans.push(whole.range());
        }
    }
    spans
}

/// Whether a number is likelier a house's than a count or a year.
fn is_house(number: &str) -> bool {
    let is_year = number.len() == 4 && (number.starts_with("19") || number.starts_with("20"));
    number.len() >= 3 && !is_year && !number.ends_with("00")
}

/// Whether a compound is a street by itself: "platz" counts places in tables and seats too.
fn is_german_street(street: &str, kind: &str) -> bool {
    kind == "weg" && !NO_STREETS.contains(&street.to_lowercase().trim_end_matches(kind))
}

fn is_announced(content: &str, span: &Range<usize>) -> bool {
    ANNOUNCEMENT.is_match(before(content, span))
}

#[cfg(test)]
mod tests {
    use super::find;

    fn all(content: &str) -> Vec<&str> {
        find(content).into_iter().map(|span| &content[span]).collect()
    }

    #[test]
    fn streets_of_rarer_kinds_count_with_something_beside_them() {
        for (before, address, after) in [
            ("he lives at ", "62 Alder Inlet", ""),
            ("", "9013 Hale Glen", ""),
            ("send it to ", "Bachplatz 78", ", please"),
            ("at ", "12 Amber Ports Apt. 996", ""),
            ("he lives at ", "Flat 60\nPaula Court", ""),
            ("", "Textorweg 50", ""),
            ("er wohnt am ", "Amselring 3-5", ""),
        ] {
            assert_eq!(all(&format!("{before}{address}{after}")), [address], "{address}");
        }
    }

    #[test]
    fn other_meanings_are_left_alone() {
        for content in [
            "5 Great Lakes",
            "the 2019 Red Bull Park",
            "Parkplatz 12 ist frei",
            "Mein Heimweg 20 Minuten",
            "1080 Battle Pass",
            "selling 450 Channel Points",
            "auf Tabellenplatz 3",
            "Frühlingsring 24",
            "10 Best Beach Clubs",
        ] {
            assert_eq!(all(content), Vec::<&str>::new(), "{content}");
        }
    }
}
