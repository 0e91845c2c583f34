//! Stored prompts: list, show, change, delete.

use serde_json::{Value, json};

use crate::support::{CommandOutput, Home};

/// A home with prompts for three ideas, two each, the newest last.
fn filled() -> Home {
    let home = Home::new();
    for (idea, tags, persona) in
        [("First idea", "old", "code"), ("Second idea", "old,mid", "writing"), ("Third idea", "new", "generic")]
    {
        home.run(&["generate", idea, "--count", "2", "--tags", tags, "--persona", persona]).done();
    }
    home
}

fn rows(said: CommandOutput) -> Vec<Value> {
    said.quietly_done().json()["prompts"].as_array().expect("prompts").clone()
}

fn text<'a>(value: &'a Value, member: &str) -> &'a str {
    value[member].as_str().expect("text")
}

#[test]
fn a_list_is_newest_first_and_filtered() {
    let home = filled();
    let list = |options: &[&str]| rows(home.run(&[&["list", "--format", "json"], options].concat()));
    let inputs = |rows: &[Value]| rows.iter().map(|row| text(row, "original_input").to_owned()).collect::<Vec<_>>();
    let all = list(&[]);
    assert_eq!(all.len(), 6);
    assert!(all.is_sorted_by_key(|row| std::cmp::Reverse(text(row, "created_at").to_owned())));
    assert_eq!(inputs(&list(&["--tags", "old"])), ["Second idea", "Second idea", "First idea", "First idea"]);
    assert_eq!(inputs(&list(&["--tags", "old,mid"])), ["Second idea", "Second idea"]);
    assert_eq!(inputs(&list(&["--persona", "code"])), ["First idea", "First idea"]);
    assert_eq!(list(&["--sort", "oldest", "--limit", "1"])[0]["original_input"], "First idea");
    let scores: Vec<f64> =
        list(&["--sort", "score"]).iter().map(|row| row["score"].as_f64().expect("a score")).collect();
    assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
    assert!(list(&["--since", "2100-01-01"]).is_empty());
    assert_eq!(list(&["--since", "1h"]).len(), 6);
    assert_eq!(list(&["--provider", "builtin", "--phase", "coagulatio"]).len(), 6);
    assert!(list(&["--model", "other"]).is_empty());
}

#[test]
fn pages_follow_one_another() {
    let home = filled();
    let page =
        |options: &[&str]| home.run(&[&["list", "--format", "json", "--limit", "4"], options].concat()).done().json();
    let first = page(&[]);
    let second = page(&["--cursor", text(&first, "next_cursor")]);
    let ids =
        |page: &Value| page["prompts"].as_array().expect("p").iter().map(|row| row["id"].clone()).collect::<Vec<_>>();
    assert_eq!((ids(&first).len(), ids(&second).len()), (4, 2));
    assert!(second["next_cursor"].is_null());
    assert_eq!(ids(&page(&["--offset", "4"])), ids(&second));
    let said = home.run(&["list", "--limit", "4"]).done();
    assert!(said.stderr.contains("--offset 4"), "{}", said.stderr);
    home.run(&["list", "--cursor", "nonsense"]).failed(2);
}

#[test]
fn an_empty_store_says_what_to_do() {
    let home = Home::new();
    for command in ["list", "history", "metrics", "stats"] {
        let said = home.run(&[command]).done();
        assert_eq!(said.stdout, "");
        assert!(said.stderr.contains("aludel generate"), "{}", said.stderr);
    }
    assert!(!home.data().exists(), "looking made something");
}

#[test]
fn a_prompt_is_shown_by_any_unique_piece_of_its_id_with_every_step() {
    let home = filled();
    let newest = rows(home.run(&["list", "--format", "json", "--limit", "1"])).remove(0);
    let id = text(&newest, "id");
    for key in [id, &id[id.len() - 8..], &id.to_uppercase(), "@last"] {
        let shown = home.run(&["show", key, "--format", "json"]).quietly_done().json();
        assert_eq!(shown, newest);
    }
    let said = home.run(&["show", id]).quietly_done();
    for step in newest["steps"].as_array().expect("steps") {
        assert!(said.stdout.contains(text(step, "phase")));
        assert!(said.stdout.contains(text(step, "content").trim_end()));
    }
    let quiet = home.run(&["show", id, "--quiet"]).quietly_done().stdout;
    assert_eq!(quiet.trim_end(), text(&newest, "content").trim_end());
    let yaml: Value = serde_yaml::from_str(&home.run(&["show", id, "--format", "yaml"]).done().stdout).expect("YAML");
    assert_eq!(yaml, newest);
}

