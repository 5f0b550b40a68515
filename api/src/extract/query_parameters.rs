//! Query parameters, read strictly: ignoring an unknown one would silently drop a filter.

use std::str::FromStr;

use axum::{
    extract::{FromRequestParts, Query},
    http::request::Parts,
};
use domain::{Error, Result};
use strum::VariantArray;

use crate::error::Failure;

/// The names and values in a query string.
pub(crate) struct QueryParameters(pub(crate) Vec<(String, String)>);

impl<S: Send + Sync> FromRequestParts<S> for QueryParameters {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
        match Query::from_request_parts(parts, state).await {
            Ok(Query(parameters)) => Ok(Self(parameters)),
            Err(_) => {
                Err(Error::invalid("query", "must be names and values as in name=value&name=value").into())
            }
        }
    }
}

/// Reads each parameter with `read`, which returns whether it knows the name.
pub(crate) fn for_each_parameter(
    parameters: Vec<(String, String)>,
    names: &str,
    mut read: impl FnMut(&str, &str) -> Result<bool>,
) -> Result<()> {
    for (place, (name, value)) in parameters.iter().enumerate() {
        if parameters[..place].iter().any(|(earlier, _)| earlier == name) {
            return Err(Error::invalid(name, "must be given once"));
        }
        if !read(name, value)? {
            return Err(Error::invalid(
                name,
                format!("is not a parameter of this path, which takes: {names}"),
            ));
        }
    }
    Ok(())
}

/// Reads the size of a page, 1 to `most`.
///
/// # Errors
/// `VALIDATION_FAILED` naming `limit`.
pub(crate) fn page_size(value: &str, most: u64) -> Result<u64> {
    let size = value.parse().ok().filter(|size| (1..=most).contains(size));
    size.ok_or_else(|| Error::invalid("limit", format!("must be from 1 to {most}")))
}

/// Reads one of a few names.
///
/// # Errors
/// `VALIDATION_FAILED` naming the parameter, with all names.
pub(crate) fn one_of_names<T: FromStr + VariantArray>(name: &str, value: &str) -> Result<T>
where
    &'static str: for<'a> From<&'a T>,
{
    value.parse().map_err(|_| {
        let names: Vec<&str> = T::VARIANTS.iter().map(<&'static str>::from).collect();
        Error::invalid(name, format!("must be one of: {}", names.join(", ")))
    })
}

/// Reads `true` or `false`.
///
/// # Errors
/// `VALIDATION_FAILED` naming the parameter.
pub(crate) fn boolean(name: &str, value: &str) -> Result<bool> {
    value.parse().map_err(|_| Error::invalid(name, "must be one of: true, false"))
}
