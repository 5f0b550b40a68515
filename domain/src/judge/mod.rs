//! Judges: named, stored questions, whose every change is a version, and requests that go through one.

mod inherit;
mod store;

pub use inherit::{Draft, Through};
pub use store::{
    Judge, JudgeChange, JudgeFilter, NewJudge, Version, archive, count, create, find, find_many, list,
    questions, update, version, versions,
};
