//! Relay connections: `first`, `after`, `last`, `before` into a domain page, and a slice back into edges. A cursor says which
//! list it belongs to, so that one of another list is refused, not misread.

use async_graphql::connection::PageInfo;
use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use domain::{
    Error,
    page::{Page, Take},
};
use futures_util::future::BoxFuture;

use super::error::{FieldResult, field_error};

/// Rows on a page at most.
pub(crate) const MOST: i32 = 100;
/// Rows on a page when nobody says.
const DEFAULT: i32 = 20;

/// The arguments of a connection, together.
pub(crate) struct PageArgs {
    pub(crate) first: Option<i32>,
    pub(crate) after: Option<String>,
    pub(crate) last: Option<i32>,
    pub(crate) before: Option<String>,
}

/// What a list is ordered by, as text inside a cursor.
pub(crate) trait CursorKey: Sized {
    /// Into text.
    fn write(&self) -> String;
    /// From text that it was written as.
    fn read(text: &str) -> Option<Self>;
}

impl CursorKey for i64 {
    fn write(&self) -> String {
        self.to_string()
    }

    fn read(text: &str) -> Option<Self> {
        text.parse().ok()
    }
}

impl CursorKey for String {
    fn write(&self) -> String {
        self.clone()
    }

    fn read(text: &str) -> Option<Self> {
        (text.len() <= 64 && !text.contains('\0')).then(|| text.to_owned())
    }
}

impl CursorKey for (f64, i64) {
    fn write(&self) -> String {
        format!("{:x}:{}", self.0.to_bits(), self.1)
    }

    fn read(text: &str) -> Option<Self> {
        let (first, second) = text.split_once(':')?;
        let first = f64::from_bits(u64::from_str_radix(first, 16).ok()?);
        Some((first, second.parse().ok()?)).filter(|(first, _)| first.is_finite())
    }
}

impl PageArgs {
    /// The page of `list`, which names what is listed and whose, such as `judges:acc_…`.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` for sizes out of range, both ends at once, and cursors that are not this list's.
    pub(crate) fn page<K: CursorKey>(self, list: &str) -> FieldResult<Page<K>> {
        let size = |name: &str, asked: i32| match u64::try_from(asked) {
            Ok(size) if (0..=MOST).contains(&asked) => Ok(size),
            _ => Err(field_error(Error::invalid(name, format!("must be from 0 to {MOST}")))),
        };
        let take = match (self.first, self.last) {
            (Some(_), Some(_)) => {
                return Err(field_error(Error::invalid("last", "must not be given together with first")));
            }
            (None, Some(last)) => Take::Last(size("last", last)?),
            (first, None) => Take::First(size("first", first.unwrap_or(DEFAULT))?),
        };
        let key = |name: &str, cursor: Option<String>| {
            cursor.map(|cursor| {
                open(list, &cursor)
                    .ok_or_else(|| field_error(Error::invalid(name, "is not a cursor of this list")))
            })
        };
        Ok(Page {
            after: key("after", self.after).transpose()?,
            before: key("before", self.before).transpose()?,
            take,
        })
    }
}

/// What a connection costs: its fields as often as rows were asked for. Each field that takes `first` and `last` has the
/// attribute `#[graphql(complexity = "cost(first, last, child_complexity)")]` with this function in scope.
pub(crate) fn cost(first: Option<i32>, last: Option<i32>, each: usize) -> usize {
    let rows = first.or(last).unwrap_or(DEFAULT).clamp(1, MOST);
    each.saturating_mul(usize::try_from(rows).unwrap_or(1)).saturating_add(1)
}

/// A row's cursor in `list`.
pub(crate) fn cursor(list: &str, key: &impl CursorKey) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(format!("{list}\n{}", key.write()))
}

fn open<K: CursorKey>(list: &str, cursor: &str) -> Option<K> {
    let text = String::from_utf8(BASE64_URL_SAFE_NO_PAD.decode(cursor).ok()?).ok()?;
    let (of, key) = text.split_once('\n')?;
    if of == list { K::read(key) } else { None }
}

/// Where a page lies in its list.
pub(crate) fn page_info<E>(edges: &[E], cursor: impl Fn(&E) -> String, ends: (bool, bool)) -> PageInfo {
    PageInfo {
        has_previous_page: ends.0,
        has_next_page: ends.1,
        start_cursor: edges.first().map(&cursor),
        end_cursor: edges.last().map(&cursor),
    }
}

