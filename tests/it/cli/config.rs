//! The configuration: shown, read, changed, and rejected with key, line and expectation.

use serde_json::{Value, json};

use crate::support::Home;

const COMMENTED: &str = "\
# mine
generation:
  default_count: 2   # two are enough
log:
  level: warn
";

#[test]
fn what_is_configured_is_in_force_and_flags_and_variables_win() {
    let home = Home::new();
    home.config(COMMENTED);
    let get = |arguments: &[&str], variables: &[(&str, &str)]| {
        home.run_with_env(&[&["config", "get", "generation.default_count"], arguments].concat(), variables)
            .quietly_done()
            .stdout
    };
    assert_eq!(get(&[], &[]), "2\n");
    assert_eq!(get(&[], &[("ALUDEL_GENERATION__DEFAULT_COUNT", "4")]), "4\n");
    let result = home.run(&["generate", "x", "--format", "json"]).quietly_done().json();
    assert_eq!(result["prompts"].as_array().map(Vec::len), Some(2));
}

#[test]
fn show_tells_where_each_value_comes_from() {
    let home = Home::new();
    home.config(COMMENTED);
    let arguments = ["config", "show", "--origin", "--log-level", "debug"];
    let said = home.run_with_env(&arguments, &[("ALUDEL_SERVER__PORT", "9000")]).quietly_done();
    let line = |key: &str| said.stdout.lines().find(|line| line.starts_with(key)).expect("the key").to_owned();
    for (key, origin, value) in [
        ("generation.default_count", "~/.aludel/config.yaml:3", "2"),
        ("log.level", "--log-level", "debug"),
        ("server.port", "ALUDEL_SERVER__PORT", "9000"),
        ("generation.default_temperature", "default", "0.7"),
    ] {
        let words: Vec<String> = line(key).split_whitespace().map(str::to_owned).collect();
        assert_eq!(words, [key, origin, value]);
    }
    let json = home.run(&["config", "show", "--format", "json"]).quietly_done().json();
    let row = json.as_array().expect("rows").iter().find(|row| row["key"] == "log.level").expect("the key").clone();
    assert_eq!(row["value"], "warn");
}

#[test]
fn secrets_are_never_shown() {
    let home = Home::new();
    home.config("providers:\n  openai:\n    api_key: sk-canary-1234567890\n");
    for arguments in [
        &["config", "show"][..],
        &["config", "show", "--format", "json"],
        &["config", "export"],
        &["config", "export", "--format", "json"],
        &["config", "get", "providers.openai.api_key"],
        &["config", "get", "providers"],
        &["validate"],
    ] {
        let said = home.run(arguments);
        assert!(!format!("{said:?}").contains("canary"), "{arguments:?}: {said:?}");
    }
}

#[test]
fn set_keeps_comments_and_get_reads_it_back() {
    let home = Home::new();
    let file = home.config(COMMENTED);
    assert!(home.run(&["config", "set", "generation.default_count", "5"]).quietly_done().stdout.contains("~/.aludel"));
    let written = std::fs::read_to_string(file).expect("the file");
    assert_eq!(written, COMMENTED.replace(": 2 ", ": 5 "));
    assert_eq!(home.run(&["config", "get", "generation.default_count"]).quietly_done().stdout, "5\n");
    let section = home.run(&["config", "get", "generation", "--format", "json"]).quietly_done().json();
    assert_eq!(section["default_count"], 5);
}

#[test]
fn a_bad_value_is_not_set() {
    let home = Home::new();
    let file = home.config(COMMENTED);
    for (key, value) in [("generation.default_count", "0"), ("generation.default_cuont", "3"), ("log.level", "loud")] {
        let said = home.run(&["config", "set", key, value]).failed(3);
        assert!(said.stderr.contains(key), "{}", said.stderr);
    }
    assert_eq!(std::fs::read_to_string(file).expect("the file"), COMMENTED);
}

