//! Searching by words, by meaning and by another prompt, without a key or network.

use serde_json::{Value, json};

use crate::support::{CommandOutput, Home};

const IDEAS: [(&str, &str); 4] = [
    ("Apologise to a customer whose parcel came late", "mail"),
    ("Sort an array of integers", "code,numbers"),
    ("Bake a loaf of rye bread", "kitchen"),
    ("Explain what a rainbow is", "science"),
];
/// Has the meaning of the first idea and shares no word with it.
const PARAPHRASE: &str = "say sorry because a delivery was delayed";

/// A home with a prompt for each idea, made by the embedded writer.
fn filled() -> Home {
    let home = Home::new();
    for (idea, tags) in IDEAS {
        home.run(&["generate", idea, "--count", "1", "--tags", tags, "--phases", "prima-materia"]).done();
    }
    home
}

fn found(said: &CommandOutput) -> Vec<Value> {
    said.json().as_array().expect("a list").clone()
}

fn inputs(rows: &[Value]) -> Vec<&str> {
    rows.iter().map(|row| row["original_input"].as_str().expect("text")).collect()
}

#[test]
fn a_meaning_that_shares_no_word_finds_the_prompt_first() {
    let home = filled();
    for way in ["--semantic", "--hybrid"] {
        let rows = found(&home.run(&["search", way, PARAPHRASE, "--format", "json"]).quietly_done());
        assert_eq!((rows.len(), inputs(&rows)[0]), (4, IDEAS[0].0), "{way}");
        assert_eq!(rows[0]["match"]["kind"], "semantic");
        assert!(rows[0]["match"]["snippet"].as_str().is_some_and(|snippet| !snippet.is_empty()));
    }
    assert!(found(&home.run(&["search", PARAPHRASE, "--format", "json"]).quietly_done()).is_empty());
    let piped =
        home.run_with_stdin(&["search", "--semantic", "-", "--limit", "1", "--format", "json"], PARAPHRASE.as_bytes());
    assert_eq!(inputs(&found(&piped.quietly_done())), [IDEAS[0].0]);
}

#[test]
fn words_are_found_with_what_matched_and_how_many_there_are() {
    let home = filled();
    let said = home.run(&["search", "rye", "loaf"]).done();
    assert!(said.stdout.contains(IDEAS[2].0) && said.stdout.contains("rye"), "{}", said.stdout);
    assert!(!said.stdout.contains('\u{1b}'));
    assert_eq!(said.stderr, "1 match\n");
    let rows = found(&home.run(&["search", "integers", "--format", "json"]).quietly_done());
    let [row] = rows.as_slice() else { panic!("{rows:?}") };
    let matched = &row["match"];
    let snippet: Vec<char> = matched["snippet"].as_str().expect("text").chars().collect();
    let (from, to) = (matched["marks"][0][0].as_u64().expect("from"), matched["marks"][0][1].as_u64().expect("to"));
    let marked: String =
        snippet[usize::try_from(from).expect("small")..usize::try_from(to).expect("small")].iter().collect();
    assert!(marked.to_lowercase().starts_with("integer"), "{marked}");
    assert_eq!((&matched["kind"], &row["near_duplicate_of"]), (&json!("text"), &Value::Null));
    assert!(found(&home.run(&["search", "rye -bread", "--format", "json"]).quietly_done()).is_empty());
}

#[test]
fn words_that_find_nothing_propose_to_look_by_meaning() {
    const PROPOSED: &str = "no stored prompt matches\n--semantic searches by meaning";
    let home = filled();
    // Nothing is about it, so no prompt is suggested.
    assert_eq!(home.run(&["search", "platypus"]).done().stderr, format!("{PROPOSED}\n"));
    // Other words for a stored idea.
    let said = home.run(&["search", PARAPHRASE]).done();
    let nearest = found(&home.run(&["search", PARAPHRASE, "--semantic", "--format", "json"]).quietly_done());
    assert_eq!((&nearest[0]["original_input"], &nearest[0]["match"]["far"]), (&json!(IDEAS[0].0), &Value::Null));
    let id = nearest[0]["id"].as_str().expect("an id");
    let short = &id[id.len() - 8..];
    assert_eq!(said.stderr, format!("{PROPOSED}; nearest is {short}: {}\n", IDEAS[0].0));
    assert_eq!(said.stdout, "");
    // Programs get everything in the result.
    home.run(&["search", "platypus", "--format", "json"]).quietly_done();
    home.run(&["search", "platypus", "--quiet"]).quietly_done();
}

