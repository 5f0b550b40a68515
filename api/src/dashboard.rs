//! The files of the dashboard, of GraphiQL and of help, as `npm run build` and `npm run help` left them in
//! `dashboard/dist`: embedded in release builds, read from there in debug builds. It does not know what they contain,
//! and answers no path of the API.

use std::{borrow::Cow, collections::HashMap, io::Read, sync::LazyLock};

use axum::{
    http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header},
    response::{Html, IntoResponse, Redirect, Response},
};
use bytes::Bytes;
use flate2::read::GzDecoder;
use parking_lot::Mutex;
use rust_embed::RustEmbed;

#[derive(RustEmbed)]
#[folder = "../dashboard/dist"]
struct Files;

/// The page of the dashboard.
const INDEX: &str = "index.html";
/// The folder of the pages of help.
const HELP: &str = "/help";
/// The page of GraphiQL.
const GRAPHIQL: &str = "graphiql.html";

/// The page of a build without the two.
const MISSING: &str = include_str!("dashboard/missing.html");

/// What the pages may load: their own files. Inline styles come from the component library; there are no inline
/// scripts.
const SECURITY_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; \
     font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; \
     frame-ancestors 'none'",
);

/// Files whose names have a hash of their content never change.
const FOREVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
/// Browsers ask for other files each time, and get them again only if they have changed.
const REVALIDATE: HeaderValue = HeaderValue::from_static("no-cache");

/// The paths of the dashboard's pages, as its tests take them from its router. `$name` stands for any segment.
static PAGES: LazyLock<Vec<String>> =
    LazyLock::new(|| serde_json::from_str(include_str!("../../dashboard/pages.json")).unwrap_or_default());

/// First segments of paths of the API and of files, for which nobody gets a page.
const NOT_PAGES: [&str; 10] =
    ["api", "v1", "graphql", "mcp", "docs", "assets", "livez", "readyz", "metrics", "openapi.json"];

/// Encodings in which the build stores files that get smaller, in place of the files themselves; the best first.
const ENCODINGS: [(&str, &str); 2] = [("br", ".br"), ("gzip", ".gz")];
/// The name for no encoding, by RFC 9110, 12.5.3.
const IDENTITY: &str = "identity";

/// SHA-256 of a file.
type Hash = [u8; 32];

/// Answers paths that no route of the API has: with a file of the dashboard, or its page to a browser that opens one of
/// its addresses; with 404 otherwise, and that page again, which says so, to a browser that opens another address.
pub(crate) async fn serve(method: Method, uri: Uri, headers: HeaderMap) -> Response {
    if method != Method::GET && method != Method::HEAD {
        return StatusCode::NOT_FOUND.into_response();
    }
    let path = uri.path();
    if path == HELP {
        return Redirect::permanent("/help/").into_response();
    }
    if path == "/help/" && Files::get("help/index.html.gz").is_some() {
        return page("help/index.html", &headers);
    }
    let name = path.strip_prefix('/').unwrap_or_default();
    let hidden = name.is_empty() || ENCODINGS.iter().any(|(_, suffix)| name.ends_with(suffix));
    if ![INDEX, GRAPHIQL].contains(&name)
        && !hidden
        && let Some(response) = file(name, &headers)
    {
        return if name.ends_with(".html") { with_security_policy(response) } else { response };
    }
    let browser = accepts(&headers, &header::ACCEPT, "text/html");
    if path == "/" || (browser && is_page(path)) {
        return page(INDEX, &headers);
    }
    let first = name.split('/').next().unwrap_or_default();
    if browser && !NOT_PAGES.contains(&first) {
        return missing_page(headers);
    }
    StatusCode::NOT_FOUND.into_response()
}

/// The page of GraphiQL, at an address that answers clients that do not accept HTML differently.
pub(crate) fn graphiql(headers: &HeaderMap) -> Response {
    let mut response = page(GRAPHIQL, headers);
    response.headers_mut().insert(header::VARY, HeaderValue::from_static("accept, accept-encoding"));
    response
}

/// A page. The dashboard's page decides by the path what it shows.
fn page(name: &str, headers: &HeaderMap) -> Response {
    with_security_policy(file(name, headers).unwrap_or_else(|| Html(MISSING).into_response()))
}

/// The dashboard's page for a path that has none.
fn missing_page(mut headers: HeaderMap) -> Response {
    // Whatever the browser has of this path, the answer is not that it is unchanged.
    headers.remove(header::IF_NONE_MATCH);
    let mut response = page(INDEX, &headers);
    response.headers_mut().remove(header::ETAG);
    *response.status_mut() = StatusCode::NOT_FOUND;
    response
}

