//! Looking for a piece of text in a column, whatever the case.

use sea_orm::{
    Condition,
    sea_query::{Expr, ExprTrait, Func, IntoColumnRef, LikeExpr},
};

/// Whether `text` occurs in a column. Databases there are that know the case of A to Z alone, SQLite among them: with these,
/// other letters are found as they are given, and when they are all capitals or none is.
pub(crate) fn occurs(column: impl IntoColumnRef, text: &str) -> Condition {
    // No text that is stored has one, and PostgreSQL could not be asked for it.
    let text = text.replace('\0', "");
    let lowered = Expr::expr(Func::lower(Expr::col(column)));
    let mut spellings =
        vec![text.to_lowercase(), text.to_ascii_lowercase(), text.to_uppercase().to_ascii_lowercase()];
    spellings.dedup();
    spellings.into_iter().fold(Condition::any(), |any, spelling| {
        let escaped = spelling.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
        any.add(lowered.clone().like(LikeExpr::new(format!("%{escaped}%")).escape('\\')))
    })
}