#[test]
fn what_is_found_by_a_meaning_that_is_not_near_is_marked() {
    let home = filled();
    let said = home.run(&["search", "--semantic", "quantum chromodynamics"]).done();
    assert!(said.stdout.contains(", far"), "{}", said.stdout);
    let rows = found(&home.run(&["search", "--semantic", "quantum chromodynamics", "--format", "json"]).quietly_done());
    for row in rows {
        let score = row["match"]["score"].as_f64().expect("a score");
        assert_eq!(row["match"]["far"] == json!(true), score < 0.30, "{row}");
    }
}

#[test]
fn filters_and_offsets_hold_for_every_way() {
    let home = filled();
    for way in [&["search", "a"][..], &["search", "a", "--semantic"], &["search", "a", "--hybrid"]] {
        let run = |options: &[&str]| found(&home.run(&[way, options, &["--format", "json"]].concat()).quietly_done());
        let all = run(&[]);
        let parts: Vec<Value> =
            (0..all.len()).flat_map(|at| run(&["--limit", "1", "--offset", &at.to_string()])).collect();
        assert_eq!(parts, all, "{way:?}");
        let tagged = run(&["--tags", "code,numbers"]);
        assert!(tagged.iter().all(|row| row["tags"] == json!(["code", "numbers"])), "{way:?}");
        assert!(run(&["--since", "2100-01-01"]).is_empty() && run(&["--persona", "nobody"]).is_empty());
        assert_eq!(run(&["--phase", "prima-materia", "--provider", "builtin"]), all);
    }
    let said = home.run(&["search", "--semantic", "bread", "--limit", "3"]).done();
    assert_eq!(said.stderr, "3 of 4 prompts; there are more: --offset 3\n");
}

#[test]
fn any_query_gives_results_or_a_clean_error() {
    let home = filled();
    let hostile = [
        "\"",
        "\"\"",
        "\"unclosed",
        "*",
        "a*",
        "OR",
        "OR OR",
        "AND NOT",
        "NEAR(a b, 1)",
        "content:bread",
        "-",
        "--",
        "-bread",
        "^bread",
        "(((",
        "')); DROP TABLE prompts; --",
        "\u{202e}x",
        "\u{1b}[2J",
        "𝄞",
        "%_%",
        "{bread}",
        "+ - * /",
    ];
    for query in hostile {
        for way in [&["--format", "json"][..], &["--hybrid", "--format", "json"]] {
            let mut arguments = vec!["search"];
            arguments.extend(way);
            arguments.extend(["--", query]);
            let said = home.run_with_stdin(&arguments, query.as_bytes());
            assert_eq!(said.code, 0, "{query:?}: {}", said.stderr);
            assert!(said.json().is_array());
        }
    }
    assert_eq!(found(&home.run(&["search", "bread", "--format", "json"]).quietly_done()).len(), 1);
}

#[test]
fn bad_requests_are_refused_as_everywhere() {
    let home = Home::new();
    let refused = |arguments: &[&str]| {
        let problem = home.run(&[&["search", "--format", "json"], arguments].concat()).failed(2).problem();
        let fields = problem["errors"].as_array().expect("faults").iter().map(|fault| fault["field"].clone());
        (problem["code"].as_str().expect("a code").to_owned(), fields.collect::<Vec<_>>())
    };
    assert_eq!(refused(&[]), ("invalid_request".into(), vec![json!("query")]));
    assert_eq!(refused(&[" "]), ("validation_failed".into(), vec![json!("query")]));
    assert_eq!(refused(&["x", "--semantic", "--hybrid"]), ("validation_failed".into(), vec![json!("hybrid")]));
    assert_eq!(refused(&["x", "--limit", "0", "--phase", "y"]).1, [json!("limit"), json!("phase")]);
    assert!(!home.database().exists());
}

