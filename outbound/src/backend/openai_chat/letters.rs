//! Reads the probabilities of letters from the tokens of an answer.

use super::wire::{ChatToken, TopToken};

/// The least that the letters must have together in an answer of one token: below it, the model wanted to say something
/// else first.
const MIN_MASS: f64 = 0.05;
/// The least that the letters must have together where an answer of several tokens names one.
const MIN_MASS_WITHIN: f64 = 0.5;

/// Why no letter could be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unread {
    /// No letter that was offered is probable.
    NoLetter,
    /// A logarithm of a probability is none.
    Impossible,
}

/// The probabilities of the first `offered` letters, which sum to 1. `answer` is the text after any reasoning; `within`
/// allows words before the letter.
pub(super) fn read(
    tokens: &[ChatToken],
    offered: usize,
    answer: &str,
    within: bool,
) -> Result<Vec<f64>, Unread> {
    if !within {
        let first = tokens.first().ok_or(Unread::NoLetter)?;
        return probabilities(first, offered, MIN_MASS);
    }
    for token in &tokens[start_of(tokens, answer)..] {
        if letter_of(&token.text()).is_none() {
            continue;
        }
        match probabilities(token, offered, MIN_MASS_WITHIN) {
            Err(Unread::NoLetter) => {}
            read => return read,
        }
    }
    Err(Unread::NoLetter)
}

/// The letter that a plain answer names, such as `B`, `(b)`, `**B**` or `B) billing`.
pub(super) fn named(answer: &str, offered: usize) -> Option<usize> {
    let answer = answer.trim_start_matches(|c: char| c.is_whitespace() || "([{*\"'`".contains(c));
    let mut characters = answer.chars();
    let first = characters.next()?;
    let alone = characters.next().is_none_or(|next| !next.is_alphanumeric());
    let at = letter_index(first).filter(|at| alone && *at < offered)?;
    Some(at)
}

/// The text after reasoning, as models write it before their answer.
pub(super) fn after_reasoning(text: &str) -> &str {
    text.rsplit_once("</think>").map_or(text, |(_, answer)| answer).trim()
}

/// The first token that belongs to the answer, which is the end of all tokens.
fn start_of(tokens: &[ChatToken], answer: &str) -> usize {
    let wanted: usize = answer.split_whitespace().map(str::len).sum();
    let mut length = 0;
    for (at, token) in tokens.iter().enumerate().rev() {
        length += token.text().trim().len();
        if length >= wanted {
            return at;
        }
    }
    0
}

fn probabilities(token: &ChatToken, offered: usize, least: f64) -> Result<Vec<f64>, Unread> {
    let mut found: Vec<Option<f64>> = vec![None; offered];
    let mut all = 0.0;
    let mut smallest: f64 = 1.0;
    for top in &token.top_logprobs {
        let p = probability(top)?;
        all += p;
        smallest = smallest.min(p);
        if let Some(at) = letter_of(&top.text()).filter(|at| *at < offered) {
            *found[at].get_or_insert(0.0) += p;
        }
    }
    let mass: f64 = found.iter().flatten().sum();
    if mass < least {
        return Err(Unread::NoLetter);
    }
    // A letter that is not among the most probable tokens has at most what they leave, and no more than the last.
    let missing = found.iter().filter(|p| p.is_none()).count();
    let left = (1.0 - all).max(0.0) / missing.max(1) as f64;
    let floor = left.min(smallest).max(1e-9);
    let filled: Vec<f64> = found.into_iter().map(|p| p.unwrap_or(floor).max(1e-9)).collect();
    let sum: f64 = filled.iter().sum();
    Ok(filled.into_iter().map(|p| p / sum).collect())
}

fn probability(token: &TopToken) -> Result<f64, Unread> {
    match token.logprob {
        // Rounding makes some servers send a little more than 0.
        Some(logprob) if logprob.is_finite() && logprob <= 0.01 => Ok(logprob.min(0.0).exp()),
        _ => Err(Unread::Impossible),
    }
}

