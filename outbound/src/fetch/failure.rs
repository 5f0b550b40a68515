//! Why a download failed, in sentences for the client. Names no address that a name leads to, and tells a host that is
//! refused from one that does not exist by nothing, so that nobody can map a private network with it.

use std::time::Duration;

use domain::Error;

/// The longest URL, in bytes.
pub(super) const MAX_URL_BYTES: usize = 8192;
/// Redirects followed.
pub(super) const MAX_REDIRECTS: usize = 3;

/// Why a URL may not be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// Not a URL, or one without a host.
    Malformed,
    /// Over [`MAX_URL_BYTES`].
    TooLong,
    /// Neither http nor https.
    Scheme,
    /// With a user name or a password.
    Credentials,
    /// Private, or nowhere.
    NotPublic,
}

/// Why a download failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// The URL itself.
    Refused(Refusal),
    /// The URL that a redirect leads to.
    Redirect(Refusal),
    /// A redirect from https to http.
    Downgrade,
    /// More than [`MAX_REDIRECTS`].
    Redirects,
    /// No connection.
    Unreachable,
    /// A certificate that is not valid, or TLS that fails otherwise.
    Tls,
    /// An answer that is not HTTP, or none.
    NoAnswer,
    /// Any status but 200.
    Status(u16),
    /// A `Content-Encoding`.
    Encoded,
    /// A body of nothing.
    Empty,
    /// A body over this many bytes.
    TooLarge(usize),
    /// A body that ends before its end.
    Truncated,
    /// Slower than this.
    TimedOut(Duration),
}

impl Refusal {
    /// Of the URL that a client sent.
    pub(super) fn error(self, field: &str) -> Error {
        let message = match self {
            Refusal::Malformed => {
                "must be a URL with a host, such as https://example.com/picture.jpg".to_owned()
            }
            Refusal::TooLong => format!("must have at most {MAX_URL_BYTES} bytes"),
            Refusal::Scheme => "must be an http or https URL".to_owned(),
            Refusal::Credentials => "must not hold a user name or a password".to_owned(),
            Refusal::NotPublic => {
                "must name a public host; this one cannot be found, or has an address that is not public"
                    .to_owned()
            }
        };
        Error::image(field, message)
    }
}

impl Failure {
    /// Of the download of what `field` names.
    pub(super) fn error(self, field: &str) -> Error {
        let message = match self {
            Failure::Refused(refusal) => return refusal.error(field),
            Failure::Redirect(Refusal::Malformed) => "redirects to what is not a URL".to_owned(),
            Failure::Redirect(Refusal::TooLong) => {
                format!("redirects to a URL of more than {MAX_URL_BYTES} bytes")
            }
            Failure::Redirect(Refusal::Scheme) => "redirects to what is neither http nor https".to_owned(),
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
            Failure::NoAnswer => "gave no HTTP answer".to_owned(),
            Failure::Status(status) => format!("answered {status}"),
            Failure::Encoded => "answered with a compressed body though none was asked for".to_owned(),
            Failure::Empty => "answered with an empty body".to_owned(),
            Failure::TooLarge(bytes) => format!("is over {} MiB", in_mib(bytes)),
            Failure::Truncated => "broke off before its end".to_owned(),
            Failure::TimedOut(limit) => format!("took longer than {} s", limit.as_secs_f64()),
        };
        Error::image(field, message)
    }
}

fn in_mib(bytes: usize) -> f64 {
    (bytes as f64 / f64::from(1 << 20) * 100.0).round() / 100.0
}
