//! Stored prompts as resources, in both versions of the protocol.

use serde_json::{Value, json};

use super::Wire;
use crate::seeded::Seeded;

/// A client of each version, each with a server of its own.
async fn both() -> [Wire; 2] {
    [Wire::newer(Seeded::with_echo()), Wire::older(Seeded::with_echo()).await]
}

/// Generates prompts and returns them, the best first.
async fn generate(wire: &mut Wire, input: &str, count: u32) -> Vec<Value> {
    let made = wire.content("generate_prompts", json!({ "input": input, "count": count })).await;
    made["prompts"].as_array().expect("prompts").clone()
}

/// The last eight digits of an id.
fn short(id: &str) -> &str {
    &id[id.len() - 8..]
}

async fn list(wire: &mut Wire, params: Value) -> Value {
    let answer = wire.request("resources/list", params).await;
    assert!(answer.get("error").is_none(), "{answer}");
    answer["result"].clone()
}

/// The code of what is not found: the newer version has none of its own.
fn not_found(wire: &Wire) -> i64 {
    if wire.is_newer() { -32602 } else { -32002 }
}

#[tokio::test]
async fn without_prompts_there_is_a_template_and_an_empty_list() {
    for mut wire in both().await {
        let listed = list(&mut wire, json!({})).await;
        assert_eq!((&listed["resources"], listed.get("nextCursor")), (&json!([]), None));
        let hints = (listed["ttlMs"].is_u64(), listed["cacheScope"].is_string(), listed["resultType"].is_string());
        assert_eq!(hints, (wire.is_newer(), wire.is_newer(), wire.is_newer()));
        let templates = wire.request("resources/templates/list", json!({})).await;
        let templates = templates["result"]["resourceTemplates"].as_array().expect("templates").clone();
        assert_eq!(templates.len(), 1);
        assert_eq!(templates[0]["uriTemplate"], "aludel://prompts/{id}");
        assert!(templates[0]["name"].is_string() && templates[0]["description"].is_string());
        let error = wire.error("resources/templates/list", json!({ "cursor": "x" })).await;
        assert_eq!(error["code"], -32602);
    }
}

#[tokio::test]
async fn a_prompt_is_listed_by_what_it_was_made_from_and_read_as_plain_text() {
    for mut wire in both().await {
        let prompt = generate(&mut wire, "  Write a haiku\u{1b}[2J\nabout rivers", 1).await.remove(0);
        let id = prompt["id"].as_str().expect("an id");
        let content = prompt["content"].as_str().expect("text");
        let listed = list(&mut wire, json!({})).await;
        let row = &listed["resources"][0];
        assert_eq!(row["uri"], format!("aludel://prompts/{id}"));
        assert_eq!(row["name"], format!("write_a_haiku_2j_{}", short(id)));
        assert_eq!(row["title"], "Write a haiku␛[2J");
        assert_eq!((&row["mimeType"], &row["size"]), (&json!("text/plain"), &json!(content.len())));
        assert_eq!(row["annotations"]["lastModified"], prompt["updated_at"]);
        assert!(row["description"].as_str().expect("text").contains("generic"), "{row}");
        assert!(row.get("text").is_none());

        for key in [id, short(id), "@last", "%40last"] {
            let read = wire.request("resources/read", json!({ "uri": format!("aludel://prompts/{key}") })).await;
            let text = json!({ "uri": row["uri"], "mimeType": "text/plain", "text": content });
            assert_eq!(read["result"]["contents"], json!([text]), "{key}");
        }
    }
}

