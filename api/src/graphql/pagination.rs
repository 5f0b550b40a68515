//! Pages of lists as Relay connections: `first`, `after`, `last` and `before` into a page of the domain's, and a slice
//! back into a connection. A cursor names its list, so that one of another list is refused, not misread.
//!
//! The types are those of `async_graphql::connection`. Its function `query` is not used: it knows neither a largest
//! page nor the list of a cursor, and its errors have no code.

use std::sync::Arc;

use async_graphql::{
    Object, OutputType,
    connection::{Connection, CursorType, Edge},
};
use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use domain::{
    Error,
    foundation::page::{Page, Slice, Take},
};
use futures_util::future::BoxFuture;

use super::error::{FieldResult, field_error};

/// Rows that a page may have.
pub(crate) const MAX_PAGE_SIZE: i32 = 100;
/// Rows of a page when neither `first` nor `last` is given.
const DEFAULT_PAGE_SIZE: i32 = 20;

/// A page of a list of `Node`s, with the list's length.
pub(crate) type ListConnection<Node> = Connection<ListCursor, Node, TotalCount>;

/// The arguments of a connection.
pub(crate) struct PageArgs {
    pub(crate) first: Option<i32>,
    pub(crate) after: Option<String>,
    pub(crate) last: Option<i32>,
    pub(crate) before: Option<String>,
}

/// A key that a list is ordered by, as the text in a cursor.
pub(crate) trait CursorKey: Sized {
    fn encode(&self) -> String;
    /// `None` for a text that is not an encoded key.
    fn decode(text: &str) -> Option<Self>;
}

impl CursorKey for i64 {
    fn encode(&self) -> String {
        self.to_string()
    }

    fn decode(text: &str) -> Option<Self> {
        text.parse().ok()
    }
}

impl CursorKey for String {
    fn encode(&self) -> String {
        self.clone()
    }

    fn decode(text: &str) -> Option<Self> {
        (text.len() <= 64 && !text.contains('\0')).then(|| text.to_owned())
    }
}

impl PageArgs {
    /// The page of `list`, a name of what is listed and whose, such as `judges:acc_…`.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` for sizes out of range, for `first` together with `last`, and for cursors of other lists.
    pub(crate) fn page<K: CursorKey>(self, list: &str) -> FieldResult<Page<K>> {
        let take = match (self.first, self.last) {
            (Some(_), Some(_)) => {
                return Err(field_error(Error::invalid("last", "must not be given together with first")));
            }
            (None, Some(last)) => Take::Last(page_size("last", last)?),
            (first, None) => Take::First(page_size("first", first.unwrap_or(DEFAULT_PAGE_SIZE))?),
        };
        let after = cursor_key(list, "after", self.after.as_deref())?;
        let before = cursor_key(list, "before", self.before.as_deref())?;
        Ok(Page { after, before, take })
    }
}

fn page_size(name: &str, size: i32) -> FieldResult<u64> {
    match u64::try_from(size) {
        Ok(rows) if size <= MAX_PAGE_SIZE => Ok(rows),
        _ => Err(field_error(Error::invalid(name, format!("must be from 0 to {MAX_PAGE_SIZE}")))),
    }
}

fn cursor_key<K: CursorKey>(list: &str, name: &str, cursor: Option<&str>) -> FieldResult<Option<K>> {
    let Some(cursor) = cursor else { return Ok(None) };
    match ListCursor::key_in(list, cursor) {
        Some(key) => Ok(Some(key)),
        None => Err(field_error(Error::invalid(name, "is not a cursor of this list"))),
    }
}

/// The complexity of a connection: that of a row, times the number of rows asked for. Each field that takes `first` and
/// `last` has the attribute `#[graphql(complexity = "cost(first, last, child_complexity)")]`, with this function in
/// scope.
pub(crate) fn cost(first: Option<i32>, last: Option<i32>, each: usize) -> usize {
    let rows = first.or(last).unwrap_or(DEFAULT_PAGE_SIZE).clamp(1, MAX_PAGE_SIZE);
    each.saturating_mul(usize::try_from(rows).unwrap_or(1)).saturating_add(1)
}

