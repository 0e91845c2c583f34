//! Whole sessions over a real engine with a scripted provider: input and output.

use super::super::lines::read_lines;
use super::*;
use crate::tui::testing::{scripted, scripted_with};

/// The output for a user who types this all at once and then is gone.
async fn talk(script: &str, typed: &str) -> String {
    talk_with(script, "", typed).await
}

async fn talk_with(script: &str, config: &str, typed: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let engine = scripted_with(folder.path(), script, config);
    let (sender, heard) = mpsc::channel(64);
    let typed = typed.to_owned();
    std::thread::spawn(move || read_lines(typed.as_bytes(), &sender));
    let mut written = Vec::new();
    Session::new(engine.clone(), &mut written, heard).run("welcome").await.unwrap();
    engine.close().await.unwrap();
    String::from_utf8(written).unwrap()
}

fn has(told: &str, expected: &[&str]) {
    let mut rest = told;
    for text in expected {
        let Some((_, after)) = rest.split_once(text) else { panic!("no {text:?} in what follows of:\n{told}") };
        rest = after;
    }
}

const ECHO: &str = "answer: echo\n";

#[tokio::test]
async fn an_idea_is_run_and_its_prompts_are_told_by_number() {
    let told = talk(ECHO, "Review pull requests\nfor a library\n.\nquit\n").await;
    has(&told, &["welcome\n", "3 variants: prima-materia, then solutio, then coagulatio."]);
    has(&told, &["Done: 3 of 3 finished", "Best first:\n1 of 3: ", "\n2 of 3: ", "\n3 of 3: "]);
    for letter in ["A", "B", "C"] {
        let of = |phase: &str| format!("\n{letter} {phase} done, ");
        has(&told, &[&of("prima-materia"), &of("solutio"), &of("coagulatio"), &format!("\n{letter} is finished: ")]);
    }
    has(&told, &["Review pull requests for a library"]);
}

#[tokio::test]
async fn the_end_of_input_ends_the_idea_too() {
    has(&talk(ECHO, "Write a haiku").await, &["3 of 3: ", "Write a haiku\n> "]);
}

#[tokio::test]
async fn commands_take_the_numbers_that_were_told() {
    let told = talk(
        ECHO,
        "Name a boat\n.\nshow 2\nprint 1\ncompare 1 2\ntag 3 sea, travel\nlist\nsearch travel\nshow 2\nquit\n",
    )
    .await;
    has(
        &told,
        &[
            "\n> 2 of 3: ",
            "\nby ",
            "\n# Task\n\nName a boat",
            "\n> # Role\n",
            "\n> 1 has ",
            "percent unchanged",
            "Change 1 of ",
            " becomes ",
            "3 of 3 has the tags sea and travel",
            "\n> 1 of 3: ",
            "1 prompt found, the best 1:\n1 of 1: ",
            "There is no number 2; the last is 1.",
        ],
    );
}

#[tokio::test]
async fn jobs_are_listed_and_the_finished_ones_when_asked_for() {
    let told = talk(ECHO, "Name a boat\n.\njobs\njobs all\nquit\n").await;
    has(&told, &["> No unfinished jobs.\n", "> Job ", ", finished, generate, 3 of 3 done, begun just now"]);
    has(&told, &["Name a boat\njob and its id shows one, stop stops it, resume resumes it.\n"]);
}

#[tokio::test]
async fn the_judge_tells_its_comparisons_and_its_choice() {
    let told = talk(ECHO, "Name a boat\n.\njudge\njudge 1 2 for sailors\nquit\n").await;
    has(&told, &["The judge compares.", "Comparison 1: ", "The judge prefers number ", "Place 1 of 3: number "]);
    has(&told, &["Place 3 of 3", "The judge compares.", "The judge prefers number ", "Place 2 of 2: number "]);
}

#[tokio::test]
async fn what_the_core_refuses_is_told_in_its_words_and_the_session_goes_on() {
    let told = talk(ECHO, ".\nset colour red\nset count 200\nnew\nName a boat\n.\nset count 1\nagain\nlist 0\n").await;
    has(
        &told,
        &[
            "No request yet.",
            "colour is not a setting; the settings are count, phases",
            "Requests are run with count 200",
            "Not done, validation_failed: count",
            "Requests are run with count 1; all else as configured.",
            "1 variant: ",
            "\n1 of 1: ",
            "Not done, validation_failed: limit",
        ],
    );
}