#[tokio::test]
async fn two_hundred_and_fifty_prompts_come_in_pages_newest_first() {
    let mut wire = Wire::newer(Seeded::with_echo());
    for count in [100, 100, 50] {
        generate(&mut wire, "Write a haiku", count).await;
    }
    let (mut uris, mut sizes, mut params) = (Vec::new(), Vec::new(), json!({}));
    loop {
        let page = list(&mut wire, params.clone()).await;
        let rows = page["resources"].as_array().expect("resources");
        sizes.push(rows.len());
        uris.extend(rows.iter().map(|row| row["uri"].clone()));
        match page.get("nextCursor") {
            Some(cursor) => params = json!({ "cursor": cursor }),
            None => break,
        }
    }
    assert_eq!(sizes, [50; 5]);
    let all = wire.content("list_prompts", json!({ "limit": 1000 })).await;
    let all = all["prompts"].as_array().expect("prompts").iter();
    let expected: Vec<Value> =
        all.map(|row| json!(format!("aludel://prompts/{}", row["id"].as_str().expect("an id")))).collect();
    assert_eq!(uris, expected);
}

#[tokio::test]
async fn a_cursor_that_is_none_of_ours_is_refused() {
    for mut wire in both().await {
        generate(&mut wire, "Write a haiku", 1).await;
        let huge = "a".repeat(1_000_000);
        for cursor in ["", "nonsense", "0", "\u{0}", &huge] {
            for method in ["resources/list", "prompts/list"] {
                let error = wire.error(method, json!({ "cursor": cursor })).await;
                assert_eq!(error["code"], -32602, "{error}");
                assert_eq!(error["data"]["errors"][0]["field"], "cursor", "{error}");
                assert!(error.to_string().len() < 2000);
            }
        }
        for cursor in [json!(5), json!({}), json!(["x"])] {
            let error = wire.error("resources/list", json!({ "cursor": cursor })).await;
            assert!(error["message"].as_str().expect("words").contains("`cursor` must be a text"), "{error}");
        }
    }
}

#[tokio::test]
async fn what_is_not_there_is_not_found_and_its_uri_is_named() {
    for mut wire in both().await {
        generate(&mut wire, "Write a haiku", 1).await;
        for uri in [
            "aludel://prompts/01932c07-7d1c-7c3e-8a51-0e4b7a3f9c21",
            "aludel://prompts/abcdef123456",
            "aludel://prompts/",
            "aludel://prompts/{id}",
            "aludel://jobs/@last",
            "file:///etc/passwd",
            "nonsense\u{0}",
            "",
        ] {
            for method in ["resources/read", "resources/subscribe"] {
                if wire.is_newer() && method == "resources/subscribe" {
                    continue;
                }
                let error = wire.error(method, json!({ "uri": uri })).await;
                assert_eq!((&error["code"], &error["data"]["uri"]), (&json!(not_found(&wire)), &json!(uri)), "{error}");
            }
        }
        let bad = wire.error("resources/read", json!({ "uri": "aludel://prompts/x" })).await;
        assert!(bad["message"].as_str().expect("words").contains("aludel://prompts/{id}"), "{bad}");
        let long = wire.error("resources/read", json!({ "uri": "x".repeat(1_000_000) })).await;
        assert!(long.to_string().len() < 1000, "an error does not repeat a megabyte");
        for uri in [json!(5), json!(null), json!({})] {
            let error = wire.error("resources/read", json!({ "uri": uri })).await;
            assert_eq!(error["code"], -32602);
            assert!(error["message"].as_str().expect("words").contains("`uri` must be a text"), "{error}");
        }
    }
}

#[tokio::test]
async fn what_is_in_the_trash_is_neither_listed_nor_read() {
    for mut wire in both().await {
        let id = generate(&mut wire, "Write a haiku", 1).await[0]["id"].clone();
        let uri = json!({ "uri": format!("aludel://prompts/{}", id.as_str().expect("an id")) });
        wire.content("delete_prompt", json!({ "prompt_id": id })).await;
        assert_eq!(list(&mut wire, json!({})).await["resources"], json!([]));
        assert_eq!(wire.error("resources/read", uri.clone()).await["code"], not_found(&wire));
        wire.content("restore_prompt", json!({ "prompt_id": id })).await;
        assert_eq!(list(&mut wire, json!({})).await["resources"].as_array().map(Vec::len), Some(1));
        assert!(wire.request("resources/read", uri).await["result"]["contents"][0]["text"].is_string());
    }
}
