//! Inference through a Judge, answered by a scripted System One server: what is inherited, and what is recorded.

mod inherited;
mod making;
mod recorded;
mod refused;
mod state_schema;