/// The letter that a token is, in either case, with spaces and marks around it: by its place in the alphabet.
fn letter_of(token: &str) -> Option<usize> {
    let mut characters = token.trim_matches(is_mark).chars();
    let only = characters.next()?;
    letter_index(only).filter(|_| characters.next().is_none())
}

fn is_mark(c: char) -> bool {
    c.is_whitespace() || "()[]{}*.,:;\"'`\u{120}\u{2581}\u{10a}".contains(c)
}

fn letter_index(letter: char) -> Option<usize> {
    letter.is_ascii_alphabetic().then(|| usize::from(letter.to_ascii_uppercase() as u8 - b'A'))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn token(tops: &[(&str, f64)]) -> ChatToken {
        let tops: Vec<_> = tops
            .iter()
            .map(|(token, p)| json!({ "token": token, "logprob": p.ln(), "bytes": null }))
            .collect();
        serde_json::from_value(
            json!({ "token": tops[0]["token"], "logprob": tops[0]["logprob"], "top_logprobs": tops }),
        )
        .unwrap()
    }

    fn rounded(p: Result<Vec<f64>, Unread>) -> Vec<f64> {
        p.unwrap().iter().map(|p| (p * 1000.0).round() / 1000.0).collect()
    }

    #[test]
    fn letters_count_in_every_form_and_others_do_not() {
        let one = token(&[("A", 0.3), (" A", 0.2), ("a", 0.1), ("\u{120}B", 0.2), ("C", 0.1), ("The", 0.1)]);
        assert_eq!(rounded(read(&[one], 2, "", false)), [0.75, 0.25]);
        let bytes = json!({ "token": "?", "logprob": -0.1, "bytes": null, "top_logprobs": [
            { "token": "bytes:\\x20\\x42", "bytes": [32, 66], "logprob": -0.1 } ] });
        let bytes: ChatToken = serde_json::from_value(bytes).unwrap();
        assert!(read(&[bytes], 2, "", false).unwrap()[1] > 0.9);
    }

    #[test]
    fn a_letter_under_the_limit_of_the_server_gets_no_more_than_what_is_left() {
        let five = token(&[("A", 0.9), ("B", 0.06), ("C", 0.01), ("D", 0.01), ("E", 0.01)]);
        let p = read(&[five], 7, "", false).unwrap();
        assert!(p[5] <= 0.0051 && p[6] == p[5] && (p.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{p:?}");
    }

    #[test]
    fn no_letter_and_no_probability_are_told_apart() {
        let words = token(&[("The", 0.9), ("Z", 0.05)]);
        assert_eq!(read(&[words], 3, "", false), Err(Unread::NoLetter));
        assert_eq!(read(&[], 3, "", false), Err(Unread::NoLetter));
        for logprob in [json!(null), json!(0.5), json!(1e300)] {
            let bad = json!({ "token": "A", "top_logprobs": [{ "token": "A", "logprob": logprob }] });
            let bad: ChatToken = serde_json::from_value(bad).unwrap();
            assert_eq!(read(&[bad], 3, "", false), Err(Unread::Impossible));
        }
    }

    #[test]
    fn the_answer_is_found_after_reasoning() {
        let tokens = ["<think>", "A", " or", " B", "?", "</think>", "\n\n", "B"]
            .map(|text| token(&[(text, 0.98), ("Z", 0.01)]));
        let p = read(&tokens, 2, "B", true).unwrap();
        assert!(p[1] > 0.9, "{p:?}");
        assert_eq!(after_reasoning("<think>A or B?</think>\n\nB"), "B");
        assert!(read(&tokens[..3], 2, "<think>A or", true).unwrap()[0] > 0.9);
        for (text, at) in
            [("B", Some(1)), (" (b)", Some(1)), ("**B**", Some(1)), ("Billing", None), ("C", None)]
        {
            assert_eq!(named(text, 2), at, "{text}");
        }
    }
}
