//! Letters of the Latin and Cyrillic scripts that look the same, so that a word of both has one reading.

/// A Cyrillic letter that looks like a Latin one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CyrillicTwin {
    pub latin: char,
    pub cyrillic: char,
}

/// Lower-case letters that look the same. Capitals do in more cases (`В`, `Н`, `К`, `М`, `Т`), which people use for
/// disguise as well.
const TWINS: [CyrillicTwin; 22] = [
    twin('a', 'а'),
    twin('b', 'в'),
    twin('c', 'с'),
    twin('e', 'е'),
    twin('e', 'ё'),
    twin('h', 'н'),
    twin('i', 'і'),
    twin('j', 'ј'),
    twin('k', 'к'),
    twin('l', 'ӏ'),
    twin('m', 'м'),
    twin('n', 'п'),
    twin('o', 'о'),
    twin('p', 'р'),
    twin('q', 'ԛ'),
    twin('r', 'г'),
    twin('s', 'ѕ'),
    twin('t', 'т'),
    twin('w', 'ԝ'),
    twin('x', 'х'),
    twin('y', 'у'),
    twin('d', 'ԁ'),
];

const fn twin(latin: char, cyrillic: char) -> CyrillicTwin {
    CyrillicTwin { latin, cyrillic }
}

/// The Cyrillic letter that a Latin one, in lower case, looks like.
pub fn cyrillic_twin(latin: char) -> Option<char> {
    TWINS.iter().find(|twin| twin.latin == latin).map(|twin| twin.cyrillic)
}

/// The Cyrillic letter of a Russian or Ukrainian keyboard that a Latin one, in lower case, looks like.
pub(super) fn keyboard_twin(latin: char) -> Option<char> {
    let at = "aceopxykmthbi".chars().position(|letter| letter == latin)?;
    "асеорхукмтнві".chars().nth(at)
}

/// The Latin letter that a Cyrillic one, in lower case, looks like.
pub(super) fn latin_twin(cyrillic: char) -> Option<char> {
    TWINS.iter().find(|twin| twin.cyrillic == cyrillic).map(|twin| twin.latin)
}

/// Whether a letter of the Cyrillic or Greek script, in lower case, looks like a Latin one.
pub fn is_latin_twin(char: char) -> bool {
    matches!(char, 'α' | 'ο' | 'ν' | 'ρ' | 'τ' | 'υ' | 'ι' | 'κ' | 'ϲ' | 'ϳ' | 'χ' | 'ε' | 'η' | 'ω' | 'γ')
        || TWINS.iter().any(|twin| twin.cyrillic == char)
}
