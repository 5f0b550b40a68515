//! The orders of lists of samples.

use entity::sample;
use sea_orm::sea_query::Expr;

/// The order of a list of samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SampleOrder {
    /// By `seq`, descending.
    #[default]
    NewestFirst,
    /// By `seq`, ascending.
    OldestFirst,
    /// By certainty, ascending; samples without a certainty come last.
    LeastCertainFirst,
    /// By the threat score of a verdict, descending; other samples must be left out by a [`ModerationFilter`](super::ModerationFilter).
    MostSevereFirst,
}

/// The position of a sample in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SamplePosition {
    /// The bits of the number that the list is ordered by, which is not negative; 0 in an order by time.
    pub rank: u64,
    pub seq: i64,
}

impl SampleOrder {
    pub(super) fn is_ascending(self) -> bool {
        matches!(self, Self::OldestFirst | Self::LeastCertainFirst)
    }

    /// The number that samples are ordered by before their `seq`, in the expression of an index.
    pub(super) fn rank(self) -> Option<Expr> {
        match self {
            Self::NewestFirst | Self::OldestFirst => None,
            Self::LeastCertainFirst => Some(certainty()),
            Self::MostSevereFirst => Some(Expr::col((sample::Entity, sample::Column::ThreatScore))),
        }
    }
}

/// The certainty that samples are ordered by, in the expression of the index.
pub(super) fn certainty() -> Expr {
    Expr::cust(r#"COALESCE("sample"."certainty", 2.0)"#)
}
