//! Why a URL is refused. The messages never contain a resolved address, and are the same for a private host as for one
//! that does not exist, so that nobody can map a private network.

/// The longest URL, in bytes.
pub(crate) const MAX_URL_BYTES: usize = 8192;

/// Why a URL is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// Not a URL, or one without a host.
    Malformed,
    /// Over [`MAX_URL_BYTES`].
    TooLong,
    /// Neither http nor https.
    Scheme,
    /// It contains a user name or a password.
    Credentials,
    /// The host is private or does not exist.
    NotPublic,
}

impl Refusal {
    /// What is wrong with the URL, to follow its name. `example` is the path of a valid URL.
    pub(crate) fn message(self, example: &str) -> String {
        match self {
            Refusal::Malformed => {
                format!("must be a URL with a host, such as https://example.com/{example}")
            }
            Refusal::TooLong => format!("must have at most {MAX_URL_BYTES} bytes"),
            Refusal::Scheme => "must be an http or https URL".to_owned(),
            Refusal::Credentials => "must not contain a user name or a password".to_owned(),
            Refusal::NotPublic => {
                "must name a public host; this one cannot be found, or has an address that is not public"
                    .to_owned()
            }
        }
    }
}