#[test]
fn an_ambiguous_id_lists_what_it_could_mean() {
    let home = filled();
    let rows = rows(home.run(&["list", "--format", "json"]));
    let beginning = &text(&rows[0], "id")[..6];
    let said = home.run(&["show", beginning]).failed(2);
    let meant = rows.iter().filter(|row| text(row, "id").starts_with(beginning));
    let named = meant.filter(|row| said.stderr.contains(text(row, "id"))).count();
    assert!(named >= 2, "{}", said.stderr);
}

#[test]
fn history_tells_runs_newest_first_with_their_variants() {
    let home = filled();
    let page = home.run(&["history", "--format", "json"]).quietly_done().json();
    let sessions = page["sessions"].as_array().expect("sessions");
    let inputs: Vec<&str> = sessions.iter().map(|session| text(session, "original_input")).collect();
    assert_eq!(inputs, ["Third idea", "Second idea", "First idea"]);
    for session in sessions {
        let prompts = session["prompts"].as_array().expect("prompts");
        assert_eq!(prompts.len(), 2);
        assert!(prompts.iter().all(|prompt| prompt["session_id"] == session["id"]));
    }
    let said = home.run(&["history", "--limit", "2"]).done();
    assert!(said.stdout.contains("Third idea") && !said.stdout.contains("First idea"), "{}", said.stdout);
    assert!(said.stderr.contains("--offset 2"), "{}", said.stderr);
    assert_eq!(home.run(&["history", "--format", "jsonl"]).quietly_done().json_lines(), *sessions);
    assert!(home.run(&["history", "--format", "markdown"]).quietly_done().stdout.starts_with("## Third idea"));
}

#[test]
fn tags_and_notes_change_in_place() {
    let home = filled();
    let update = |options: &[&str]| {
        home.run(&[&["update", "@last", "--format", "json"], options].concat()).quietly_done().json()
    };
    let before = home.run(&["show", "@last", "--format", "json"]).done().json();
    let after = update(&["--add-tag", "keeper", "--remove-tag", "new", "--notes", "Worked well"]);
    assert_eq!((&after["id"], &after["tags"]), (&before["id"], &json!(["keeper"])));
    assert_eq!((&after["notes"], &after["revision"]), (&json!("Worked well"), &json!(2)));
    assert_eq!(update(&["--tags", "a,b"])["tags"], json!(["a", "b"]));
    assert_eq!(update(&["--tags", ""])["tags"], json!([]));
    assert!(update(&["--notes", ""])["notes"].is_null());
    home.write("notes.txt", "from a file\n");
    assert_eq!(update(&["--notes", "@notes.txt"])["notes"], "from a file");
    let said = home.run(&["update", "@last", "--add-tag", "x"]).quietly_done();
    assert!(said.stdout.contains("revision  7") && said.stdout.contains("tags      x"), "{}", said.stdout);
}

#[test]
fn new_content_makes_a_new_prompt_and_leaves_the_old_one() {
    let home = filled();
    let before = home.run(&["show", "@last", "--format", "json"]).done().json();
    let arguments = ["update", text(&before, "id"), "--content", "-", "--format", "json"];
    let new = home.run_with_stdin(&arguments, b"Better words\n").quietly_done().json();
    assert_eq!((&new["content"], &new["parent_id"]), (&json!("Better words"), &before["id"]));
    assert_eq!((&new["source"], &new["revision"]), (&json!("manual"), &json!(1)));
    let old = home.run(&["show", text(&before, "id"), "--format", "json"]).done().json();
    assert_eq!(old, before);
    assert_eq!(rows(home.run(&["list", "--format", "json"])).len(), 7);
}

