//! Download errors, as messages for the client. They never contain a resolved address, and are the same for a private
//! host as for one that does not exist, so that nobody can map a private network.

use std::time::Duration;

use domain::{Code, Error};

use crate::egress::{MAX_URL_BYTES, Refusal};

/// Maximum number of redirects.
pub(super) const MAX_REDIRECTS: usize = 3;

/// Why a download failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// Too many downloads or lookups at once.
    Busy,
    /// The URL is refused.
    Refused(Refusal),
    /// The target of a redirect is refused.
    Redirect(Refusal),
    /// A redirect from https to http.
    Downgrade,
    Redirects,
    Unreachable,
    /// An invalid certificate, or another failure of TLS.
    Tls,
    /// No response, or one that is not HTTP.
    NoAnswer,
    /// A status other than 200.
    Status(u16),
    /// A response with a `Content-Encoding`.
    Encoded,
    Empty,
    /// A body over the limit in bytes.
    TooLarge(usize),
    /// A body that ends early.
    Truncated,
    /// The deadline passed.
    TimedOut(Duration),
}

/// The error for a client's URL.
pub(super) fn refused(refusal: Refusal, field: &str) -> Error {
    Error::image(field, refusal.message("picture.jpg"))
}

impl Failure {
    /// The error for a download. `field` is the field with the URL.
    pub(super) fn error(self, field: &str) -> Error {
        let message = match self {
            Failure::Busy => {
                let message = "too many images are being downloaded; try again shortly";
                return Error::new(Code::Overloaded, message);
            }
            Failure::Refused(refusal) => return refused(refusal, field),
            Failure::Redirect(Refusal::Malformed) => "redirects to something that is not a URL".to_owned(),
            Failure::Redirect(Refusal::TooLong) => {
                format!("redirects to a URL longer than {MAX_URL_BYTES} bytes")
            }
            Failure::Redirect(Refusal::Scheme) => {
                "redirects to a URL that is neither http nor https".to_owned()
            }
            Failure::Redirect(Refusal::Credentials) => {
                "redirects to a URL with a user name or a password".to_owned()
            }
            Failure::Redirect(Refusal::NotPublic) => {
                "redirects to a host that cannot be found, or has an address that is not public".to_owned()
            }
            Failure::Downgrade => "redirects from https to http".to_owned(),
            Failure::Redirects => format!("redirects more than {MAX_REDIRECTS} times"),
            Failure::Unreachable => "could not be reached".to_owned(),
            Failure::Tls => "could not be reached over TLS, or its certificate is not valid".to_owned(),
            Failure::NoAnswer => "did not send an HTTP response".to_owned(),
            Failure::Status(status) => format!("answered {status}"),
            Failure::Encoded => "sent a compressed body, which was not requested".to_owned(),
            Failure::Empty => "sent an empty body".to_owned(),
            Failure::TooLarge(bytes) => format!("is over {} MiB", in_mib(bytes)),
            Failure::Truncated => "ended early".to_owned(),
            Failure::TimedOut(limit) => format!("took longer than {} s", limit.as_secs_f64()),
        };
        Error::image(field, message)
    }
}

fn in_mib(bytes: usize) -> f64 {
    (bytes as f64 / f64::from(1 << 20) * 100.0).round() / 100.0
}
