//! Extractors: what handlers take from a request.

mod actor;
mod content_encoding;
mod extension;
mod faults;
mod image_permit;
mod json;
mod json_or_form;
mod json_with_pictures;
mod once;
mod optional;
mod parse;
mod path_id;
mod payer;
mod query_parameters;

pub(crate) use actor::AuthenticatedActor;
pub(crate) use content_encoding::{AcceptsCompressed, refuse_content_encoding};
pub(crate) use image_permit::{ImagePermit, ImagePermits};
pub(crate) use json::{ApiJson, accepts_json, content_type, one_of};
pub(crate) use json_or_form::{JsonOrForm, accepts_form};
pub(crate) use json_with_pictures::JsonWithPictures;
pub(crate) use once::RequestOnce;
pub(crate) use optional::{integer, or_default, version};
pub(crate) use parse::read_value;
pub(crate) use path_id::PathId;
pub(crate) use payer::RequestPayer;
pub(crate) use query_parameters::{QueryParameters, boolean, for_each_parameter, one_of_names, page_size};
