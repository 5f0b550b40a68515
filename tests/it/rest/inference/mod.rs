//! `POST /api/v1/inference` and its aliases, answered by a scripted System One server in place of the model but where
//! the model's own work is the matter.

mod asking;
mod coded;
mod forms;
mod parameters;
mod paying;
mod refusals;
mod unusual;
mod wire;
mod work;