/// Adds what the pages may load.
pub(crate) fn with_security_policy(mut response: Response) -> Response {
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, SECURITY_POLICY);
    response
}

/// Whether the path is that of a page of the dashboard; a slash may follow.
fn is_page(path: &str) -> bool {
    let path = path.strip_suffix('/').filter(|path| !path.is_empty() && !path.ends_with('/')).unwrap_or(path);
    PAGES.iter().any(|page| {
        let mut segments = path.split('/');
        let fits = page.split('/').all(|wanted| {
            segments
                .next()
                .is_some_and(|found| found == wanted || (wanted.starts_with('$') && !found.is_empty()))
        });
        fits && segments.next().is_none()
    })
}

/// A file, in the best encoding that the client accepts, or 304 when the client has it; `None` when there is no such
/// file.
fn file(path: &str, headers: &HeaderMap) -> Option<Response> {
    let wanted = ENCODINGS.iter().filter(|(name, _)| accepts(headers, &header::ACCEPT_ENCODING, name));
    let mut encoded =
        wanted.filter_map(|(name, suffix)| Some((*name, Files::get(&format!("{path}{suffix}"))?)));
    let (encoding, data, hash) = match encoded.next() {
        Some((name, file)) => (name, bytes(file.data), file.metadata.sha256_hash()),
        None => {
            let (data, hash) = plain(path)?;
            (IDENTITY, data, hash)
        }
    };
    let hash: String = hash.iter().take(12).map(|byte| format!("{byte:02x}")).collect();
    let tag = format!("\"{hash}-{encoding}\"");
    let caching = if path.starts_with("assets/") { FOREVER } else { REVALIDATE };

    let known = headers.get(header::IF_NONE_MATCH).and_then(|known| known.to_str().ok());
    let mut response = if known.is_some_and(|known| known.split(',').any(|one| one.trim() == tag)) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        ([(header::CONTENT_TYPE, media_type(path))], data).into_response()
    };
    let answer = response.headers_mut();
    answer.insert(header::CACHE_CONTROL, caching);
    answer.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        answer.insert(header::ETAG, tag);
    }
    if encoding != IDENTITY {
        answer.insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
    }
    Some(response)
}

/// A file without encoding, and its hash. A file that the build stores only encoded is decoded once: few clients accept
/// no encoding.
fn plain(path: &str) -> Option<(Bytes, Hash)> {
    static DECODED: LazyLock<Mutex<HashMap<Hash, Bytes>>> = LazyLock::new(Mutex::default);
    if let Some(file) = Files::get(path) {
        return Some((bytes(file.data), file.metadata.sha256_hash()));
    }
    let file = Files::get(&format!("{path}.gz"))?;
    let hash = file.metadata.sha256_hash();
    let mut decoded = DECODED.lock();
    if let Some(data) = decoded.get(&hash) {
        return Some((data.clone(), hash));
    }
    let mut data = Vec::new();
    GzDecoder::new(&*file.data).read_to_end(&mut data).ok()?;
    let data = Bytes::from(data);
    decoded.insert(hash, data.clone());
    Some((data, hash))
}

fn bytes(data: Cow<'static, [u8]>) -> Bytes {
    match data {
        Cow::Borrowed(embedded) => Bytes::from_static(embedded),
        Cow::Owned(read) => Bytes::from(read),
    }
}

fn media_type(path: &str) -> String {
    let kind = mime_guess::from_path(path).first_or_octet_stream();
    if kind.type_() == "text" { format!("{kind}; charset=utf-8") } else { kind.to_string() }
}

