//! `POST /api/v1/inference` and its aliases, mostly answered by a scripted System One server instead of the model.

pub(super) mod asking;
mod coded;
mod forms;
mod parameters;
mod paying;
mod refusals;
mod schema;
mod states;
mod unusual;
mod wire;
mod work;
