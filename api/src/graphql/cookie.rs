//! The cookie that a session's secret is kept in: for HTTP alone, and not sent along when another site posts here.

use cookie::{Cookie, SameSite, time::Duration};
use domain::session::LASTS;

/// Its name.
pub(super) const SESSION_COOKIE: &str = "gavel_session";

/// `Set-Cookie` that has a browser keep a secret; `secure`: and send it over https alone.
pub(super) fn set_session(secret: &str, secure: bool) -> String {
    let lasts = Duration::try_from(LASTS).unwrap_or(Duration::ZERO);
    cookie(secret, secure).max_age(lasts).build().to_string()
}

/// `Set-Cookie` that has a browser forget it.
pub(super) fn clear_session(secure: bool) -> String {
    cookie("", secure).max_age(Duration::ZERO).build().to_string()
}

fn cookie(secret: &str, secure: bool) -> cookie::CookieBuilder<'static> {
    Cookie::build((SESSION_COOKIE, secret.to_owned()))
        .http_only(true)
        .same_site(SameSite::Lax)
        .path("/")
        .secure(secure)
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