#[test]
fn without_vectors_a_meaning_is_a_conflict_that_says_what_to_do_and_reindex_does_it() {
    let home = Home::new();
    // An unreachable embedding model: the run is stored and does not fail.
    let asked = [("ALUDEL_GENERATION__DEFAULT_EMBEDDING_MODEL", "openai")];
    let said = home.run_with_env(&["generate", IDEAS[0].0, "--count", "2", "--format", "json"], &asked).done();
    assert_eq!(said.json()["prompts"].as_array().map(Vec::len), Some(2));
    assert!(said.stderr.contains("OPENAI_API_KEY") && said.stderr.contains("aludel reindex"), "{}", said.stderr);
    for way in ["--semantic", "--hybrid"] {
        let problem = home.run(&["search", way, "x", "--format", "json"]).failed(1).problem();
        assert_eq!((&problem["code"], &problem["status"]), (&json!("conflict"), &json!(409)));
        let detail = problem["detail"].as_str().expect("text");
        assert!(detail.contains("aludel reindex") && detail.contains("builtin/all-minilm-l6-v2"), "{detail}");
    }
    home.run(&["similar", "@last"]).failed(1);
    assert_eq!(
        home.run(&["search", "parcel", "--format", "json"]).quietly_done().json().as_array().map(Vec::len),
        Some(2)
    );

    let made = home.run(&["reindex", "--format", "json"]).quietly_done().json();
    assert_eq!((&made["text"], &made["vectors"]), (&json!(2), &json!(2)));
    assert!(made["seconds"].as_f64().is_some_and(|seconds| seconds >= 0.0));
    assert_eq!(home.run(&["reindex", "--vectors"]).quietly_done().stdout, "no vector was missing\n");
    assert_eq!(home.run(&["reindex", "--vectors", "--all"]).quietly_done().stdout, "vectors of 2 prompts made\n");
    assert_eq!(found(&home.run(&["search", "--semantic", PARAPHRASE, "--format", "json"]).quietly_done()).len(), 2);
}

#[test]
fn what_lacks_a_vector_is_counted_in_a_warning() {
    let home = filled();
    let asked = [("ALUDEL_GENERATION__DEFAULT_EMBEDDING_MODEL", "openai")];
    home.run_with_env(&["generate", "Name a boat", "--count", "1"], &asked).done();
    let said = home.run(&["search", "--semantic", "bread", "--limit", "1", "--format", "json"]).done();
    assert!(said.stderr.starts_with("warning: 1 prompt has no vector"), "{}", said.stderr);
}

#[test]
fn a_prompts_neighbours_leave_it_out() {
    let home = filled();
    let rows = found(&home.run(&["similar", "@last", "--format", "json"]).quietly_done());
    assert_eq!(rows.len(), 3);
    assert!(!inputs(&rows).contains(&IDEAS[3].0));
    home.run(&["similar", "01932c07-7d1c-7c3e-8a51-0e4b7a3f9c21"]).failed(5);
    home.run(&["similar", "nonsense"]).failed(2);
}

#[cfg(feature = "server")]
#[tokio::test]
async fn the_answer_is_the_one_that_http_gives() {
    let home = filled();
    let api = crate::rest::Api::new(crate::seeded::Seeded::at(&home.data()));
    for (options, query) in [
        (&[][..], ""),
        (&["--semantic", "--limit", "2", "--offset", "1"], "&semantic=true&limit=2&offset=1"),
        (&["--hybrid", "--tags", "kitchen"], "&hybrid=true&tags=kitchen"),
    ] {
        let said = home.run(&[&["search", "bread", "--format", "json"], options].concat()).quietly_done();
        assert_eq!(said.json(), api.get(&format!("/api/v1/prompts/search?q=bread{query}")).await.json());
    }
}

#[test]
fn every_format_has_the_same_rows() {
    let home = filled();
    let run = |format: &str| home.run(&["search", "--semantic", "bread", "--format", format]).done().stdout;
    let json: Value = serde_json::from_str(&run("json")).expect("JSON");
    let rows = json.as_array().expect("a list");
    let lines: Vec<Value> = run("jsonl").lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(&lines, rows);
    assert_eq!(serde_yaml::from_str::<Value>(&run("yaml")).expect("YAML"), json);
    let (csv, markdown, text) = (run("csv"), run("markdown"), run("text"));
    assert!(csv.lines().next().is_some_and(|header| header.ends_with("match_score,match_kind,snippet")), "{csv}");
    let mut places = (0, 0, 0);
    for row in rows {
        let id = row["id"].as_str().expect("an id");
        let place = |text: &str, wanted: &str| text.find(wanted).unwrap_or_else(|| panic!("{wanted} is not in {text}"));
        let next = (place(&csv, id), place(&markdown, id), place(&text, &id[id.len() - 8..]));
        assert!(next > places, "the order differs");
        places = next;
    }
    let quiet = home.run(&["search", "--semantic", "bread", "--quiet"]).quietly_done().stdout;
    let ids: Vec<&str> = rows.iter().map(|row| row["id"].as_str().expect("an id")).collect();
    assert_eq!(quiet.lines().collect::<Vec<_>>(), ids);
}
