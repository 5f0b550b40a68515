//! All that is wrong with the shape of a body.
//!
//! serde stops at the first fault. To find the next one, the value at fault is mended: left out, or replaced by a
//! placeholder of each JSON type in turn, until the body reads up to another fault or to its end. A library that
//! collects faults would need a second description of every shape beside serde's, and has messages of its own.

use domain::{
    Detail,
    foundation::wrong_shape::{fault, missing_field},
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use serde_path_to_error::{Path, Segment};

/// Faults that are looked for, at most.
const MAX_FAULTS: usize = 20;

/// A value at fault.
pub(super) struct Fault {
    /// The path for people, and what must be there.
    detail: Detail,
    /// Where the value is, or where it is missing.
    place: Vec<Step>,
}

/// A step of a path.
#[derive(Clone, PartialEq)]
enum Step {
    Key(String),
    Index(usize),
}

impl From<Fault> for Detail {
    fn from(fault: Fault) -> Self {
        fault.detail
    }
}

/// Reads a body, up to its first fault.
pub(super) fn read_shape<T: DeserializeOwned>(body: &Value) -> Result<T, Fault> {
    serde_path_to_error::deserialize(body).map_err(|error| {
        let path = error.path().clone();
        Fault::new(&path, &error.into_inner().to_string())
    })
}

impl Fault {
    fn new(path: &Path, message: &str) -> Self {
        let mut place: Vec<Step> = path
            .iter()
            .filter_map(|segment| match segment {
                Segment::Map { key } => Some(Step::Key(key.clone())),
                Segment::Seq { index } => Some(Step::Index(*index)),
                _ => None,
            })
            .collect();
        place.extend(missing_field(message).map(|field| Step::Key(field.to_owned())));
        let mut detail = fault(path.to_string().trim_matches('.'), message);
        if detail.field.is_empty() {
            detail.field = "body".to_owned();
        }
        Self { detail, place }
    }
}

/// Every fault that can be found by mending those before it, beginning with `first`.
pub(super) fn all_faults<T: DeserializeOwned>(mut body: Value, first: Fault) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut mended: Vec<Vec<Step>> = Vec::new();
    let mut next = Some(first);
    while let Some(fault) = next.take() {
        let place = fault.place.clone();
        // What is missing in a placeholder is not missing in the client's body.
        if !mended.iter().any(|mended| place.starts_with(mended)) {
            faults.push(fault);
        }
        mended.push(place.clone());
        if mended.len() < MAX_FAULTS && !place.is_empty() {
            next = mend::<T>(&mut body, &place);
        }
    }
    faults
}

/// Mends the value at a place, and returns the fault after it; none when there is no other, or nothing fits.
fn mend<T: DeserializeOwned>(body: &mut Value, place: &[Step]) -> Option<Fault> {
    let placeholders =
        [None, Some(json!("a")), Some(json!(1)), Some(json!(false)), Some(json!([])), Some(json!({}))];
    for placeholder in placeholders {
        put(body, place, placeholder);
        match read_shape::<T>(body) {
            // It does not fit.
            Err(fault) if fault.place == place => {}
            next => return next.err(),
        }
    }
    None
}

/// Sets or removes the value at a place, if the body has it.
fn put(body: &mut Value, place: &[Step], new: Option<Value>) {
    let Some((last, parents)) = place.split_last() else { return };
    let mut parent = body;
    for step in parents {
        let child = match step {
            Step::Key(key) => parent.get_mut(key),
            Step::Index(index) => parent.get_mut(index),
        };
        let Some(child) = child else { return };
        parent = child;
    }
    match (last, parent, new) {
        (Step::Key(key), Value::Object(members), Some(new)) => {
            members.insert(key.clone(), new);
        }
        (Step::Key(key), Value::Object(members), None) => {
            members.shift_remove(key);
        }
        (Step::Index(index), Value::Array(items), Some(new)) if *index < items.len() => items[*index] = new,
        _ => {}
    }
}
