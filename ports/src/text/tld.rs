//! Tells domain names from other dotted words by a short list of endings, which is no registry. A link with a scheme
//! needs no ending from the list.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Endings that make a bare word a domain name.
const PLAIN: &str = "\
    com net org info biz edu gov mil int xyz online site top club live store fun pro vip link click gift \
    gifts app dev io co gg ru su de fr uk eu nl pl es it ch at se cz br mx ar jp cn kr tw in au nz ca us \
    ua by kz tr gr ro hu pt fi dk no be ie il ir vn th id ph my sg hk za ng ke eg sa ae pk bd lk tk ml \
    ga cf gq cc tv me ws pw im cat tech website space shop network asia icu land one finance cloud buzz \
    claims digital best art page support ink events world life sbs cfd exchange help cam skin company \
    monster ltd quest host lol academy fund cash news codes trade uno today center win work pics money \
    solutions blog team foundation technology homes group run ai services capital bond wtf cx rest bar \
    tel press guru wiki systems farm bid cool bio fit financial plus vc zone expert porn sex xxx adult \
    dating chat social games game gold market markets marketing media agency bet casino poker loan loans \
    credit tax bank download stream video movie photos gallery email center direct rocks ninja men party \
    racing review science date faith accountant cricket webcam win mobi name tips tools town training \
    travel vote voto care city community computer construction consulting deals delivery design energy \
    engineering enterprises estate express fail fashion fitness global graphics guide health holdings \
    immo industries institute insure international investments lawyer lease legal limited limo \
    management moe partners parts pet photo pink place properties pub realty red rent repair report \
    reviews ru рф sale school security sexy shoes show singles software studio supply surf surgery \
    tattoo theater tires trading university vacations ventures villas vision watch wedding works yoga \
    zip mov ly gl gd fm am is to sh rs py md ps pl cm so st mk do li la ac ag al ba bg bz cl cr cy dz ec \
    ee fo ge gs gt hr hn is jo kw lb lt lu lv ma mn mt nu om pe qa re sc si sk sn sx sy tn ug uy uz ve \
    xn--p1ai";

/// Endings of [`PLAIN`] that are also words, file names or parts of code: a bare word with one needs a path to be a
/// link.
const DOUBTFUL: &str = "\
    is to it in me my no so do be at am as us ai id one rs py md sh pl ps cc zip mov so st mk do li la \
    ac al ba si re sc name run link page host email date work works red watch report show fit help live \
    team run best cool cat media video game games chat photo show place studio design tools today group \
    world life news plus zone guide bio care city money cash gold pet pub sale school security software \
    social stream support systems tax download direct express fail global graphics health legal limited \
    management men mn mt network parts partners party pink pro press rest bar trade trading training \
    travel vision vote center cloud community company computer credit capital digital expert farm fund \
    loan market art bank bet click academy agency ink skin space store net int ma ee hr uno tel sexy sex \
    adult surf supply repair review reviews rent rocks";

static SETS: LazyLock<(HashSet<&str>, HashSet<&str>)> =
    LazyLock::new(|| (PLAIN.split_ascii_whitespace().collect(), DOUBTFUL.split_ascii_whitespace().collect()));

/// Returns true when a lower-case dotted word is a domain name. `has_path` means that a `/` or `?` follows
/// directly.
pub(super) fn is_domain(word: &str, has_path: bool) -> bool {
    let mut labels = word.rsplit('.');
    let Some(ending) = labels.next() else { return false };
    let Some(name) = labels.next() else { return false };
    if name.is_empty() || labels.any(|label| label.is_empty() || label.len() > 63) || name.contains('_') {
        return false;
    }
    let plain = SETS.0.contains(ending);
    if word.starts_with("www.") && name != "www" {
        return plain;
    }
    // A file name with a path in front of it, such as `main.rs/x`, is likelier than a host under these endings.
    let file = matches!(ending, "rs" | "py" | "md" | "sh" | "pl" | "ps" | "zip" | "mov" | "so");
    let doubtful = SETS.1.contains(ending) && !looks_made(name);
    plain && (has_path || !doubtful) && (!file || name.contains('-'))
}

/// Returns true for names that neither prose nor code contains: with a dash, or long with a digit.
fn looks_made(name: &str) -> bool {
    name.contains('-') || name.len() >= 6 && name.bytes().any(|byte| byte.is_ascii_digit())
}
