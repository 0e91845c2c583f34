//! Help, version, completions and the manual page.

use crate::support::Home;

#[test]
fn the_help_is_as_reviewed() {
    insta::assert_snapshot!(Home::new().run(&["--help"]).quietly_done().stdout);
}

#[test]
fn the_help_of_each_command_is_as_reviewed() {
    let home = Home::new();
    for command in [
        "generate",
        "search",
        "similar",
        "list",
        "show",
        "history",
        "select",
        "compare",
        "judge audit",
        "why",
        "metrics",
        "stats",
        "update",
        "delete",
        "trash",
        "export",
        "import",
        "jobs",
        "jobs follow",
        "jobs result",
        "jobs resume",
        "batch",
        "config",
        "personas",
        "templates",
        "providers",
        "test-providers",
        "spend",
        "token",
        "validate",
        "reindex",
        "migrate",
        "completions",
        "mcp-config",
        "http-server",
        "health",
        "serve",
        "tui",
        "man",
        "version",
    ] {
        let help = home.run(&[&command.split(' ').collect::<Vec<_>>()[..], &["--help"]].concat()).quietly_done().stdout;
        // The global options are the same everywhere and are tested in the program's own help.
        let (own, rest) = help.split_once("\nGlobal options:\n").expect("the global options");
        let after = rest.split_once("\n\n").map_or("", |(_, after)| after);
        insta::assert_snapshot!(command.replace(' ', "_"), format!("{own}\n{after}"));
        for line in help.lines() {
            assert!(line.chars().count() <= 80, "{command}: too wide: {line}");
        }
    }
}

#[test]
fn help_is_a_command_too() {
    let home = Home::new();
    let help = |arguments: &[&str]| home.run(arguments).quietly_done().stdout;
    assert_eq!(help(&["help"]), help(&["--help"]));
    assert_eq!(help(&["help", "list"]), help(&["list", "--help"]));
    assert_eq!(help(&["help", "config", "set"]), help(&["config", "set", "--help"]));
    assert!(home.run(&["help", "nope"]).failed(2).stderr.contains("nope"));
}

#[test]
fn help_and_version_touch_nothing() {
    let home = Home::new();
    for arguments in [&["--help"][..], &["-h"], &["version"], &["--version"], &["-V"], &["generate", "--help"]] {
        home.run(arguments).quietly_done();
    }
    assert!(!home.data().exists());
    let broken = [("ALUDEL_GENERATION__DEFAULT_COUNT", "x"), ("HOME", "")];
    home.run_with_env(&["version"], &broken).quietly_done();
}

#[test]
fn the_version_names_the_program_and_its_commit() {
    let home = Home::new();
    let line = home.run(&["version"]).quietly_done().stdout;
    assert!(line.starts_with(concat!("aludel ", env!("CARGO_PKG_VERSION"))), "{line}");
    assert_eq!(home.run(&["--version"]).quietly_done().stdout, line);
    let json = home.run(&["version", "--format", "json"]).quietly_done().json();
    assert_eq!((&json["name"], &json["version"]), (&"aludel".into(), &env!("CARGO_PKG_VERSION").into()));
    if let Some(commit) = json["commit"].as_str() {
        assert!(line.contains(&format!("commit {commit}")), "{line}");
    }
}

#[test]
fn without_a_terminal_no_command_means_help() {
    let home = Home::new();
    let said = home.run(&[]).quietly_done();
    assert_eq!(said.stdout, home.run(&["--help"]).stdout);
}

#[test]
fn completions_and_the_manual_page_know_every_command() {
    let home = Home::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = home.run(&["completions", shell]).quietly_done().stdout;
        assert!(script.contains("http-server") && script.contains("target-model"), "{shell}");
    }
    let page = home.run(&["man"]).quietly_done().stdout;
    for word in [
        ".TH aludel 1",
        "ALUDEL GENERATE",
        "ALUDEL HTTP-SERVER",
        "target\\-model",
        ".SS EXAMPLES",
        "config set <KEY> <VALUE>",
    ] {
        assert!(page.contains(word), "{word} is missing in: {page}");
    }
}
