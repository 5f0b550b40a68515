//! The cookies with a session's secret and with a device's token. Scripts cannot read them (`HttpOnly`), and browsers
//! do not send them with another site's POST (`SameSite`).

use axum::http::{HeaderMap, header};
use cookie::{Cookie, SameSite, time::Duration};
use domain::people::session::SESSION_LIFETIME;

/// The name of the session's cookie.
pub(crate) const SESSION_COOKIE: &str = "gavel_session";
/// The name of the cookie that marks a device on which somebody has signed in before.
const DEVICE_COOKIE: &str = "gavel_device";
/// How long a browser keeps the device's cookie.
const DEVICE_LIFETIME: Duration = Duration::days(400);

/// The session's secret in a request's cookie.
pub(crate) fn session_secret(headers: &HeaderMap) -> Option<String> {
    value(headers, SESSION_COOKIE)
}

/// The device's token in a request's cookie.
pub(crate) fn device_token(headers: &HeaderMap) -> Option<String> {
    value(headers, DEVICE_COOKIE)
}

fn value(headers: &HeaderMap, name: &str) -> Option<String> {
    let lines = headers.get_all(header::COOKIE).into_iter().filter_map(|line| line.to_str().ok());
    let mut cookies = lines.flat_map(Cookie::split_parse).filter_map(std::result::Result::ok);
    cookies.find(|cookie| cookie.name() == name).map(|cookie| cookie.value().to_owned())
}

/// The `Set-Cookie` that sets the session's cookie. `secure`: browsers send it only over HTTPS.
pub(crate) fn set_session(secret: &str, secure: bool) -> String {
    let lasts = Duration::try_from(SESSION_LIFETIME).unwrap_or(Duration::ZERO);
    cookie(SESSION_COOKIE, secret, secure).max_age(lasts).build().to_string()
}

/// The `Set-Cookie` that clears the session's cookie.
pub(crate) fn clear_session(secure: bool) -> String {
    cookie(SESSION_COOKIE, "", secure).max_age(Duration::ZERO).build().to_string()
}

/// The `Set-Cookie` that sets the device's cookie.
pub(crate) fn set_device(token: &str, secure: bool) -> String {
    cookie(DEVICE_COOKIE, token, secure).max_age(DEVICE_LIFETIME).build().to_string()
}

fn cookie(name: &'static str, value: &str, secure: bool) -> cookie::CookieBuilder<'static> {
    Cookie::build((name, value.to_owned())).http_only(true).same_site(SameSite::Lax).path("/").secure(secure)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_out_of_reach_of_scripts_and_of_other_sites() {
        let kept = set_session("s", true);
        assert_eq!(kept, "gavel_session=s; HttpOnly; SameSite=Lax; Secure; Path=/; Max-Age=2592000");
        assert!(!set_session("s", false).contains("Secure"));
        assert_eq!(clear_session(false), "gavel_session=; HttpOnly; SameSite=Lax; Path=/; Max-Age=0");
    }
}
