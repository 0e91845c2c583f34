//! `/docs`: the OpenAPI document as one page for people.
//!
//! The page is rendered here, from the document and nothing else, so it works without a network and
//! without scripts. Its policy allows its own style, by its hash, and nothing more. Every value is
//! escaped by the template, `assets/docs/docs.html`.

mod shape;
mod view;

use aludel_core::error::{Error, Result};
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment};
use serde_json::Value;

use view::Page;

const TEMPLATE: &str = include_str!("../../../../assets/docs/docs.html");
const STYLE: &str = include_str!("../../../../assets/docs/docs.css");

/// The policy of the page (Content Security Policy Level 3). A test computes the hash of the style.
pub(super) const POLICY: &str = "default-src 'none'; style-src 'sha256-sqeH5giInPyail8VCG5g9zuRNRR8sU1slrV7jX7FGL8='; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The page of a document. `host` is where the examples send their requests.
///
/// # Errors
/// `internal` when the template is wrong.
pub(super) fn page(document: &Value, host: &str) -> Result<String> {
    let failed =
        |error: minijinja::Error| Error::Internal(format!("the page of the operations cannot be made: {error:#}"));
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.add_template("docs", TEMPLATE).map_err(failed)?;
    environment.get_template("docs").map_err(failed)?.render(Serde(Page::of(document, host, STYLE))).map_err(failed)
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::prelude::BASE64_STANDARD;
    use serde_json::json;
    use sha2::{Digest as _, Sha256};

    use super::*;

    #[test]
    fn the_policy_has_the_hash_of_the_style() {
        let hash = format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(STYLE)));
        assert!(POLICY.contains(&hash), "the hash of the style is {hash}");
    }

    #[test]
    fn what_a_document_says_cannot_become_markup() {
        let document = json!({
            "openapi": "3.1.1", "info": { "version": "<b>", "description": "a & <i>" },
            "tags": [{ "name": "<u>" }],
            "paths": { "/<p>": { "get": {
                "operationId": "x", "tags": ["<u>"], "summary": "</main><script>", "responses": { "200": { "description": "<s>" } }
            } } },
            "components": { "schemas": { "T": { "description": "\"<em>\"" } } }
        });
        let page = page(&document, "<host>").unwrap();
        for tag in ["<b>", "<i>", "<u>", "<p>/", "<script", "<s>", "<em>", "<host>"] {
            assert!(!page.contains(tag), "{tag}");
        }
        assert!(page.contains("&lt;script&gt;"), "{page}");
    }
}