#[tokio::test]
async fn without_a_number_it_says_where_numbers_come_from() {
    let told = talk(ECHO, ".\nshow 1\nagain\nlist\nfrobnicate\nhelp\n").await;
    has(&told, &["No prompt has a number yet: list", "There is no request yet; new", "Nothing is stored yet."]);
    has(&told, &["frobnicate is not a command", "judge [N M] [for TASK]: ", "Ctrl-C: stop the run"]);
}

#[tokio::test]
async fn a_run_that_may_cost_much_is_asked_about() {
    let script = "{answer: echo, price: {input: 1, output: 10}}";
    let config = "spend: {preflight_usd: 0.01}\n";
    let told = talk_with(script, config, "Name a boat\n.\nno\nagain\nyes\nquit\n").await;
    has(
        &told,
        &["This may cost up to $", " 9 calls. Type yes", "> Nothing was sent.", "This may cost", "Done: 3 of 3"],
    );
}

#[tokio::test]
async fn nothing_that_a_model_answers_is_more_than_text() {
    let script = r#"answer: {text: "safe \u001b]52;c;ZXZpbA==\u0007\u001b[2J\u001b[31mwords\u009b5n"}"#;
    let told = talk(script, "hostile\n.\nprint 1\nshow 2\ncompare 1 2\nquit\n").await;
    has(&told, &["safe words"]);
    assert!(told.chars().all(|c| c == '\n' || !c.is_control()) && !told.contains("ZXZpbA"), "{told:?}");
}

/// A writer that does something once, when a text was written.
struct Reacting<F> {
    written: String,
    on: &'static str,
    then: Option<F>,
}

impl<F: FnOnce()> Write for &mut Reacting<F> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.written.push_str(std::str::from_utf8(bytes).unwrap());
        if self.written.contains(self.on)
            && let Some(then) = self.then.take()
        {
            then();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The first variant finishes, the others hang.
const HANGING: &str = "answer: {words: 20}\nrules:\n  - when: {variant: [1, 2]}\n    fault: hang\n";

/// The output when this arrives once the first variant finished, and the number stored.
async fn broken_off_by(heard_then: LineEvent) -> (String, usize) {
    let folder = tempfile::tempdir().unwrap();
    let engine = scripted(folder.path(), HANGING);
    let (sender, heard) = mpsc::channel(64);
    for line in ["Name a boat", "."] {
        sender.send(LineEvent::Line(line.into())).await.unwrap();
    }
    let then = move || sender.try_send(heard_then).unwrap();
    let mut out = Reacting { written: String::new(), on: "A is finished", then: Some(then) };
    Session::new(engine.clone(), &mut out, heard).run("welcome").await.unwrap();
    let stored = engine.list(engine.decode(json!({})).unwrap()).await.unwrap().prompts.len();
    engine.close().await.unwrap();
    (out.written, stored)
}

#[tokio::test]
async fn ctrl_c_stops_the_run_and_keeps_what_is_finished() {
    let (told, stored) = broken_off_by(LineEvent::Interrupt).await;
    has(
        &told,
        &["Stopping; what is finished is kept.", "Stopped. 1 of 3 finished and kept, price unknown.", "1 of 1: ", "> "],
    );
    assert_eq!(stored, 1);
}

#[tokio::test]
async fn being_asked_to_end_keeps_what_is_finished_and_leaves() {
    let (told, stored) = broken_off_by(LineEvent::Stop).await;
    has(&told, &["Stopped. 1 of 3 finished and kept, price unknown."]);
    assert!(!told.contains("> "), "{told}");
    assert_eq!(stored, 1);
}

#[tokio::test]
async fn idle_two_interrupts_leave_and_one_does_not() {
    let folder = tempfile::tempdir().unwrap();
    let engine = scripted(folder.path(), ECHO);
    let (sender, heard) = mpsc::channel(64);
    let line = |text: &str| LineEvent::Line(text.to_owned());
    for told in [
        line("dropped"),
        LineEvent::Interrupt,
        LineEvent::Interrupt,
        line("list"),
        LineEvent::Interrupt,
        LineEvent::Interrupt,
        line("help"),
    ] {
        sender.send(told).await.unwrap();
    }
    let mut written = Vec::new();
    Session::new(engine, &mut written, heard).run("welcome").await.unwrap();
    let told = String::from_utf8(written).unwrap();
    has(&told, &["The request is discarded.", "Ctrl-C again quits", "Nothing is stored yet.", "Ctrl-C again quits"]);
    assert!(!told.contains("these lines"), "{told}");
}
