//! `POST /api/v1/moderate/image`: one picture, by URL, in base64 or uploaded.

mod handlers;
mod shape;

pub(crate) use handlers::*;
