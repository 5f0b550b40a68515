//! Reads an uploaded batch item by item, validates each as its endpoint would, and packs them into chunks. Never holds
//! more than a chunk.

use std::{
    cell::Cell,
    collections::HashSet,
    io::{self, BufRead, BufReader, Read},
};

use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::{
    item::{Item, ItemCounts},
    metadata::metadata_of,
    openai_lines,
};
use crate::{
    Code, Detail, Error, Result,
    foundation::lines::{Lines, Numbered, without_byte_order_mark},
    foundation::long_numbers::keep_digits,
    foundation::wrong_shape::in_json_words,
};

/// Maximum weight of a chunk. An inference or a picture counts as [`SLOW_WEIGHT`] texts, and an answer of a server as
/// [`SERVER_WEIGHT`] more, so that a chunk takes minutes at most and its batch shows progress.
const CHUNK_WEIGHT: usize = 500;
const SLOW_WEIGHT: usize = 10;
const SERVER_WEIGHT: usize = 25;
/// Bytes of items after which a chunk is closed.
const CHUNK_BYTES: usize = 1024 * 1024;
/// Maximum bytes of an item.
const MAX_ITEM_BYTES: usize = 1024 * 1024;
/// Errors that are listed; the rest are only counted.
const LISTED_ERRORS: usize = 100;
/// Characters of each listed name and message.
const MAX_TEXT_CHARS: usize = 2_000;
/// What `items` must be.
const AN_ARRAY_OF_ITEMS: &str = "an array of items";

/// The format of an uploaded batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One item per line.
    Jsonl,
    /// `{"items": [..], "metadata": {..}}`.
    Json,
}

/// Items that are run together.
#[derive(Debug, Default)]
pub(super) struct NewChunk {
    /// JSON Lines.
    pub(super) items: String,
    pub(super) total: usize,
    /// Bytes of the items' names in JSON.
    pub(super) id_bytes: usize,
    weight: usize,
}

/// What was uploaded.
#[derive(Debug, Default)]
pub(super) struct Uploaded {
    pub(super) counts: ItemCounts,
    pub(super) bytes: usize,
    pub(super) metadata: Map<String, Value>,
}

/// Reads a batch of at most `max_items`. `check` validates an item and says what is charged for it; `sink` takes
/// chunks.
///
/// # Errors
/// `VALIDATION_FAILED` with the problems by line; `MALFORMED_BODY`; the error of the reader, of `sink`, and of `check`
/// when it is about more than the item.
pub(super) fn read(
    from: impl Read,
    format: Format,
    max_items: usize,
    check: impl FnMut(&Item) -> Result<ItemCounts>,
    sink: impl FnMut(NewChunk) -> Result<()>,
) -> Result<Uploaded> {
    let mut reading = Reading {
        check,
        sink,
        max_items,
        format,
        ids: HashSet::new(),
        chunk: NewChunk::default(),
        uploaded: Uploaded::default(),
        count: 0,
        listed: Vec::new(),
        errors: 0,
    };
    match format {
        Format::Jsonl => reading.lines(BufReader::new(from))?,
        Format::Json => reading.document(BufReader::new(from))?,
    }
    reading.finish()
}

struct Reading<C, S> {
    check: C,
    sink: S,
    max_items: usize,
    format: Format,
    ids: HashSet<String>,
    chunk: NewChunk,
    uploaded: Uploaded,
    count: usize,
    listed: Vec<Detail>,
    errors: usize,
}