#[test]
fn a_broken_file_is_refused_with_key_line_and_expectation() {
    let home = Home::new();
    home.config("generation:\n  default_count: many\n  default_cuont: 3\n");
    for arguments in [&["list"][..], &["generate", "x"], &["config", "show"], &["config", "validate"], &["validate"]] {
        let said = home.run(arguments).failed(3);
        assert!(said.stderr.contains("config.yaml:2: generation.default_count: "), "{}", said.stderr);
        assert!(said.stderr.contains("config.yaml:3: ") && said.stderr.contains("default_count"), "{}", said.stderr);
    }
    let problem = home.run(&["list", "--format", "json"]).failed(3).problem();
    assert_eq!((&problem["code"], &problem["status"]), (&json!("config_invalid"), &json!(500)));
    home.run(&["config", "path"]).quietly_done();
    home.run(&["version"]).quietly_done();
}

#[test]
fn bad_flags_and_variables_are_refused_by_name() {
    let home = Home::new();
    // A flag is an argument of the command: exit 2, and only its name, not also its key.
    for (arguments, says) in [
        (&["list", "--log-level", "loud"][..], "error: --log-level: expected error, warn, info, debug or trace"),
        (&["http-server", "--port", "99999"], "error: --port: expected a whole number from 0 to 65535, got 99999"),
    ] {
        let said = home.run(arguments).failed(2);
        assert!(said.stderr.starts_with(says), "{}", said.stderr);
    }
    home.config("log: {level: loud}\n");
    let said = home.run(&["list", "--log-level", "loud"]).failed(3);
    assert!(said.stderr.contains("log.level: expected"), "{}", said.stderr);
    home.config("");
    let said = home.run_with_env(&["list"], &[("ALUDEL_GENERATION__DEFAULT_COUNT", "0")]).failed(3);
    assert!(said.stderr.contains("ALUDEL_GENERATION__DEFAULT_COUNT"), "{}", said.stderr);
    let said = home.run(&["list", "--config", "none.yaml"]).failed(1);
    assert!(said.stderr.contains("none.yaml"), "{}", said.stderr);
}

#[test]
fn init_writes_a_file_that_changes_nothing_and_never_replaces_one_unasked() {
    let home = Home::new();
    let before = home.run(&["config", "export"]).quietly_done().stdout;
    home.run(&["config", "init"]).quietly_done();
    home.run(&["config", "validate"]).quietly_done();
    assert_eq!(home.run(&["config", "export"]).quietly_done().stdout, before);
    let said = home.run(&["config", "init"]).failed(1);
    assert!(said.stderr.contains("--yes"), "{}", said.stderr);
    home.run(&["config", "init", "--yes"]).quietly_done();
    let path = home.run(&["config", "path"]).quietly_done().stdout;
    assert_eq!(path.trim_end(), home.data().join("config.yaml").to_str().expect("UTF-8"));
}

#[test]
fn what_is_exported_loads_again() {
    let home = Home::new();
    home.config(COMMENTED);
    let exported = home.run(&["config", "export"]).quietly_done().stdout;
    let file = home.write("exported.yaml", &exported);
    let again = home.run(&["config", "export", "--config", file.to_str().expect("UTF-8")]).quietly_done().stdout;
    assert_eq!(again, exported);
    let tree: Value = serde_yaml::from_str(&exported).expect("YAML");
    assert_eq!(tree["generation"]["default_count"], 2);
}

#[test]
fn data_dir_moves_everything() {
    let home = Home::new();
    let elsewhere = home.path().join("elsewhere");
    home.run(&["generate", "x", "--count", "1", "--data-dir", elsewhere.to_str().expect("UTF-8")]).done();
    assert!(elsewhere.join("aludel.db").exists() && !home.data().exists());
    home.run_with_env(&["show", "@last"], &[("ALUDEL_HOME", elsewhere.to_str().expect("UTF-8"))]).done();
}

#[test]
fn an_export_as_json_says_what_the_yaml_says() {
    let home = Home::new();
    home.config(COMMENTED);
    let yaml: Value = serde_yaml::from_str(&home.run(&["config", "export"]).quietly_done().stdout).expect("YAML");
    let json = home.run(&["config", "export", "--format", "json"]).quietly_done().json();
    assert_eq!(json["generation"]["default_count"], yaml["generation"]["default_count"]);
    assert_eq!((&json["server"]["port"], &json["tui"]["theme"]), (&yaml["server"]["port"], &yaml["tui"]["theme"]));
}

