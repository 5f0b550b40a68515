//! `POST /api/v1/inference` and its aliases, answered by a scripted System One server in place of the model.

mod asking;
mod coded;
mod forms;
mod parameters;
mod paying;
mod refusals;
mod wire;