impl<C, S> Reading<C, S>
where
    C: FnMut(&Item) -> Result<ItemCounts>,
    S: FnMut(NewChunk) -> Result<()>,
{
    fn lines(&mut self, from: impl BufRead) -> Result<()> {
        let mut lines = Lines::new(from).map_err(read_error)?;
        while let Some(Numbered { line, content }) = lines.line().map_err(read_error)? {
            match content {
                Ok(content) => match serde_json::from_slice(&keep_digits(&content)) {
                    Ok(value) => self.add(line, value)?,
                    Err(error) => {
                        let error = error.to_string().replace(" at line 1 column ", " at column ");
                        self.problem(line, "", format!("is not JSON: {error}"));
                        self.count += 1;
                    }
                },
                Err(error) => {
                    self.problem(line, "", error.message());
                    self.count += 1;
                }
            }
            if self.is_full(line) {
                return Ok(());
            }
        }
        Ok(())
    }

    fn document(&mut self, from: impl BufRead) -> Result<()> {
        let size = Cell::new(0);
        let from = without_byte_order_mark(from).map_err(read_error)?;
        let reader = BoundedItems { from, size: &size };
        let mut json = serde_json::Deserializer::from_reader(reader);
        let failure = Cell::new(None);
        let read = Document { reading: self, size: &size, failure: &failure }
            .deserialize(&mut json)
            .and_then(|()| json.end());
        if let Some(error) = failure.take() {
            return Err(error);
        }
        read.map_err(|error| match error.classify() {
            serde_json::error::Category::Io => read_error(error.into()),
            serde_json::error::Category::Data => shape_error(&error.to_string()),
            _ => Error::new(Code::MalformedBody, format!("the body is not JSON: {error}")),
        })
    }

    /// Adds an item; `place` is its line, or its number among the items.
    fn add(&mut self, place: usize, value: Value) -> Result<()> {
        self.count += 1;
        let item = match Item::parse(value) {
            Ok(item) => item,
            Err(problems) => {
                problems.into_iter().for_each(|one| self.problem(place, &one.field, one.message));
                return Ok(());
            }
        };
        if !self.ids.insert(item.custom_id.clone()) {
            self.problem(place, "custom_id", "is that of an earlier item; each must have its own".to_owned());
        }
        match (self.check)(&item) {
            Ok(counts) if self.errors == 0 => self.pack(&item.holding(&counts), counts),
            Ok(_) => Ok(()),
            Err(error) if is_about_item(&error) => {
                if error.details.is_empty() {
                    self.problem(place, "", error.message);
                }
                error.details.into_iter().for_each(|one| self.problem(place, &one.field, one.message));
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    fn pack(&mut self, item: &Item, counts: ItemCounts) -> Result<()> {
        self.uploaded.counts.add(counts);
        let slow = SLOW_WEIGHT * (counts.pictures + counts.inferences);
        let weight = counts.texts + slow + SERVER_WEIGHT * counts.slow;
        let line = serde_json::to_string(item).map_err(Error::internal)?;
        self.uploaded.bytes += line.len() + 1;
        self.chunk.items.push_str(&line);
        self.chunk.items.push('\n');
        self.chunk.total += 1;
        self.chunk.id_bytes += openai_lines::id_bytes(&item.custom_id);
        self.chunk.weight += weight;
        if self.chunk.weight >= CHUNK_WEIGHT || self.chunk.items.len() >= CHUNK_BYTES {
            (self.sink)(std::mem::take(&mut self.chunk))?;
        }
        Ok(())
    }

    /// Whether nothing more is read: the batch has too many items.
    fn is_full(&mut self, place: usize) -> bool {
        let full = self.count > self.max_items;
        if full {
            let message = format!("is one too many: a batch may have at most {} items", self.max_items);
            self.problem(place, "", message);
        }
        full
    }

    fn problem(&mut self, place: usize, field: &str, message: String) {
        self.errors += 1;
        if self.listed.len() >= LISTED_ERRORS {
            return;
        }
        let field = match (self.format, field) {
            (Format::Jsonl, "") => format!("line {place}"),
            (Format::Jsonl, field) => format!("line {place}: {field}"),
            (Format::Json, "") => format!("items[{place}]"),
            (Format::Json, field) => format!("items[{place}].{field}"),
        };
        self.listed.push(Detail { field: truncate(field), message: truncate(message) });
    }

    fn finish(mut self) -> Result<Uploaded> {
        if self.count == 0 {
            return Err(Error::invalid("items", "must have at least one item"));
        }
        if self.errors == 0 {
            if self.chunk.total > 0 {
                (self.sink)(std::mem::take(&mut self.chunk))?;
            }
            return Ok(self.uploaded);
        }
        if self.errors > self.listed.len() {
            let message = format!("has {} errors; the first {LISTED_ERRORS} are listed", self.errors);
            self.listed.push(Detail { field: "the batch".to_owned(), message });
        }
        let errors = if self.errors == 1 { "an error".to_owned() } else { format!("{} errors", self.errors) };
        let message = format!("the batch has {errors}; nothing was submitted");
        Err(Error { details: self.listed, ..Error::new(Code::ValidationFailed, message) })
    }
}

/// Whether an error of the check is about the item and not about the whole batch.
fn is_about_item(error: &Error) -> bool {
    matches!(error.code, Code::ValidationFailed | Code::NotFound | Code::InvalidImage | Code::PayloadTooLarge)
}

/// Maps an I/O error: the reader's own [`Error`], or a body that ended early.
fn read_error(error: io::Error) -> Error {
    match error.downcast::<Error>() {
        Ok(error) => error,
        Err(_) => Error::new(Code::MalformedBody, "the body did not arrive whole"),
    }
}

fn truncate(words: String) -> String {
    match words.char_indices().nth(MAX_TEXT_CHARS) {
        Some((end, _)) => format!("{}…", &words[..end]),
        None => words,
    }
}

/// Refuses an item, or another value, that is too long to hold.
struct BoundedItems<'a, R> {
    from: R,
    /// Bytes since the last item.
    size: &'a Cell<usize>,
}

impl<R: Read> Read for BoundedItems<'_, R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let read = self.from.read(to)?;
        self.size.set(self.size.get() + read);
        if self.size.get() > MAX_ITEM_BYTES {
            let message =
                format!("an item, or what is beside the items, has more than {MAX_ITEM_BYTES} bytes");
            return Err(io::Error::other(Error::invalid("items", message)));
        }
        Ok(read)
    }
}

