//! The event loop over a real engine with a scripted provider, in paused time.

use super::*;
use crate::tui::message::{Copied, Edited};
use crate::tui::model::ConnectionSpeed;
use crate::tui::testing::{key_named, rows_of, scripted as engine};
use crate::tui::theme::Theme;
use aludel_core::engine::Engine;
use crossterm::event::Event;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::layout::Size;
use std::cell::RefCell;
use std::rc::Rc;
use tokio::time::sleep;

/// Keys that the test sends.
struct Keys(mpsc::Receiver<Event>);

impl Input for Keys {
    async fn next(&mut self) -> Option<io::Result<Event>> {
        self.0.recv().await.map(Ok)
    }

    async fn ready(&mut self) -> Option<io::Result<Event>> {
        self.0.try_recv().ok().map(Ok)
    }

    fn pause(&mut self) {}

    fn resume(&mut self) {}
}

/// What a test can see of the terminal.
#[derive(Debug, Default)]
struct Seen {
    draws: usize,
    picture: String,
    copied: Vec<String>,
    suspended: usize,
}

struct Glass(Rc<RefCell<Seen>>);

impl Surface for Glass {
    fn size(&self) -> io::Result<Size> {
        Ok(Size { width: 120, height: 40 })
    }

    fn draw(&mut self, model: &Model) -> io::Result<usize> {
        let mut terminal = Terminal::new(TestBackend::new(120, 40)).unwrap();
        terminal.draw(|frame| crate::tui::picture::view(model, frame, &Theme::ansi16())).unwrap();
        let mut seen = self.0.borrow_mut();
        seen.draws += 1;
        seen.picture = rows_of(terminal.backend().buffer()).join("\n");
        // As many bytes as a slow line carries in an eighth of a second.
        Ok(1_000)
    }

    fn repaint(&mut self) {}

    async fn copy(&mut self, text: &str) -> io::Result<Copied> {
        self.0.borrow_mut().copied.push(text.to_owned());
        Ok(Copied { system: true, ..Copied::default() })
    }

    async fn suspend(&mut self) -> io::Result<bool> {
        self.0.borrow_mut().suspended += 1;
        Ok(true)
    }

    async fn edit(&mut self, text: &str) -> io::Result<Edited> {
        // As long as a person takes.
        sleep(Duration::from_mins(5)).await;
        Ok(Edited::Saved(format!("{text}, edited")))
    }
}

/// A user with a terminal.
struct User {
    keys: mpsc::Sender<Event>,
    seen: Rc<RefCell<Seen>>,
}

impl User {
    async fn press(&self, keys: &str) {
        for key in keys.split(' ') {
            self.keys.send(Event::Key(key_named(key))).await.unwrap();
            sleep(Duration::from_millis(40)).await;
        }
    }

    async fn wait_for(&self, text: &str) {
        // The store writes on its own thread, in real time, while the test's clock runs on.
        let patience = std::time::Instant::now() + Duration::from_secs(30);
        while !self.seen.borrow().picture.contains(text) {
            assert!(std::time::Instant::now() < patience, "{text:?} never came:\n{}", self.seen.borrow().picture);
            sleep(Duration::from_millis(10)).await;
        }
    }

    fn draws(&self) -> usize {
        self.seen.borrow().draws
    }
}

/// Runs `script` against a workbench until the workbench ends.
async fn use_it(engine: Engine, script: impl AsyncFnOnce(&User)) {
    use_it_over(ConnectionSpeed::Quick, engine, script).await;
}