#[cfg(unix)]
#[test]
fn validate_warns_of_what_others_can_read_or_change() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new();
    let file = home.config("{}");
    let chmod = |path: &std::path::Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("a mode");
    };
    chmod(&home.data(), 0o700);
    for (mode, warns) in [(0o600, false), (0o644, true), (0o666, true)] {
        chmod(&file, mode);
        let checks = home.run(&["validate", "--format", "json"]).done().json();
        assert_eq!(checks["valid"], true, "a warning fails nothing");
        let check = checks["checks"].as_array().expect("checks").iter().find(|check| check["name"] == "permissions");
        let check = check.expect("a check of permissions");
        assert_eq!(check["status"] == "warning", warns, "{mode:o}: {check}");
        let detail = check["detail"].as_str().expect("a text");
        assert_eq!(detail.contains("run `chmod 600 ~/.aludel/config.yaml`"), warns, "{detail}");
        home.run(&["config", "validate"]).quietly_done();
    }
}

#[test]
fn a_key_over_plain_http_is_refused_by_key_and_line() {
    let home = Home::new();
    home.config(
        "providers:\n  lab:\n    kind: openai\n    base_url: http://gpu-box/v1\n    api_key: canary-of-the-lab\n",
    );
    for arguments in [&["config", "validate"][..], &["validate"], &["generate", "x"]] {
        let said = home.run(arguments).failed(3);
        assert!(said.stderr.contains(":4: providers.lab.base_url: ") && said.stderr.contains("allow_http"), "{said:?}");
        assert!(!format!("{said:?}").contains("canary"), "{said:?}");
    }
    home.run(&["config", "set", "providers.lab.allow_http", "true"]).quietly_done();
    home.run(&["config", "validate"]).quietly_done();
    // With no key in the file, the environment's is refused where it would be sent.
    home.config("providers: {lab: {kind: openai, base_url: 'http://gpu-box/v1', model: m}}\n");
    home.run(&["config", "validate"]).quietly_done();
    let key = [("LAB_API_KEY", "canary-of-the-lab")];
    for (arguments, exit) in [(&["validate"][..], 1), (&["generate", "x", "--no-save"], 3)] {
        let said = home.run_with_env(arguments, &key);
        assert_eq!(said.code, exit, "{said:?}");
        let told = format!("{}{}", said.stdout, said.stderr);
        assert!(told.contains("providers.lab.base_url") && !told.contains("canary"), "{told}");
    }
}

#[test]
fn validate_tells_what_is_in_order_and_what_is_not() {
    let home = Home::new();
    let said = home.run(&["validate"]).quietly_done();
    assert!(said.stdout.contains("✓ database") && said.stdout.contains("all checks passed"), "{}", said.stdout);
    assert_eq!(home.run(&["validate", "--format", "json"]).quietly_done().json()["valid"], true);
    home.config("phases:\n  solutio:\n    provider: builtin\nranking:\n  weights: {coverage: 0}\n");
    let said = home.run(&["validate", "--format", "json"]);
    let failed = said.json()["checks"].as_array().expect("checks").iter().any(|check| check["status"] == "failed");
    assert_eq!(said.code, i32::from(failed));
}

#[cfg(feature = "tui")]
#[test]
fn keys_of_the_workbench_are_checked_before_they_are_written_and_when_they_are_read() {
    let home = Home::new();
    home.run(&["config", "set", "tui.keys.run", "Ctrl+T,F5"]).done();
    assert_eq!(home.run(&["config", "get", "tui.keys.run"]).quietly_done().stdout, "Ctrl+T,F5\n");
    home.run(&["config", "validate"]).done();
    for (key, value, message) in [
        ("tui.keys.rnu", "F5", "tui.keys.rnu: is not an action of the workbench"),
        ("tui.keys.zoom", "Hyper+Z", "tui.keys.zoom: `Hyper+Z` is not a key"),
        ("tui.keys.zoom", "y", "tui.keys.zoom: y is already the key of `copy`"),
        ("tui.keymap", "wordstar", "expected one of standard, emacs, vi"),
        (
            "tui.theme",
            "neon",
            "tui.theme: `neon` is not a theme; choose one of auto, mono, ansi16, dark, light, high-contrast",
        ),
    ] {
        let said = home.run(&["config", "set", key, value]).failed(3);
        assert!(said.stderr.contains(message), "{key} {value}: {}", said.stderr);
    }
    let kept = home.run(&["config", "get", "tui.keys"]).quietly_done().stdout;
    assert_eq!(kept.trim().lines().count(), 3, "only what was right was written: {kept}");
    home.config("tui:\n  keys:\n    run: [F2]\n    nothing: [F5]\n");
    let said = home.run(&["config", "validate"]).failed(3);
    for message in
        ["config.yaml:3: tui.keys.run: F2 is already the key of `run-settings`", "config.yaml:4: tui.keys.nothing"]
    {
        assert!(said.stderr.contains(message), "{message}: {}", said.stderr);
    }
}

