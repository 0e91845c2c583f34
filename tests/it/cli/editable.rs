//! Personas and templates: listed, shown, copied and overridden; and the state of the database.

use serde_json::Value;

use crate::support::Home;

fn names(value: &Value) -> Vec<String> {
    value.as_array().expect("a list").iter().map(|row| row["name"].as_str().expect("a name").to_owned()).collect()
}

#[test]
fn personas_and_templates_are_listed_and_shown() {
    let home = Home::new();
    let personas = names(&home.run(&["personas", "--format", "json"]).quietly_done().json());
    for name in ["code", "writing", "analysis", "generic"] {
        assert!(personas.iter().any(|known| known == name), "{personas:?}");
        assert!(home.run(&["personas", "show", name]).quietly_done().stdout.len() > 100);
    }
    let templates = names(&home.run(&["templates", "list", "--format", "json"]).quietly_done().json());
    for name in ["prima-materia", "solutio", "coagulatio"] {
        assert!(templates.iter().any(|known| known == name), "{templates:?}");
        assert!(home.run(&["templates", "show", name]).quietly_done().stdout.len() > 100);
    }
    assert!(home.run(&["personas"]).quietly_done().stdout.contains("built in"));
}

#[test]
fn an_edited_copy_wins_and_removing_it_brings_the_original_back() {
    let home = Home::new();
    let original = home.run(&["personas", "show", "code"]).quietly_done().stdout;
    let path = home.run(&["personas", "edit", "code"]).quietly_done().stdout;
    let path = path.trim_end();
    assert_eq!(std::fs::read_to_string(path).expect("the copy"), original);
    let listed = home.run(&["personas"]).quietly_done().stdout;
    assert!(listed.lines().any(|line| line.starts_with("code") && line.contains("yours")), "{listed}");
    home.run(&["personas", "edit", "code"]).quietly_done();
    std::fs::remove_file(path).expect("the copy");
    assert!(!home.run(&["personas"]).quietly_done().stdout.contains("yours"));
}

#[test]
fn what_is_not_there_is_not_found_whether_persona_or_template() {
    let home = Home::new();
    for what in ["personas", "templates"] {
        for verb in ["show", "edit"] {
            let said = home.run(&[what, verb, "nope"]).failed(5);
            assert!(said.stderr.contains("matches `nope`") && said.stderr.contains(what), "{}", said.stderr);
        }
    }
}

#[test]
fn a_persona_of_ones_own_can_be_used() {
    let home = Home::new();
    let path = home.run(&["personas", "edit", "code"]).quietly_done().stdout;
    let copy = std::path::Path::new(path.trim_end());
    let text = std::fs::read_to_string(copy).expect("the copy").replace("name: code", "name: pirate");
    home.write(".aludel/personas/pirate.md", text);
    let result = home.run(&["generate", "x", "--persona", "pirate", "--format", "json"]).quietly_done().json();
    assert_eq!(result["prompts"][0]["persona"], "pirate");
}

#[test]
fn themes_are_listed_shown_copied_and_a_broken_one_tells_its_line() {
    let home = Home::new();
    let listed = home.run(&["templates", "--format", "json"]).quietly_done().json();
    let themes = listed.as_array().expect("a list").iter().filter(|row| row["kind"] == "theme");
    let themes: Vec<&str> = themes.map(|row| row["name"].as_str().expect("a name")).collect();
    assert_eq!(themes, ["ansi16", "dark", "light", "high-contrast"]);
    let shown = home.run(&["templates", "show", "theme/dark"]).quietly_done().stdout;
    let copy = home.run(&["templates", "edit", "theme/dark"]).quietly_done().stdout;
    assert_eq!(std::fs::read_to_string(copy.trim_end()).expect("the copy"), shown);
    home.write(".aludel/themes/sea.yaml", "extends: dark\n\nmuted: 300\n");
    home.write(".aludel/themes/mono.yaml", "extends: dark\n");
    let said = home.run(&["validate"]);
    assert!(said.stdout.contains("sea.yaml`: line 3: muted: expected a colour"), "{}", said.stdout);
    assert!(said.stdout.contains("`mono` is built in and not read"), "{}", said.stdout);
    let rows = home.run(&["templates"]).quietly_done().stdout;
    assert!(rows.lines().any(|line| line.starts_with("sea") && line.contains("cannot be used")), "{rows}");
    assert!(rows.lines().any(|line| line.starts_with("dark") && line.contains("yours")), "{rows}");
}

#[test]
fn unknown_names_are_refused() {
    let home = Home::new();
    for group in ["personas", "templates"] {
        for action in ["show", "edit"] {
            let said = home.run(&[group, action, "nonesuch"]);
            assert!(matches!(said.code, 2 | 5), "{said:?}");
            assert!(said.stderr.contains("nonesuch"), "{}", said.stderr);
        }
    }
}

#[test]
fn migrate_tells_and_does_nothing_when_all_is_up_to_date() {
    let home = Home::new();
    assert_eq!(home.run(&["migrate", "--status", "--format", "json"]).quietly_done().json()["exists"], false);
    home.run(&["generate", "x", "--count", "1"]).done();
    for option in ["--status", "--dry-run"] {
        let said = home.run(&["migrate", option]).quietly_done();
        assert!(said.stdout.contains("up to date"), "{}", said.stdout);
    }
    let report = home.run(&["migrate", "--format", "json"]).quietly_done().json();
    assert_eq!(report["applied"], Value::Array(vec![]));
    assert!(report["backup"].is_null());
    home.run(&["migrate", "--status", "--dry-run"]).failed(2);
}
