//! The texts of the questions that stand for properties.

use super::node::Node;

/// The text of a question: its description, a title that says more than the name, or the name in words.
pub(super) fn question(node: &Node<'_>, key: &str) -> String {
    let name = key.rsplit('.').next().unwrap_or(key);
    let title = node.title.filter(|title| !is_same(title, name));
    node.description.or(title).map_or_else(|| in_words(key), |text| text.trim().to_owned())
}

/// The text of the question whether one of several values applies.
pub(super) fn selects(question: &str, value: &str) -> String {
    match question.ends_with(['.', '?', '!', ':']) {
        true => format!("{question} Does \"{value}\" apply?"),
        false => format!("{question}: does \"{value}\" apply?"),
    }
}

/// Whether a text is made of a name's letters and digits, as the titles are that programs generate.
fn is_same(text: &str, name: &str) -> bool {
    let text = text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase);
    let name = name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase);
    text.eq(name)
}

/// A key in words: `order.isPaid` is "order is paid".
fn in_words(key: &str) -> String {
    let mut words = String::with_capacity(key.len() + 4);
    let mut after_lowercase = false;
    let mut rest = key.chars().peekable();
    while let Some(c) = rest.next() {
        if after_lowercase && c.is_uppercase() {
            words.push(' ');
        }
        match c {
            '_' | '-' | '.' => words.push(' '),
            c if after_lowercase && rest.peek().is_some_and(|next| next.is_lowercase()) => {
                words.extend(c.to_lowercase());
            }
            c => words.push(c),
        }
        after_lowercase = c.is_lowercase();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_words() {
        for (key, words) in [
            ("is_urgent", "is urgent"),
            ("order.isPaid", "order is paid"),
            ("wait-time", "wait time"),
            ("VIP", "VIP"),
            ("isVIP", "is VIP"),
        ] {
            assert_eq!(in_words(key), words);
        }
        assert!(is_same("Is Urgent", "is_urgent") && is_same("Isurgent", "isUrgent"));
        assert!(!is_same("How urgent is it?", "urgent"));
        assert_eq!(selects("Topics", "a"), "Topics: does \"a\" apply?");
        assert_eq!(selects("Which topics?", "a"), "Which topics? Does \"a\" apply?");
    }
}
