//! Whether a web server answers, for `gavel doctor`.

use std::{error::Error as _, time::Duration};

use crate::tls;

/// The status of a GET, without following redirects.
///
/// # Errors
/// Why there was no answer.
pub async fn status_of(url: &str, timeout: Duration) -> Result<u16, String> {
    let client = reqwest::Client::builder()
        .tls_backend_preconfigured(tls::client_config())
        .redirect(reqwest::redirect::Policy::none())
        .timeout(timeout)
        .build()
        .map_err(|error| error.to_string())?;
    match client.get(url).send().await {
        Ok(response) => Ok(response.status().as_u16()),
        Err(error) => Err(root_cause(&error)),
    }
}

/// The innermost cause, such as "connection refused".
fn root_cause(error: &reqwest::Error) -> String {
    let mut cause = error.source();
    let mut text = error.to_string();
    while let Some(inner) = cause {
        text = inner.to_string();
        cause = inner.source();
    }
    text
}