/// Counts a list, when somebody asks how long it is.
pub(crate) type Count = Box<dyn Fn() -> BoxFuture<'static, domain::Result<u64>> + Send + Sync>;

/// Makes a Relay connection and its edge for one type of node. The documents are the SDL's descriptions.
macro_rules! connection {
    (
        $(#[$($connection_doc:tt)*])* $connection:ident;
        $(#[$($edge_doc:tt)*])* $edge:ident of $node:ty
    ) => {
        $(#[$($edge_doc)*])*
        #[derive(async_graphql::SimpleObject)]
        pub(crate) struct $edge {
            /// The row.
            node: $node,
            /// Its place in the list, for `after` and `before`.
            cursor: String,
        }

        $(#[$($connection_doc)*])*
        pub(crate) struct $connection {
            edges: Vec<$edge>,
            ends: (bool, bool),
            count: $crate::graphql::pagination::Count,
        }

        impl $connection {
            /// A slice of `list`, with a key for each row.
            pub(crate) fn new<T, K: $crate::graphql::pagination::CursorKey>(
                list: &str,
                slice: domain::page::Slice<T>,
                key: impl Fn(&T) -> K,
                node: impl Fn(T) -> $node,
                count: $crate::graphql::pagination::Count,
            ) -> Self {
                let ends = (slice.has_previous, slice.has_next);
                let edge = |row: T| $edge { cursor: $crate::graphql::pagination::cursor(list, &key(&row)), node: node(row) };
                Self { edges: slice.items.into_iter().map(edge).collect(), ends, count }
            }
        }

        $(#[$($connection_doc)*])*
        #[async_graphql::Object]
        impl $connection {
            /// The rows of this page with their cursors.
            async fn edges(&self) -> &[$edge] {
                &self.edges
            }

            /// The rows of this page.
            async fn nodes(&self) -> Vec<&$node> {
                self.edges.iter().map(|edge| &edge.node).collect()
            }

            /// Where this page lies in the list.
            async fn page_info(&self) -> async_graphql::connection::PageInfo {
                $crate::graphql::pagination::page_info(&self.edges, |edge| edge.cursor.clone(), self.ends)
            }

            /// How many rows the list has in all, with the filter and whatever the page. Counted only when asked for.
            async fn total_count(&self) -> $crate::graphql::error::FieldResult<u64> {
                (self.count)().await.map_err($crate::graphql::error::field_error)
            }
        }
    };
}

pub(crate) use connection;

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(first: Option<i32>, after: Option<&str>) -> PageArgs {
        PageArgs { first, after: after.map(str::to_owned), last: None, before: None }
    }

    #[test]
    fn a_cursor_opens_in_its_own_list_alone() {
        let cursor = cursor("samples:judge_1", &42i64);
        let page: Page<i64> = asked(None, Some(&cursor)).page("samples:judge_1").unwrap();
        assert_eq!((page.after, page.take), (Some(42), Take::First(20)));
        assert!(asked(None, Some(&cursor)).page::<i64>("samples:judge_2").is_err());
        for broken in ["", "x", "!!", &cursor[1..]] {
            assert!(asked(None, Some(broken)).page::<i64>("samples:judge_1").is_err(), "{broken}");
        }
    }

    #[test]
    fn pages_have_a_largest_size() {
        for (size, fits) in [(-1, false), (0, true), (MOST, true), (MOST + 1, false), (10_000, false)] {
            assert_eq!(asked(Some(size), None).page::<i64>("l").is_ok(), fits, "{size}");
        }
    }

    #[test]
    fn a_list_costs_what_its_rows_cost() {
        assert_eq!(cost(None, None, 3), 61);
        assert_eq!(cost(Some(50), None, 3), 151);
        assert_eq!(cost(None, Some(2), 3), 7);
        assert_eq!(cost(Some(-5), None, 3), 4);
        assert_eq!(cost(Some(i32::MAX), None, usize::MAX), usize::MAX);
    }

    #[test]
    fn keys_come_back_as_they_were() {
        let key = (0.1f64 + 0.2, -5i64);
        assert_eq!(<(f64, i64)>::read(&key.write()), Some(key));
        assert_eq!(<(f64, i64)>::read("7ff8000000000000:1"), None);
    }
}
