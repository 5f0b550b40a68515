//! The bytes that a sample takes: those of its state, its instructions, its answers, and the history of its ground
//! truths.

use entity::{label, sample, sample_answer};
use sea_orm::{
    ColumnTrait, Condition,
    sea_query::{Alias, Expr, ExprTrait, Func, Query},
};

/// The bytes that a sample is counted with besides its content, for its other columns and its indexes.
pub(super) const ROW_BYTES: i64 = 512;

/// The bytes that a change of a ground truth is counted with besides its note.
const CHANGE_BYTES: i64 = 256;

/// The bytes of a history of `changes`, each with the same note.
pub(crate) fn history_bytes(changes: usize, note: Option<&str>) -> i64 {
    let each = CHANGE_BYTES.saturating_add_unsigned(note.map_or(0, str::len) as u64);
    each.saturating_mul(i64::try_from(changes).unwrap_or(i64::MAX))
}

/// The SQL expression for the bytes of a row of `sample`, without its answers. Both databases know the length of a text
/// without reading it.
pub(crate) fn own_bytes() -> Expr {
    use sample::Column;
    let texts = length(Column::Instructions.into_expr()).add(length(Column::Verdict.into_expr()));
    let own = length(Column::State.into_expr()).add(texts);
    own.add(ROW_BYTES).cast_as(Alias::new("BIGINT"))
}

/// [`own_bytes`] with those of the history, and of the answers that meet `answers`.
pub(crate) fn stored_bytes(answers: Condition) -> Expr {
    use sample_answer::Column;
    let content = length(Column::Answer.into_expr()).add(length(Column::Probabilities.into_expr()));
    let mut of_answers = Query::select();
    of_answers.expr(Func::sum(content)).from(sample_answer::Entity).cond_where(
        Condition::all()
            .add(
                Expr::col((sample_answer::Entity, Column::SampleSeq))
                    .equals((sample::Entity, sample::Column::Seq)),
            )
            .add(answers),
    );
    let of_answers = or_zero(Expr::SubQuery(None, Box::new(of_answers.into())));
    let mut history = Query::select();
    history
        .expr(Func::sum(length(label::Column::Note.into_expr()).add(CHANGE_BYTES)))
        .from(label::Entity)
        .and_where(
            Expr::col((label::Entity, label::Column::SampleSeq))
                .equals((sample::Entity, sample::Column::Seq)),
        );
    let history = or_zero(Expr::SubQuery(None, Box::new(history.into())));
    own_bytes().add(of_answers).add(history).cast_as(Alias::new("BIGINT"))
}

fn length(column: Expr) -> Expr {
    or_zero(Func::cust("octet_length").arg(column).into())
}

fn or_zero(number: Expr) -> Expr {
    Func::coalesce([number, 0.into()]).into()
}
