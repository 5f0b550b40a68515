//! Which networks answer a request.

use crate::text::{
    language::{Language, TextEncoder},
    normalize::normalize,
};

/// The networks that answer a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Networks {
    English,
    Multilingual,
    /// Both; their answers are averaged.
    Both,
}

/// The most bytes from which the language of a state is detected.
const SAMPLE: usize = 4_096;
/// The longest English state that both networks read, in bytes. A longer one takes many windows, and the second network
/// would double the work.
const LONGEST_FOR_BOTH: usize = 4_096;

impl Networks {
    /// The networks that answer best about a state: the multilingual one alone if the state is in another language than
    /// English; both if it is in English or in none that is detected, or the English one alone if it is long.
    pub(crate) fn for_state(state: &str) -> Self {
        let sample = &state[..state.floor_char_boundary(SAMPLE)];
        let text = normalize(sample, &[]);
        match Language::detect(sample, &text, 0..text.words.len()).encoder() {
            TextEncoder::English if state.len() > LONGEST_FOR_BOTH => Self::English,
            TextEncoder::English => Self::Both,
            TextEncoder::Multilingual => Self::Multilingual,
        }
    }

    pub(crate) fn have_english(self) -> bool {
        self != Self::Multilingual
    }

    pub(crate) fn have_multilingual(self) -> bool {
        self != Self::English
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_of_the_state_chooses_the_networks() {
        for (state, expected) in [
            ("I was charged twice and nobody answers", Networks::Both),
            ("status: open; attempts: 3", Networks::Both),
            ("", Networks::Both),
            ("Mir wurde der Betrag zweimal abgebucht und niemand antwortet", Networks::Multilingual),
            ("betreff: Rechnung; text: Ich habe noch keine Rechnung bekommen", Networks::Multilingual),
            ("मुझसे दो बार पैसे लिए गए", Networks::Multilingual),
            ("二重に請求されました", Networks::Multilingual),
        ] {
            assert_eq!(Networks::for_state(state), expected, "{state}");
        }
        assert_eq!(Networks::for_state(&"late ".repeat(1_000)), Networks::English);
    }
}