/// A row's place in a list: the list's name and the row's key.
pub(crate) struct ListCursor {
    list: Arc<str>,
    key: String,
}

impl ListCursor {
    /// The key in a cursor of `list`; none in a cursor of another list.
    fn key_in<K: CursorKey>(list: &str, cursor: &str) -> Option<K> {
        let cursor = Self::decode_cursor(cursor).ok()?;
        if *cursor.list == *list { K::decode(&cursor.key) } else { None }
    }
}

impl CursorType for ListCursor {
    type Error = &'static str;

    fn decode_cursor(cursor: &str) -> Result<Self, Self::Error> {
        let text = BASE64_URL_SAFE_NO_PAD.decode(cursor).ok().and_then(|bytes| String::from_utf8(bytes).ok());
        let (list, key) = text.as_deref().and_then(|text| text.split_once('\n')).ok_or("is not a cursor")?;
        Ok(Self { list: list.into(), key: key.to_owned() })
    }

    fn encode_cursor(&self) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(format!("{}\n{}", self.list, self.key))
    }
}

/// Counts the rows of a list.
pub(crate) type Count = Box<dyn Fn() -> BoxFuture<'static, domain::Result<u64>> + Send + Sync>;

/// Counts with `count`, which gets a clone of `of`.
pub(crate) fn count_of<T, F>(of: T, count: impl Fn(T) -> F + Send + Sync + 'static) -> Count
where
    T: Clone + Send + Sync + 'static,
    F: Future<Output = domain::Result<u64>> + Send + 'static,
{
    Box::new(move || Box::pin(count(of.clone())))
}

/// The field `totalCount` of connections.
pub(crate) struct TotalCount(Count);

#[Object]
impl TotalCount {
    /// The number of rows in the list, with its filter and on all pages. Counted only if it is selected.
    async fn total_count(&self) -> FieldResult<u64> {
        (self.0)().await.map_err(field_error)
    }
}

/// The connection of a slice of `list`.
pub(crate) fn connection<T, K: CursorKey, N: OutputType>(
    list: &str,
    slice: Slice<T>,
    key: impl Fn(&T) -> K,
    node: impl Fn(T) -> N,
    count: Count,
) -> ListConnection<N> {
    let list: Arc<str> = list.into();
    let total = TotalCount(count);
    let mut connection = Connection::with_additional_fields(slice.has_previous, slice.has_next, total);
    connection.edges = slice
        .items
        .into_iter()
        .map(|row| Edge::new(ListCursor { list: list.clone(), key: key(&row).encode() }, node(row)))
        .collect();
    connection
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(first: Option<i32>, after: Option<&str>) -> PageArgs {
        PageArgs { first, after: after.map(str::to_owned), last: None, before: None }
    }

    #[test]
    fn a_cursor_is_valid_only_in_its_own_list() {
        let cursor = ListCursor { list: "samples:judge_1".into(), key: 42i64.encode() }.encode_cursor();
        let page: Page<i64> = args(None, Some(&cursor)).page("samples:judge_1").unwrap();
        assert_eq!((page.after, page.take), (Some(42), Take::First(20)));
        assert!(args(None, Some(&cursor)).page::<i64>("samples:judge_2").is_err());
        for broken in ["", "x", "!!", &cursor[1..]] {
            assert!(args(None, Some(broken)).page::<i64>("samples:judge_1").is_err(), "{broken}");
        }
    }

    #[test]
    fn pages_have_a_largest_size() {
        let most = MAX_PAGE_SIZE;
        for (size, fits) in [(-1, false), (0, true), (most, true), (most + 1, false), (10_000, false)] {
            assert_eq!(args(Some(size), None).page::<i64>("l").is_ok(), fits, "{size}");
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
}
