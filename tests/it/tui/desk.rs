//! The input: nothing that was typed is lost, whatever happens to the program.

use std::path::Path;
use std::process::Command;

use super::Pty;
use crate::support::Home;

fn drafts(home: &Home) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(home.data().join("drafts")) else { return Vec::new() };
    let names = entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"));
    // Half-written files have another extension.
    names.filter(|name| Path::new(name).extension().is_some_and(|ending| ending == "json")).collect()
}

/// Waits for a draft that has `text` in it.
fn wait_for_draft(home: &Home, text: &str) {
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(30);
    let has_it = || {
        let mut contents = drafts(home).into_iter().map(|name| home.data().join("drafts").join(name));
        contents.any(|path| std::fs::read_to_string(path).is_ok_and(|content| content.contains(text)))
    };
    while !has_it() {
        assert!(std::time::Instant::now() < deadline, "no draft has {text:?}");
        std::thread::yield_now();
    }
}

fn kill(pty: &mut Pty) {
    let sent = Command::new("kill").args(["-KILL", &pty.process()]).status().expect("kill runs");
    assert!(sent.success());
    pty.end();
}

#[test]
fn a_draft_survives_being_killed() {
    let home = Home::new();
    let mut pty = Pty::workbench(&home);
    pty.wait_for("Nothing here yet");
    pty.type_text("half a thought");
    wait_for_draft(&home, "half a thought");
    kill(&mut pty);
    let mut pty = Pty::workbench(&home);
    pty.wait_for("your draft is restored");
    pty.wait_for("half a thought");
    pty.send("\u{1f}");
    pty.wait_until("an empty input", |screen| screen.contents().contains("Describe what the prompt should do"));
    pty.send("\u{11}");
    assert_eq!(pty.end(), 0);
    assert_eq!(drafts(&home), Vec::<String>::new());
}

#[test]
fn a_draft_survives_quitting_at_once() {
    let home = Home::new();
    let mut pty = Pty::workbench(&home);
    pty.wait_for("Nothing here yet");
    pty.type_text("not yet");
    pty.send("\u{11}");
    assert_eq!(pty.end(), 0);
    let mut pty = Pty::workbench(&home);
    pty.wait_for("not yet");
}

#[test]
fn two_workbenches_keep_each_their_own_draft() {
    let home = Home::new();
    let (mut one, mut other) = (Pty::workbench(&home), Pty::workbench(&home));
    one.wait_for("Nothing here yet");
    other.wait_for("Nothing here yet");
    one.type_text("first desk");
    other.type_text("second desk");
    wait_for_draft(&home, "first desk");
    wait_for_draft(&home, "second desk");
    // A third workbench finds both taken.
    let mut third = Pty::workbench(&home);
    third.wait_for("Nothing here yet");
    third.type_text("third");
    assert!(!third.screen().contains("desk"));
    wait_for_draft(&home, "third");
    for pty in [&mut one, &mut other, &mut third] {
        kill(pty);
    }
    let (mut one, mut other, mut third) = (Pty::workbench(&home), Pty::workbench(&home), Pty::workbench(&home));
    let mut found = String::new();
    for pty in [&mut one, &mut other, &mut third] {
        pty.wait_for("your draft is restored");
        found += &pty.screen();
    }
    assert!(found.contains("first desk") && found.contains("second desk") && found.contains("third"), "{found}");
}

#[test]
fn a_run_that_was_killed_leaves_its_idea_and_its_finished_variants() {
    let home = Home::new();
    home.sim("model", "answer: {words: 20}\nrules:\n  - when: {variant: [1, 2]}\n    fault: hang\n");
    let mut pty = Pty::workbench(&home);
    pty.wait_for("Nothing here yet");
    pty.type_text("Review changes");
    pty.send("\n");
    pty.wait_for("✓ coagulatio");
    wait_for_draft(&home, "\"run\"");
    kill(&mut pty);
    let mut pty = Pty::workbench(&home);
    pty.wait_for("1 of 3 variants are stored");
    pty.wait_for("Review changes");
    pty.send("\u{1b}5");
    pty.wait_for("1 prompt");
}

#[test]
fn an_earlier_idea_is_found_again() {
    let home = Home::new();
    home.sim("model", "answer: {words: 9}\n");
    for idea in ["Review pull requests", "Write a haiku"] {
        home.run(&["generate", idea, "--count", "1"]).done();
    }
    let mut pty = Pty::workbench(&home);
    pty.wait_for("Nothing here yet");
    pty.type_text("something else");
    pty.send("\u{1b}[1;3A");
    pty.wait_for("Write a haiku");
    pty.send("\u{1b}[1;3B");
    pty.wait_for("something else");
    pty.send("\u{12}");
    pty.wait_for("Earlier inputs");
    pty.send("pull");
    pty.wait_until("one is found", |screen| {
        screen.contents().contains("Review pull requests") && !screen.contents().contains("Write a haiku")
    });
    pty.send("\r");
    pty.wait_until("it is in the input", |screen| !screen.contents().contains("Earlier inputs"));
    assert!(pty.screen().contains("Review pull requests"));
}

#[test]
fn the_users_editor_gets_the_terminal_and_gives_it_back() {
    let home = Home::new();
    // It prints on the terminal, reads a key, and adds a line.
    let script = "echo \"editing with $1\"; read key; printf 'and %s' \"$key\" >> \"$2\"\n";
    let editor = home.write("my editor", script);
    let visual = format!("sh '{}' --wait", editor.display());
    let mut pty = Pty::workbench_with(&home, &[("VISUAL", &visual)]);
    pty.wait_for("Nothing here yet");
    pty.type_text("an idea ");
    pty.send("\u{7}");
    pty.wait_until("the editor", |screen| {
        !screen.alternate_screen() && screen.contents().contains("editing with --wait")
    });
    pty.send("more\n");
    pty.wait_until("the workbench", |screen| {
        screen.alternate_screen() && screen.contents().contains("an idea and more")
    });
    pty.type_text("!");
    pty.wait_for("an idea and more!");
}

#[test]
fn stopping_an_editor_does_not_end_the_workbench() {
    let home = Home::new();
    let mut pty = Pty::workbench_with(&home, &[("EDITOR", "sh -c 'echo waiting; exec sleep 600'")]);
    pty.wait_for("Nothing here yet");
    pty.type_text("an idea");
    pty.send("\u{7}");
    pty.wait_for("waiting");
    pty.send("\u{3}");
    pty.wait_for("the input is as it was");
    assert!(pty.terminal().alternate_screen() && pty.screen().contains("an idea"));
}

#[test]
fn an_editor_that_is_not_there_changes_nothing() {
    let home = Home::new();
    let mut pty = Pty::workbench_with(&home, &[("EDITOR", "/nowhere/ed")]);
    pty.wait_for("Nothing here yet");
    pty.type_text("an idea");
    pty.send("\u{7}");
    pty.wait_for("`/nowhere/ed` cannot be started");
    assert!(pty.screen().contains("an idea"));
}
