//! GraphiQL for browsers, which open `/graphql` as a page; programs send operations there.

use axum::{
    extract::Request,
    http::{HeaderMap, Method, Uri},
    middleware::Next,
    response::Response,
};

use super::http::quality;
use crate::dashboard;

/// Answers a browser that opens the address with GraphiQL's page, before anybody is authenticated. A request with an
/// operation, or that prefers JSON or accepts it equally, is passed on.
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

/// The quality of the media type of responses that the client prefers.
fn json_quality(headers: &HeaderMap) -> f32 {
    media_type_quality(headers, "application/json")
        .max(media_type_quality(headers, "application/graphql-response+json"))
}

fn media_type_quality(headers: &HeaderMap, name: &str) -> f32 {
    quality(headers, &[name, "application/*", "*/*"]).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderValue, header};

    use super::*;

    fn opens(method: Method, uri: &str, accept: &str) -> bool {
        let headers = HeaderMap::from_iter([(header::ACCEPT, HeaderValue::from_str(accept).unwrap())]);
        opens_page(&method, &uri.parse().unwrap(), &headers)
    }

    #[test]
    fn a_request_opens_the_page_if_it_prefers_html_and_has_no_operation() {
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