#[cfg(feature = "tui")]
#[test]
fn themes_of_ones_own_are_taken_and_broken_ones_refused_with_file_and_line() {
    let home = Home::new();
    home.write(".aludel/themes/amber.yaml", "extends: dark\nbrand: \"#ff8700\"\n");
    home.write(".aludel/themes/torn.yaml", "extends: dark\nbrand: orange\n");
    home.run(&["config", "set", "tui.theme", "amber"]).done();
    home.run(&["config", "validate"]).done();
    for broken in ["torn", "neon"] {
        let said = home.run(&["config", "set", "tui.theme", broken]).failed(3);
        let message = if broken == "torn" {
            "torn.yaml`: line 2: brand: expected a colour"
        } else {
            "amber (yours), torn (yours)"
        };
        assert!(said.stderr.contains(message), "{}", said.stderr);
    }
    assert_eq!(home.run(&["config", "get", "tui.theme"]).quietly_done().stdout, "amber\n");
    home.config("tui:\n  theme: torn\n");
    let said = home.run(&["config", "validate"]).failed(3);
    assert!(
        said.stderr.contains("config.yaml:2: tui.theme: ") && said.stderr.contains("line 2: brand"),
        "{}",
        said.stderr
    );
}

#[cfg(feature = "tui")]
#[test]
fn validate_looks_at_the_workbench_too_and_names_where_its_settings_are_from() {
    let home = Home::new();
    let said = home.run(&["validate"]).quietly_done();
    assert!(said.stdout.contains("its keys and its theme can be used"), "{}", said.stdout);
    home.config("tui:\n  keys:\n    run: [F2]\n");
    let said = home.run_with_env(&["validate"], &[("ALUDEL_TUI__THEME", "neon")]);
    assert_eq!(said.code, 1);
    for message in [
        "config.yaml:3: tui.keys.run: F2 is already the key of `run-settings`",
        "environment variable ALUDEL_TUI__THEME: tui.theme: `neon` is not a theme",
    ] {
        assert!(said.stdout.contains(message), "{message}: {}", said.stdout);
    }
}

#[cfg(feature = "tui")]
#[test]
fn one_fault_of_the_workbench_may_be_mended_after_the_other() {
    let home = Home::new();
    home.config("tui:\n  theme: neon\n  keys:\n    run: [F2]\n");
    home.run(&["config", "set", "tui.theme", "neon"]).failed(3);
    home.run(&["config", "set", "tui.keys.run", "F1"]).failed(3);
    home.run(&["config", "set", "tui.keys.run", "F5"]).done();
    home.run(&["config", "validate"]).failed(3);
    home.run(&["config", "set", "tui.theme", "dark"]).done();
    home.run(&["config", "validate"]).done();
}

#[cfg(feature = "tui")]
#[test]
fn a_key_map_that_clashes_with_keys_of_ones_own_is_not_set() {
    let home = Home::new();
    home.run(&["config", "set", "tui.keys.zoom", "Alt+X"]).done();
    let said = home.run(&["config", "set", "tui.keymap", "emacs"]).failed(3);
    assert!(
        said.stderr.contains("config.yaml:3: tui.keys.zoom: Alt-x is already the key of `palette`"),
        "{}",
        said.stderr
    );
    assert_eq!(home.run(&["config", "get", "tui.keymap"]).quietly_done().stdout, "standard\n");
}
