//! GraphiQL for browsers: they open `/graphql` as a page, where programs send operations.

use axum::{
    extract::Request,
    http::{HeaderMap, Method, Uri},
    middleware::Next,
    response::Response,
};

use super::http::quality;
use crate::dashboard;

/// Answers a browser that opens the address with GraphiQL's page, before anybody is authenticated. Whatever holds an operation goes on
/// to it, and so does whatever likes JSON at least as well.
pub(crate) async fn serve_to_browsers(request: Request, next: Next) -> Response {
    if opens_page(request.method(), request.uri(), request.headers()) {
        return dashboard::graphiql(request.headers());
    }
    next.run(request).await
}

fn opens_page(method: &Method, uri: &Uri, headers: &HeaderMap) -> bool {
    let parameters = uri.query().unwrap_or_default();
    let has_operation = parameters.split('&').any(|parameter| parameter.starts_with("query="));
    let html = quality(headers, &["text/html"]).unwrap_or_default();
    let reads = method == Method::GET || method == Method::HEAD;
    reads && !has_operation && html > json_quality(headers)
}

/// How well the client likes either media type of responses.
fn json_quality(headers: &HeaderMap) -> f32 {
    let of = |name| quality(headers, &[name, "application/*", "*/*"]).unwrap_or_default();
    of("application/json").max(of("application/graphql-response+json"))
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderValue, header};

    use super::*;

    #[test]
    fn a_page_is_for_who_prefers_html_and_asks_nothing() {
        let opens = |method: Method, uri: &str, accept: &str| {
            let headers = HeaderMap::from_iter([(header::ACCEPT, HeaderValue::from_str(accept).unwrap())]);
            opens_page(&method, &uri.parse().unwrap(), &headers)
        };
        let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8";
        assert!(opens(Method::GET, "/graphql", browser));
        assert!(opens(Method::HEAD, "/graphql?from=docs", "text/html"));
        for (method, uri, accept) in [
            (Method::POST, "/graphql", browser),
            (Method::GET, "/graphql?query=%7B__typename%7D", browser),
            (Method::GET, "/graphql?variables=%7B%7D&query=%7B__typename%7D", "text/html"),
            (Method::GET, "/graphql", "*/*"),
            (Method::GET, "/graphql", "application/json, text/html"),
            (Method::GET, "/graphql", "application/graphql-response+json, text/html;q=0.9"),
            (Method::GET, "/graphql", "text/html;q=0"),
        ] {
            assert!(!opens(method, uri, accept), "{uri}: {accept}");
        }
        assert!(!opens_page(&Method::GET, &Uri::from_static("/graphql"), &HeaderMap::new()));
    }
}
