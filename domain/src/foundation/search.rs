//! Case-insensitive substring search in a column.

use sea_orm::{
    Condition,
    sea_query::{Expr, ExprTrait, Func, IntoColumnRef, LikeExpr},
};

/// The condition that `text` occurs in a column. Some databases, such as SQLite, fold the case of only A to Z: there,
/// other letters match as given, in all capitals, or in all lower case.
pub(crate) fn occurs(column: impl IntoColumnRef, text: &str) -> Condition {
    // No stored text contains NUL, and PostgreSQL rejects it.
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
