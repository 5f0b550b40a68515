//! Pages of lists, by key and not by offset: a page stays what it is while rows come and go.

use sea_orm::{
    ConnectionTrait, EntityTrait, FromQueryResult, IntoIdentity, Select, sea_query::IntoValueTuple,
};

use crate::Result;

/// What part of a list: after one key, before another, and how many from which end.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Page<K> {
    /// Only what comes after it in the list's order.
    pub after: Option<K>,
    /// Only what comes before it in the list's order.
    pub before: Option<K>,
    /// How many.
    pub take: Take,
}

/// From which end of what is left, and how many at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Take {
    /// The first ones.
    First(u64),
    /// The last ones, still in the list's order.
    Last(u64),
}

/// A part of a list, in its order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slice<T> {
    /// The rows.
    pub items: Vec<T>,
    /// Whether there are some before them.
    pub has_previous: bool,
    /// Whether there are some after them.
    pub has_next: bool,
}

impl<K> Page<K> {
    /// The page, of its rows in the list's order and one more beyond them when there is one.
    pub(crate) fn cut<T>(&self, items: Vec<T>) -> Slice<T> {
        trim_page(items, self.take, (self.after.is_some(), self.before.is_some()))
    }
}

impl<T> Slice<T> {
    /// Each row made into something else.
    pub fn map<U>(self, with: impl FnMut(T) -> U) -> Slice<U> {
        let items = self.items.into_iter().map(with).collect();
        Slice { items, has_previous: self.has_previous, has_next: self.has_next }
    }
}

/// Reads a page of `query` in the order of `columns`, which must be unique together; `newest_first` turns it round.
pub(crate) async fn slice<E, M, O, K>(
    query: Select<E>,
    columns: O,
    newest_first: bool,
    page: Page<K>,
    db: &impl ConnectionTrait,
) -> Result<Slice<M>>
where
    E: EntityTrait<Model = M>,
    M: FromQueryResult + Sized + Send + Sync,
    O: IntoIdentity,
    K: IntoValueTuple,
{
    let mut cursor = query.cursor_by(columns);
    let (bounded_before, bounded_after) = (page.before.is_some(), page.after.is_some());
    if newest_first {
        cursor.desc();
    }
    if let Some(key) = page.after {
        cursor.after(key);
    }
    if let Some(key) = page.before {
        cursor.before(key);
    }
    // One more than is asked for tells whether there are more.
    let (limit, from_start) = match page.take {
        Take::First(n) => (n, true),
        Take::Last(n) => (n, false),
    };
    if from_start {
        cursor.first(limit + 1)
    } else {
        cursor.last(limit + 1)
    };
    let items = cursor.all(db).await?;
    Ok(trim_page(items, page.take, (bounded_after, bounded_before)))
}

/// Takes away the one more that was read, which tells whether there are others beyond the page.
fn trim_page<T>(mut items: Vec<T>, take: Take, (bounded_after, bounded_before): (bool, bool)) -> Slice<T> {
    match take {
        Take::First(n) => {
            let more = items.len() as u64 > n;
            items.truncate(usize::try_from(n).unwrap_or(usize::MAX));
            Slice { items, has_previous: bounded_after, has_next: more }
        }
        Take::Last(n) => {
            let more = items.len() as u64 > n;
            if more {
                items.remove(0);
            }
            Slice { items, has_previous: more, has_next: bounded_before }
        }
    }
}
