//! Why a request to a host that our clients choose got no answer.

use std::io;

/// Why a request got no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The URL is not valid.
    Malformed,
    /// An invalid certificate, or another failure of TLS.
    Tls,
    Unreachable,
    /// No response, or one that is not HTTP.
    NoAnswer,
}

/// Classifies a failed request. The error itself contains the URL and details that clients must not learn.
pub(crate) fn fault(error: &reqwest::Error) -> Fault {
    if error.is_builder() {
        Fault::Malformed
    } else if is_tls(error) {
        Fault::Tls
    } else if error.is_connect() {
        Fault::Unreachable
    } else {
        Fault::NoAnswer
    }
}

/// Whether an error comes from rustls, at any depth; `source` skips the error that an I/O error wraps.
fn is_tls(error: &(dyn std::error::Error + 'static)) -> bool {
    let wrapped = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
    error.is::<rustls::Error>()
        || wrapped.is_some_and(|inner| is_tls(inner))
        || error.source().is_some_and(is_tls)
}