/// The JSON form of a batch.
struct Document<'a, C, S> {
    reading: &'a mut Reading<C, S>,
    size: &'a Cell<usize>,
    /// An error that is not about the JSON.
    failure: &'a Cell<Option<Error>>,
}

impl<'de, C, S> DeserializeSeed<'de> for Document<'_, C, S>
where
    C: FnMut(&Item) -> Result<ItemCounts>,
    S: FnMut(NewChunk) -> Result<()>,
{
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_map(self)
    }
}

impl<'de, C, S> Visitor<'de> for Document<'_, C, S>
where
    C: FnMut(&Item) -> Result<ItemCounts>,
    S: FnMut(NewChunk) -> Result<()>,
{
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an object with items")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut members: M) -> Result<(), M::Error> {
        while let Some(name) = members.next_key::<String>()? {
            match name.as_str() {
                "items" => {
                    let items = Items { reading: &mut *self.reading, size: self.size, failure: self.failure };
                    members.next_value_seed(items)?;
                }
                "metadata" => {
                    let metadata = metadata_of(members.next_value()?);
                    self.reading.uploaded.metadata = metadata.map_err(|error| abort(self.failure, error))?;
                }
                name => {
                    let message =
                        format!("`{name}` is not a member of a batch; its members are: items, metadata");
                    return Err(de::Error::custom(message));
                }
            }
        }
        Ok(())
    }
}

/// The array of items.
struct Items<'a, C, S> {
    reading: &'a mut Reading<C, S>,
    size: &'a Cell<usize>,
    failure: &'a Cell<Option<Error>>,
}

impl<'de, C, S> DeserializeSeed<'de> for Items<'_, C, S>
where
    C: FnMut(&Item) -> Result<ItemCounts>,
    S: FnMut(NewChunk) -> Result<()>,
{
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_seq(self)
    }
}

impl<'de, C, S> Visitor<'de> for Items<'_, C, S>
where
    C: FnMut(&Item) -> Result<ItemCounts>,
    S: FnMut(NewChunk) -> Result<()>,
{
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(AN_ARRAY_OF_ITEMS)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while let Some(value) = items.next_element::<Value>()? {
            self.size.set(0);
            let place = self.reading.count;
            self.reading.add(place, value).map_err(|error| abort(self.failure, error))?;
            if self.reading.is_full(place) {
                let mut errors = Error::new(Code::ValidationFailed, "the batch has too many items");
                errors.details = std::mem::take(&mut self.reading.listed);
                return Err(abort(self.failure, errors));
            }
        }
        Ok(())
    }
}

/// The error for JSON of another shape.
fn shape_error(message: &str) -> Error {
    if message.contains(AN_ARRAY_OF_ITEMS) {
        return Error::invalid("items", format!("must be {AN_ARRAY_OF_ITEMS}"));
    }
    Error::invalid("body", in_json_words(message))
}

/// Keeps an error that is not about the JSON, and returns one that ends the parsing.
fn abort<E: de::Error>(failure: &Cell<Option<Error>>, error: Error) -> E {
    let message = error.message.clone();
    failure.set(Some(error));
    E::custom(message)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A part of a batch.
    fn part() -> impl Strategy<Value = String> {
        let item =
            r#"{"custom_id":"a","method":"POST","url":"/api/v1/moderate/text","body":{"content":"x"}}"#;
        let known = vec![
            item,
            "{",
            "}",
            "[",
            "]",
            ":",
            ",",
            "\n",
            "\"",
            "\\",
            "{\"items\":[",
            "]}",
            "\"metadata\":{}",
            "null",
            "1e999",
            "\"custom_id\"",
        ];
        prop_oneof![
            prop::sample::select(known).prop_map(str::to_owned),
            "\\PC{0,4}",
            "[0-9]{300}[.][0-9]{1,3}"
        ]
    }

    proptest! {
        #[test]
        fn any_batch_is_read_or_refused(parts in prop::collection::vec(part(), 0..16)) {
            let batch = parts.concat();
            for format in [Format::Jsonl, Format::Json] {
                let mut items = 0;
                let read = read(
                    batch.as_bytes(),
                    format,
                    10,
                    |_| Ok(ItemCounts { texts: 1, ..ItemCounts::default() }),
                    |chunk| {
                        items += chunk.total;
                        Ok(())
                    },
                );
                match read {
                    Ok(uploaded) => prop_assert_eq!(items, uploaded.counts.texts),
                    Err(error) => prop_assert!(
                        [Code::ValidationFailed, Code::MalformedBody, Code::PayloadTooLarge].contains(&error.code),
                        "{}", error
                    ),
                }
            }
        }
    }
}
