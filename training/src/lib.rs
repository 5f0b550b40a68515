//! What the training and evaluation commands share. Never linked into the server.

pub mod corpus;
pub mod data;
pub mod domains;
pub mod metrics;
pub mod report;
pub mod sgd;

use engine::text::weights::sha256;

/// Whether a contrast row is kept back from training, to choose settings and to calibrate: one in six, by a hash of its
/// first letters, so that most fills of one template stay together.
pub fn contrast_kept_back(row: &data::Row) -> bool {
    let opening: String = row.text.chars().filter(|char| char.is_alphabetic()).take(12).collect();
    u8::from_str_radix(&sha256(opening.to_lowercase().as_bytes())[..2], 16).is_ok_and(|byte| byte < 43)
}
