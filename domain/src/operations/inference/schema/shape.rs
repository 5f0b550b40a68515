//! The shape of the object that answers a schema, with the keys of the questions that fill it.

use serde_json::Value;

/// A value and what it depends on.
#[derive(Debug)]
pub(super) enum Shape {
    Object(Vec<Member>),
    /// The only value that the schema allows.
    Fixed(Value),
    /// One of several values.
    Choice {
        key: String,
        options: Vec<NamedValue>,
    },
    /// A number, by its level.
    Level {
        key: String,
        numbers: Vec<i64>,
    },
    Boolean {
        key: String,
    },
    /// Those of several values that apply.
    Selection(Selection),
}

/// A member of an object.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) name: String,
    pub(super) required: bool,
    pub(super) part: Part,
}

/// A value that may be null.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) shape: Shape,
    pub(super) nullable: bool,
}

/// A value with its name in answers.
#[derive(Debug)]
pub(super) struct NamedValue {
    pub(super) name: String,
    pub(super) value: Value,
}

/// An array of the values that apply.
#[derive(Debug)]
pub(super) struct Selection {
    pub(super) options: Vec<SelectedValue>,
    /// Minimum number of values.
    pub(super) least: usize,
    /// Maximum number of values.
    pub(super) most: usize,
}

/// A value, and the key of the question whether it applies.
#[derive(Debug)]
pub(super) struct SelectedValue {
    pub(super) key: String,
    pub(super) value: Value,
}