/// Whether a header that lists what the client accepts names `what`, and not with a weight of 0.
fn accepts(headers: &HeaderMap, name: &header::HeaderName, what: &str) -> bool {
    let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|one| {
        let mut parts = one.split(';').map(str::trim);
        let named = parts.next().is_some_and(|named| named.eq_ignore_ascii_case(what));
        named && !parts.any(|weight| matches!(weight, "q=0" | "q=0.0" | "q=0.00" | "q=0.000"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn get(path: &str, accept: &'static str) -> Response {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT, HeaderValue::from_static(accept));
        serve(Method::GET, path.parse().unwrap(), headers).await
    }

    #[tokio::test]
    async fn pages_are_for_browsers_that_open_an_address_of_the_dashboard() {
        for path in [
            "/",
            "/judges",
            "/judges/",
            "/judges/judge_1",
            "/judges/judge_1/dataset?labelled=no",
            "/policies/new",
            "/sign-in?next=%2Fjudges",
        ] {
            let response = get(path, "text/html,application/xhtml+xml").await;
            assert_eq!(response.status(), StatusCode::OK, "{path}");
            let policy = response.headers()[header::CONTENT_SECURITY_POLICY].to_str().unwrap();
            assert!(policy.contains("script-src 'self';"), "{policy}");
        }
        assert_eq!(get("/judges", "application/json").await.status(), StatusCode::NOT_FOUND);
        let posted = serve(Method::POST, "/judges".parse().unwrap(), HeaderMap::new()).await;
        assert_eq!(posted.status(), StatusCode::NOT_FOUND);
    }

    #[tokio::test]
    async fn help_has_an_address_and_pages() {
        let moved = get("/help", "text/html").await;
        assert_eq!(moved.status(), StatusCode::PERMANENT_REDIRECT);
        assert_eq!(moved.headers()[header::LOCATION], "/help/");
        // A build without the dashboard has no help either; `make test` builds both first.
        let built = Files::get("help/index.html.gz").is_some();
        let expected = if built { StatusCode::OK } else { StatusCode::NOT_FOUND };
        for path in ["/help/", "/help/operate.html"] {
            let response = get(path, "text/html").await;
            assert_eq!(response.status(), expected, "{path}");
            assert!(response.headers().contains_key(header::CONTENT_SECURITY_POLICY), "{path}");
        }
        assert_eq!(get("/help/no-such-page.html", "text/html").await.status(), StatusCode::NOT_FOUND);
    }

    #[tokio::test]
    async fn other_paths_are_not_found() {
        for path in [
            "/.git/config",
            "//etc/passwd",
            "//",
            "//judges",
            "/judges//dataset",
            "/judges/judge_1/unknown",
            "/judges/judge_1/dataset/more",
            "/wp-login.php",
            "/index.html.br",
            "/admin",
        ] {
            let response = get(path, "text/html").await;
            assert_eq!(response.status(), StatusCode::NOT_FOUND, "{path}");
            assert!(response.headers().contains_key(header::CONTENT_SECURITY_POLICY), "{path} has the page");
            assert!(!response.headers().contains_key(header::ETAG), "{path}");
        }
        for path in ["/api/v2", "/v1/unknown", "/graphql/x", "/assets/old-1.js", "/docs/x"] {
            let response = get(path, "text/html").await;
            assert_eq!(response.status(), StatusCode::NOT_FOUND, "{path}");
            assert!(!response.headers().contains_key(header::CONTENT_TYPE), "{path} has no page");
        }
    }

    #[tokio::test]
    async fn a_client_that_accepts_no_encoding_gets_the_same_file() {
        // A build without the dashboard has nothing to compare; `make test` builds it first.
        if Files::get("index.html.gz").is_none() {
            return;
        }
        let plain = get("/", "text/html").await;
        assert!(!plain.headers().contains_key(header::CONTENT_ENCODING));
        let mut headers = HeaderMap::from_iter([(header::ACCEPT_ENCODING, HeaderValue::from_static("gzip"))]);
        let encoded = serve(Method::GET, "/".parse().unwrap(), headers.clone()).await;
        assert_ne!(plain.headers()[header::ETAG], encoded.headers()[header::ETAG]);
        headers.insert(header::IF_NONE_MATCH, encoded.headers()[header::ETAG].clone());
        let same = serve(Method::GET, "/".parse().unwrap(), headers).await;
        assert_eq!(same.status(), StatusCode::NOT_MODIFIED);
        let [plain, encoded] =
            [plain, encoded].map(|response| axum::body::to_bytes(response.into_body(), 1 << 20));
        let plain = plain.await.unwrap();
        let encoded = encoded.await.unwrap();
        let mut decoded = Vec::new();
        GzDecoder::new(&*encoded).read_to_end(&mut decoded).unwrap();
        assert!(decoded == plain, "{} and {} bytes", decoded.len(), plain.len());
    }

    #[test]
    fn a_weight_of_zero_refuses_an_encoding() {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("gzip, br;q=0, zstd"));
        assert!(accepts(&headers, &header::ACCEPT_ENCODING, "gzip"));
        assert!(!accepts(&headers, &header::ACCEPT_ENCODING, "br"));
    }
}
