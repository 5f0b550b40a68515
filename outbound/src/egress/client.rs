//! The HTTP client for hosts that our clients choose.

use std::{io, sync::Arc};

use reqwest::{ClientBuilder, redirect::Policy};

use super::{
    allow::AllowList,
    resolver::{CheckedResolver, Resolver},
};
use crate::tls;

/// A client that connects only to allowed addresses and follows no redirects. Check URLs first with
/// [`AllowList::check`].
pub(crate) fn client(names: Arc<dyn Resolver>, allow: Arc<AllowList>) -> ClientBuilder {
    reqwest::Client::builder()
        .user_agent(concat!("gavel/", env!("CARGO_PKG_VERSION")))
        .dns_resolver(CheckedResolver::new(names, allow))
        .tls_backend_preconfigured(tls::client_config())
        .redirect(Policy::none())
        .referer(false)
        .no_proxy()
        .http1_only()
        // One request per connection, so that clients never share a connection.
        .pool_max_idle_per_host(0)
}

/// Why a request got no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The host is private or does not exist.
    NotPublic,
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
    if error.is_dns() {
        Fault::NotPublic
    } else if error.is_builder() {
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
