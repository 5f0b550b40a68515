//! Case-insensitive substring search in a column.

use sea_orm::{
    Condition, DbBackend,
    sea_query::{BinOper, Expr, ExprTrait, IntoColumnRef},
};

use super::database::Database;

/// What has a meaning of its own in a regular expression.
const SPECIAL: &str = r"\.+*?()|[]{}^$";

/// The condition that `text` occurs in a column, in upper or lower case. It is a regular expression with both cases of
/// each letter: which letters the databases' own functions fold depends on the database and its locale.
pub(crate) fn occurs(db: &Database, column: impl IntoColumnRef, text: &str) -> Condition {
    let matches = match db.read().get_database_backend() {
        DbBackend::Sqlite => BinOper::Custom("REGEXP"),
        _ => BinOper::Custom("~"),
    };
    Condition::any().add(Expr::col(column).binary(matches, pattern(text)))
}

/// A regular expression for a text, which PostgreSQL and the crate `regex` read alike.
fn pattern(text: &str) -> String {
    without_nul(text).chars().map(in_any_case).collect()
}

/// A text without NUL, which no stored text contains and PostgreSQL rejects.
pub(crate) fn without_nul(text: &str) -> String {
    text.replace('\0', "")
}

fn in_any_case(char: char) -> String {
    if SPECIAL.contains(char) {
        return format!("\\{char}");
    }
    let mut cases = vec![char];
    // Upper case last, and then lower case again: `ς` is also written `σ`.
    for other in [lower(char), upper(char), lower(upper(char))] {
        if !cases.contains(&other) {
            cases.push(other);
        }
    }
    match cases.as_slice() {
        [one] => one.to_string(),
        several => format!("[{}]", several.iter().collect::<String>()),
    }
}

/// The lower case of a letter, if it is one letter.
fn lower(char: char) -> char {
    let mut lower = char.to_lowercase();
    lower.next().filter(|_| lower.next().is_none()).unwrap_or(char)
}

/// The upper case of a letter, if it is one letter.
fn upper(char: char) -> char {
    let mut upper = char.to_uppercase();
    upper.next().filter(|_| upper.next().is_none()).unwrap_or(char)
}

#[cfg(test)]
mod tests {
    use super::pattern;

    #[test]
    fn a_pattern_has_both_cases_of_each_letter_and_nothing_special() {
        for (text, expected) in [
            ("Ця ж", "[Цц][яЯ] [жЖ]"),
            ("1+1=2?", r"1\+1=2\?"),
            ("[a]", r"\[[aA]\]"),
            ("a\0b", "[aA][bB]"),
            ("ς", "[ςΣσ]"),
            ("ß字", "ß字"),
        ] {
            assert_eq!(pattern(text), expected);
        }
    }
}
