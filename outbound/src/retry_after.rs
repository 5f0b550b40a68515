//! How long a server asks us to wait before the next request.

use std::time::{Duration, SystemTime};

use reqwest::header::{HeaderMap, RETRY_AFTER};

/// The wait in `retry-after-ms`, or in `Retry-After` as seconds or as an HTTP date (RFC 9110, 10.2.3). A date that is
/// past means no wait.
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    if let Some(milliseconds) = number(headers, "retry-after-ms") {
        return Duration::try_from_secs_f64(milliseconds / 1e3).ok();
    }
    if let Some(seconds) = number(headers, RETRY_AFTER.as_str()) {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = headers.get(RETRY_AFTER)?.to_str().ok()?;
    let date = httpdate::parse_http_date(date.trim()).ok()?;
    Some(date.duration_since(SystemTime::now()).unwrap_or_default())
}

fn number(headers: &HeaderMap, name: &str) -> Option<f64> {
    headers.get(name)?.to_str().ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use reqwest::header::{HeaderName, HeaderValue};

    use super::*;

    fn wait(name: &'static str, value: &str) -> Option<u64> {
        let value = HeaderValue::from_str(value).unwrap();
        retry_after(&HeaderMap::from_iter([(HeaderName::from_static(name), value)]))
            .map(|wait| wait.as_secs())
    }

    #[test]
    fn a_wait_is_read_in_each_form() {
        assert_eq!(wait("retry-after", "7"), Some(7));
        assert_eq!(wait("retry-after", "1.5"), Some(1));
        assert_eq!(wait("retry-after-ms", "2500"), Some(2));
        let soon = httpdate::fmt_http_date(SystemTime::now() + Duration::from_secs(100));
        assert!((90..=100).contains(&wait("retry-after", &soon).unwrap()));
        assert_eq!(wait("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT"), Some(0));
        for other in ["", "soon", "-1", "NaN", "1e300"] {
            assert_eq!(wait("retry-after", other), None, "{other}");
        }
    }
}