/// Like [`use_it`], over a connection of this speed.
async fn use_it_over(link: ConnectionSpeed, engine: Engine, script: impl AsyncFnOnce(&User)) {
    let (keys, taken) = mpsc::channel(64);
    let seen = Rc::new(RefCell::new(Seen::default()));
    let user = User { keys, seen: Rc::clone(&seen) };
    let mut model = Model::new(crate::tui::defaults(&engine), link.follow());
    model.link = link;
    let workbench = Runtime::new(Keys(taken), Glass(seen), Executor::new(engine), model);
    let ((outcome, executor, messages), ()) = tokio::join!(workbench.run(std::future::pending()), async {
        script(&user).await;
        drop(user);
    });
    outcome.unwrap();
    executor.finish(messages).await.unwrap();
}

const PACED: &str = "answer: {words: 40}\npacing: {first_token_ms: 200, tokens_per_s: 50}\n";

#[tokio::test(start_paused = true)]
async fn nothing_is_drawn_while_nothing_happens() {
    let folder = tempfile::tempdir().unwrap();
    use_it(engine(folder.path(), PACED), async |user: &User| {
        user.wait_for("Nothing here yet").await;
        sleep(Duration::from_hours(1)).await;
        assert_eq!(user.draws(), 1);
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn every_key_is_drawn() {
    let folder = tempfile::tempdir().unwrap();
    use_it(engine(folder.path(), PACED), async |user: &User| {
        user.wait_for("Nothing here yet").await;
        user.press("a b c").await;
        assert_eq!(user.draws(), 4);
        assert!(user.seen.borrow().picture.contains("┃abc"));
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_run_streams_into_its_panes_at_no_more_than_thirty_frames_a_second() {
    let folder = tempfile::tempdir().unwrap();
    use_it(engine(folder.path(), PACED), async |user: &User| {
        user.wait_for("Nothing here yet").await;
        user.press("i d e a Ctrl+J").await;
        user.wait_for("solutio ~").await;
        let (begun, before) = (Instant::now(), user.draws());
        user.wait_for("^J run").await;
        let (seconds, draws) = (begun.elapsed().as_secs_f64(), user.draws() - before);
        assert!(seconds > 1.0 && draws as f64 <= seconds * 30.0 + 2.0, "{draws} frames in {seconds} s");
        let picture = user.seen.borrow().picture.clone();
        assert!(picture.contains("★") && picture.contains("✓ coagulatio"), "{picture}");
        user.press("y").await;
        assert_eq!(user.seen.borrow().copied.len(), 1);
        user.wait_for("copied to the clipboard").await;
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn over_a_slow_line_a_run_streams_at_eight_frames_a_second_and_keys_wait_for_none() {
    let folder = tempfile::tempdir().unwrap();
    use_it_over(ConnectionSpeed::SlowUnannounced, engine(folder.path(), PACED), async |user: &User| {
        user.wait_for("Nothing here yet").await;
        user.press("i d e a Ctrl+J").await;
        user.wait_for("slow link: page follow").await;
        user.wait_for("solutio ~").await;
        let (begun, before) = (Instant::now(), user.draws());
        user.press("i").await;
        for count in 1..=3 {
            user.press("x").await;
            assert!(user.seen.borrow().picture.contains(&format!("idea{}", "x".repeat(count))), "drawn at once");
        }
        user.press("Esc").await;
        user.wait_for("^J run").await;
        let (seconds, draws) = (begun.elapsed().as_secs_f64(), user.draws() - before);
        assert!(seconds > 1.0 && draws as f64 <= seconds * 8.0 + 7.0, "{draws} frames in {seconds} s");
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn stopping_keeps_what_is_finished_and_leaving_waits_for_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let script = "answer: {words: 20}\nrules:\n  - when: {variant: [1, 2]}\n    fault: hang\n";
    use_it(engine(folder.path(), script), async |user: &User| {
        user.wait_for("Nothing here yet").await;
        user.press("i d e a Ctrl+J").await;
        user.wait_for("✓ coagulatio").await;
        user.press("Ctrl+C").await;
        user.wait_for("1 kept").await;
        user.press("Ctrl+Q").await;
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn one_variant_is_stopped_while_the_others_finish() {
    let folder = tempfile::tempdir().unwrap();
    let script = "answer: {words: 20}\nrules:\n  - when: {variant: 0}\n    fault: hang\n";
    use_it(engine(folder.path(), script), async |user: &User| {
        user.wait_for("Nothing here yet").await;
        user.press("i d e a Ctrl+J").await;
        user.wait_for("✓ coagulatio").await;
        user.press("x").await;
        user.wait_for("^J run").await;
        assert!(user.seen.borrow().picture.contains("■ stopped"));
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn what_the_judge_says_names_the_variants_by_their_letters() {
    let folder = tempfile::tempdir().unwrap();
    let config = "generation: {default_count: 3}\njudge: {provider: builtin}\n";
    use_it(crate::tui::testing::configured(folder.path(), config), async |user: &User| {
        user.wait_for("Nothing here yet").await;
        // Its variants differ in wording, which the embedded judge measures.
        user.press("w r i t e Space a Space l e t t e r Ctrl+J").await;
        user.wait_for("^J run").await;
        user.press("J").await;
        user.wait_for("Why").await;
        user.wait_for("Against ").await;
        let picture = user.seen.borrow().picture.clone();
        let said: String = picture.lines().skip(1).flat_map(|line| [line, "\n"]).collect();
        let is_id = |word: &&str| word.len() == 8 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
        let ids: Vec<&str> = said.split(|c: char| !c.is_alphanumeric()).filter(is_id).collect();
        assert!(ids.is_empty(), "{ids:?}\n{picture}");
        for part in ["Against ", " by this judge", " for A", " for B"] {
            assert!(said.contains(part), "no {part:?} in\n{picture}");
        }
        user.press("Ctrl+Q").await;
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_failing_provider_is_shown_with_its_cause() {
    let folder = tempfile::tempdir().unwrap();
    let script = "rules:\n  - when: {variant: 1}\n    fault: {kind: auth}\n";
    use_it(engine(folder.path(), script), async |user: &User| {
        user.wait_for("Nothing here yet").await;
        user.press("i d e a Ctrl+J").await;
        user.wait_for("1 failed").await;
        user.press("[ [ [ ] e").await;
        user.wait_for("provider_auth").await;
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_bad_request_is_refused_by_the_core_and_shown() {
    let folder = tempfile::tempdir().unwrap();
    use_it(engine(folder.path(), PACED), async |user: &User| {
        user.wait_for("Nothing here yet").await;
        user.press("Space Ctrl+J").await;
        user.wait_for("validation_failed").await;
        assert!(user.seen.borrow().picture.contains("input:"));
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn the_shell_gets_the_terminal_and_gives_it_back() {
    let folder = tempfile::tempdir().unwrap();
    use_it(engine(folder.path(), PACED), async |user: &User| {
        user.wait_for("Nothing here yet").await;
        user.press("a Ctrl+Z b").await;
        user.wait_for("┃ab").await;
        assert_eq!(user.seen.borrow().suspended, 1);
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_run_goes_on_while_the_editor_has_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    use_it(engine(folder.path(), PACED), async |user: &User| {
        user.wait_for("Nothing here yet").await;
        user.press("i d e a Ctrl+J i Ctrl+G").await;
        user.wait_for("idea, edited").await;
        user.wait_for("★").await;
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn without_a_terminal_a_request_goes_the_same_way() {
    let folder = tempfile::tempdir().unwrap();
    let view = crate::tui::headless::run(
        engine(folder.path(), "answer: {words: 9}\n"),
        serde_json::json!({ "input": "idea", "count": 2 }),
    )
    .await;
    assert_eq!(view.unwrap().generation().unwrap().prompts.len(), 2);
    let problem =
        crate::tui::headless::run(engine(folder.path(), ""), serde_json::json!({ "input": "idea", "count": 101 }))
            .await;
    assert_eq!(problem.unwrap_err().errors[0].field, "count");
}
