//! The operator's commands: what they print with `--json`, and how they fail.

mod accounts;
mod decide;
mod demo;
mod doctor;
mod health;
mod keys;
mod models;
mod pictures;
mod settings;
