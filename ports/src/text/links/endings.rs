//! Tells domain names from other dotted words by the endings that exist, which the Public Suffix List has with those of
//! IANA. A link with a scheme needs no ending that exists.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::host;

/// Endings that are also words with which a sentence may begin, names or parts of code: a bare word with one needs a
/// path to be a link. `he is done.it was` is prose, and `point.map` is code.
const DOUBTFUL: &str = "\
    able ac academy actor ad adult af agency ai al am amazon android apple arab army art as at audi audio \
    author auto ba baby band bank bar be beer best bet bi bible bike bing bio black blue bmw bo bom book \
    booking boston bot box brother bs build business buy call camp capital car cards care cars casa case \
    cash cat cc center ceo channel charity chase chat cheap christmas chrome church ci circle city click \
    cloud coach coffee college community company compare computer contact cool country courses credit \
    crown cruise cu cv dad dance data date day deal degree dell delta design diet digital direct directory \
    discover dish do docs doctor dog domains dot download drive earth eat education ee email engineer er \
    esq et expert exposed express fail family fan fans farm fast feedback film final fire fish fit flights \
    flowers fly foo food football ford forum fox free fund fyi gal game games gap gay george gives giving \
    glass global gm gn gold golf google got graphics gratis green group gucci guide guitars haus health \
    help here hm honda horse host hot hotel house how hr hsbc ht ibm ice id im in inc ing ink int irish is \
    ist it java je jetzt jobs jot joy juegos ki kids kim kindle kitchen kiwi km la lat law lc legal lego \
    li life like limited link live living llc loan locker locus london love ls ma madrid maison man \
    management map market mc md me med media meet meme men menu mh microsoft mini mint mk mm mn mo mobile \
    moi mom money mov mp mr ms mt mtr mu museum music mw my na name navy nba ne net netflix network new \
    news next nfl ngo ni nike no now np nr observer office omega one onion open oracle orange organic \
    origins pa page paris pars partners parts party pay pet pf phone photo photography pid pin ping pink \
    pizza pl place play playstation plus pm pn politie post pr press prime pro prod prof progressive \
    property protection ps pub py radio re read red rent repair report rest restaurant review reviews rich \
    rio rip rocks room rs run safe safety sale salon samsung save sb sc school schule scot sd search seat \
    secure security seek select seven sex sexy sh sharp shell shopping show si silk ski skin sky skype \
    sling sm smart smile so soccer social software song sony soy space spot ss st star storage store \
    stream studio study style supply support surf sv systems tab talk target tax taxi td team tel tickets \
    tj tl tm to today tools total tours toyota trade trading training travel trust tt tube tunes uno us va \
    vet vi video vin visa vision viva vivo vote voting voyage walter watch weather web wed wien windows \
    wine work works world wow xbox yahoo ye you youtube yt yun zero zip zone";

/// Endings of files. A file name with a path in front of it or behind, such as `main.rs/x`, is likelier than a host.
const FILES: &[&str] = &["java", "md", "mov", "pl", "ps", "py", "rs", "sh", "so", "zip"];

/// Endings that are said, as in `evil dot com`; `polka dot shoes` has no link.
const SPOKEN: &[&str] = &["biz", "com", "io", "onion", "org", "ru", "su", "xyz"];

/// Words before `dot com` that are no names.
const BEFORE_DOT_COM: &str = "\
    all and another any are but called damn each early ending ends entire every everything failed famous \
    few first former from generic had has her his into just keep last late like many most my name new next \
    not old only other our polka put quantum real said same say says second silly single some stupid than \
    that the their them then these they this those type typical use used using was were what whole with \
    without you your";

/// Words after `dot com` that make it one: the `dot com` bubble.
const AFTER_DOT_COM: &[&str] = &[
    "bomb",
    "boom",
    "bubble",
    "burst",
    "business",
    "businesses",
    "bust",
    "companies",
    "company",
    "crash",
    "craze",
    "days",
    "domain",
    "domains",
    "ending",
    "endings",
    "era",
    "millionaire",
    "millionaires",
    "startup",
    "startups",
    "stock",
    "stocks",
];

static DOUBTFUL_ENDINGS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| DOUBTFUL.split_ascii_whitespace().collect());

/// Whether the ending of a host exists.
pub(super) fn is_known(host: &str) -> bool {
    psl::suffix(host.as_bytes()).is_some_and(|suffix| suffix.is_known())
}

/// Whether a dotted word in lower case is a domain name. `is_marked`: a path follows, or it is written in a way that
/// only links are, such as `evil[.]live`.
pub(super) fn is_domain(word: &str, is_marked: bool) -> bool {
    let host = host::without_www(word);
    let Some(suffix) = psl::suffix(host.as_bytes()).filter(|suffix| suffix.is_known()) else { return false };
    let last = host.rsplit('.').next().unwrap_or_default();
    // A name under which anybody can have one may be a host itself: `github.io`.
    let length = if suffix.as_bytes().len() < host.len() { suffix.as_bytes().len() } else { last.len() };
    let ending = &host[host.len() - length..];
    let Some(name) = host[..host.len() - length].strip_suffix('.') else { return false };
    if name.split('.').any(|label| label.is_empty() || label.len() > 63) {
        return false;
    }
    let name = name.rsplit('.').next().unwrap_or_default();
    let looks_made = name.contains('-') || name.len() >= 6 && name.bytes().any(|byte| byte.is_ascii_digit());
    let is_file = FILES.contains(&ending) && !name.contains('-');
    !name.contains('_')
        && (host.len() < word.len() || !is_file && (is_marked || looks_made || !is_doubtful(ending)))
}

/// Whether `evil dot com` is a domain name, and no talk of a `dot com`. `next` is the word that follows.
pub(super) fn is_spoken_domain(host: &str, next: &str) -> bool {
    let mut labels = host.rsplit('.');
    let ending = labels.next().unwrap_or_default();
    let name = labels.next().unwrap_or_default();
    SPOKEN.contains(&ending)
        && name.len() >= 3
        && is_domain(host, false)
        && !BEFORE_DOT_COM.split_ascii_whitespace().any(|word| word == name)
        && !AFTER_DOT_COM.contains(&next)
}

/// In scripts other than Latin, endings are words; of those, Russia's is no other word.
fn is_doubtful(ending: &str) -> bool {
    DOUBTFUL_ENDINGS.contains(ending) || !ending.is_ascii() && ending != "рф"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_of_the_registries_are_known() {
        for ending in "com lat net live link me onion xyz рф xn--p1ai 中国 mm ck zip app bond cfd cyou ovh \
                       google co.uk github.io"
            .split_ascii_whitespace()
        {
            assert!(is_known(&format!("a.b.{ending}")), "{ending}");
        }
        for ending in ["internal", "example", "notanending", "txt", "js", "exe", "html"] {
            assert!(!is_known(&format!("a.{ending}")), "{ending}");
        }
    }

    #[test]
    fn every_doubtful_ending_exists_but_is_no_domain_alone() {
        for ending in &*DOUBTFUL_ENDINGS {
            assert!(is_known(&format!("a.b.{ending}")), "{ending}");
            assert!(!is_domain(&format!("a.{ending}"), false), "{ending}");
        }
    }
}