#[test]
fn prompts_are_deleted_by_id_or_all() {
    let home = filled();
    let all = rows(home.run(&["list", "--format", "json"]));
    let (first, second) = (text(&all[0], "id"), text(&all[1], "id"));
    let deletion = home.run(&["delete", first, second, "--yes", "--format", "json"]).quietly_done().json();
    assert_eq!(deletion["deleted"], json!([first, second]));
    assert!(deletion["restorable_until"].is_string(), "{deletion}");
    home.run(&["show", first]).failed(5);
    let said = home.run(&["delete", "--all", "--yes"]).quietly_done().stdout;
    assert!(said.starts_with("deleted 4 prompts; until 20") && said.contains("`aludel trash restore`"), "{said}");
    assert!(rows(home.run(&["list", "--format", "json"])).is_empty());
}

#[test]
fn deleted_prompts_are_listed_restored_and_removed_for_good() {
    let home = filled();
    let all = rows(home.run(&["list", "--format", "json"]));
    let (first, second, third) = (text(&all[0], "id"), text(&all[1], "id"), text(&all[2], "id"));
    assert!(home.run(&["trash", "list"]).done().stderr.contains("the trash is empty"));
    home.run(&["delete", first, "--yes"]).done();
    home.run(&["delete", second, third, "--yes"]).done();

    let trash = home.run(&["trash", "list", "--format", "json"]).quietly_done().json();
    assert_eq!((&trash["total"], trash["prompts"].as_array().map(Vec::len)), (&json!(3), Some(3)));
    let last = &trash["prompts"][0];
    assert_eq!((text(last, "id"), &last["content"]), (third, &all[2]["content"]));
    assert!(last["deleted_at"].as_str() < last["restorable_until"].as_str(), "{last}");
    let said = home.run(&["trash", "list", "--limit", "1"]).done();
    assert!(said.stdout.contains(&third[third.len() - 8..]) && said.stderr.contains("3 in all"), "{said:?}");
    assert_eq!(home.run(&["trash", "list", "--quiet"]).quietly_done().stdout.lines().last(), Some(first));
    home.run(&["trash", "list", "--limit", "0"]).failed(2);

    // By the end of its id, and by its time of deletion.
    home.run(&["trash", "restore", &first[first.len() - 8..]]).quietly_done();
    let restored = home.run(&["trash", "restore", "@last", "--format", "json"]).quietly_done().json();
    assert_eq!(text(&restored["restored"][0], "id"), third);
    let shown = home.run(&["show", first, "--format", "json"]).quietly_done().json();
    assert_eq!((&shown["revision"], &shown["content"]), (&json!(2), &all[0]["content"]));
    let said = home.run(&["trash", "restore", first]).failed(5);
    assert!(said.stderr.contains("aludel trash list"), "{}", said.stderr);

    // Prompts deleted for good cannot be restored.
    home.run(&["delete", first, "--forever", "--yes"]).quietly_done();
    home.run(&["trash", "restore", first]).failed(5);
    let refused = home.run(&["trash", "empty"]).failed(2);
    assert!(refused.stderr.contains("--yes"), "{}", refused.stderr);
    let emptied = home.run(&["trash", "empty", "--yes", "--format", "json"]).quietly_done().json();
    assert_eq!(emptied, json!({ "deleted": [second], "restorable_until": null }));
    home.run(&["trash", "restore", second]).failed(5);
    // Their cost remains recorded.
    let spent = home.run(&["spend", "--format", "json"]).done().json();
    assert!(spent.to_string().contains("calls"), "{spent}");
}

#[test]
fn without_days_in_the_trash_what_is_deleted_is_gone_at_once() {
    let home = filled();
    home.run(&["config", "set", "storage.trash_days", "0"]).done();
    let deletion = home.run(&["delete", "@last", "--yes", "--format", "json"]).quietly_done().json();
    assert_eq!(deletion["restorable_until"], json!(null));
    assert_eq!(home.run(&["trash", "list", "--format", "json"]).quietly_done().json()["total"], 0);
}
