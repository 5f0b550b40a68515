//! Pagination by key instead of by offset: a page stays the same while rows are added and removed.

use sea_orm::{
    ConnectionTrait, EntityTrait, FromQueryResult, IntoIdentity, Select, sea_query::IntoValueTuple,
};

use crate::Result;

/// A page: the keys that bound it, and how many rows to take from which end.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Page<K> {
    /// Only rows after this key in the list's order.
    pub after: Option<K>,
    /// Only rows before this key in the list's order.
    pub before: Option<K>,
    pub take: Take,
}

/// The end to take rows from, and the maximum number of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Take {
    First(u64),
    /// The last rows, still in the list's order.
    Last(u64),
}

/// A page of rows, in the list's order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slice<T> {
    pub items: Vec<T>,
    /// Whether there are rows before the page.
    pub has_previous: bool,
    /// Whether there are rows after the page.
    pub has_next: bool,
}

impl<K> Page<K> {
    /// Trims rows in the list's order, with one extra row if there are more, to the page.
    pub(crate) fn cut<T>(&self, items: Vec<T>) -> Slice<T> {
        Bounds { after: self.after.is_some(), before: self.before.is_some() }.trim(items, self.take)
    }
}

/// Whether a page is bounded on each side.
struct Bounds {
    after: bool,
    before: bool,
}

impl<T> Slice<T> {
    /// Maps each row, until one fails.
    pub(crate) fn try_map<U>(self, with: impl FnMut(T) -> Result<U>) -> Result<Slice<U>> {
        let items = self.items.into_iter().map(with).collect::<Result<_>>()?;
        Ok(Slice { items, has_previous: self.has_previous, has_next: self.has_next })
    }

    /// Maps each row.
    pub fn map<U>(self, with: impl FnMut(T) -> U) -> Slice<U> {
        let items = self.items.into_iter().map(with).collect();
        Slice { items, has_previous: self.has_previous, has_next: self.has_next }
    }
}

/// Reads a page of `query` in the order of `columns`, which must be unique together; `newest_first` reverses it.
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
    let bounds = Bounds { after: page.after.is_some(), before: page.before.is_some() };
    if newest_first {
        cursor.desc();
    }
    if let Some(key) = page.after {
        cursor.after(key);
    }
    if let Some(key) = page.before {
        cursor.before(key);
    }
    // One extra row shows whether there are more.
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
    Ok(bounds.trim(items, page.take))
}

impl Bounds {
    /// Removes the extra row that shows whether there are more.
    fn trim<T>(self, mut items: Vec<T>, take: Take) -> Slice<T> {
        match take {
            Take::First(n) => {
                let more = items.len() as u64 > n;
                items.truncate(usize::try_from(n).unwrap_or(usize::MAX));
                Slice { items, has_previous: self.after, has_next: more }
            }
            Take::Last(n) => {
                let more = items.len() as u64 > n;
                if more {
                    items.remove(0);
                }
                Slice { items, has_previous: more, has_next: self.before }
            }
        }
    }
}
