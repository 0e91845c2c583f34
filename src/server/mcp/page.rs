//! The pages of a list: what the client asked for, as the core decodes it.

use rmcp::ErrorData;
use rmcp::model::PaginatedRequestParams;
use serde_json::{Value, json};

/// The raw request of a page.
pub(super) fn request(page: Option<PaginatedRequestParams>) -> Value {
    match page.and_then(|page| page.cursor) {
        Some(cursor) => json!({ "cursor": cursor }),
        None => json!({}),
    }
}

/// Checks that a client asks for the first page of a list that has one page.
///
/// # Errors
/// Invalid parameters for a cursor.
pub(super) fn only(page: Option<PaginatedRequestParams>, list: &str) -> Result<(), ErrorData> {
    if page.is_some_and(|page| page.cursor.is_some()) {
        let detail = format!("the list of {list} has one page, so there is no cursor for another");
        return Err(ErrorData::invalid_params(detail, None));
    }
    Ok(())
}
