//! Judges: named, stored questions, whose every change is a version, and requests that go through one.

mod checked;
mod inherit;
mod store;

pub(crate) use checked::recordable;
pub use inherit::{Asked, Draft, Through};
pub(crate) use store::lock;
pub use store::{
    Judge, JudgeChange, JudgeFilter, NewJudge, Version, archive, count, create, find, find_many, list,
    questions, update, version, versions,
};
