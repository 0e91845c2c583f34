//! The terminal workbench: Elm at the top, plain functions below.
//!
//! | part | owns |
//! |---|---|
//! | [`action`] | the list of what a user can do: keys, hints and help come from it |
//! | `message`, `effect` | what may change the model; what is wanted done outside it, as data |
//! | `model`, `update` | the state, and the one function that changes it: no clock, no input, no output |
//! | `screens`, `overlays`, `widgets`, `theme` | drawing: pure functions of the model |
//! | `executor` | the only owner of the engine: one task an effect, answers with the ticket of the question |
//! | `runtime`, `terminal` | the loop that drains, then draws; the terminal's modes, entered and left |
//! | `plain` | the same without a screen, in lines that are only ever added |
//! | [`headless`] | all of it but the terminal |
//!
//! Nothing here decides about prompts: requests go to the core raw, and the core's events are shown as they come.

pub mod action;
mod effect;
mod executor;
pub mod headless;
mod keymap;
mod message;
mod model;
mod overlays;
mod plain;
mod runtime;
mod screens;
mod terminal;
#[cfg(test)]
mod testing;
mod theme;
mod update;
mod widgets;

use std::io::{self, IsTerminal};

use aludel_core::assets::DEFAULT_PERSONA;
use aludel_core::config::{ConfigError, Environment, TuiConfig};
use aludel_core::domain::{Phase, ProviderKind};
use aludel_core::engine::Engine;
use aludel_core::error::{Code, Error, Result};
use aludel_core::told::Notice;

pub use action::{Action, ActionInfo, Context};
use executor::Executor;
use keymap::Keymap;
use model::{Defaults, Link, Model};
use runtime::Runtime;
use terminal::{Clipboard, Keyboard, Mouse, Screen};
pub use terminal::{Editor, Surroundings};
pub use theme::Ground;
use theme::{Letters, Theme};

/// Everything a user can do in the workbench, in the order of its help.
pub fn actions() -> &'static [ActionInfo] {
    action::ACTIONS
}

/// How the workbench shows itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Manner {
    /// As a screen, where one can be drawn and helps.
    #[default]
    Screen,
    /// In lines that are only ever added.
    Lines,
}

/// What the surroundings say of the terminal.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Options {
    /// True when the user wants no colour.
    pub no_color: bool,
    /// How it is wanted.
    pub manner: Manner,
    /// What the terminal calls itself.
    pub term: Option<String>,
    /// True when it is at the other end of a line that may be slow; less moves there by itself.
    pub remote: bool,
    /// True when its locale has no letters but those of ASCII, as far as it can be told.
    pub is_ascii: bool,
    /// What it says of the ground it paints.
    pub ground: Option<Ground>,
    /// The user's editor.
    pub editor: Editor,
    /// What is known of clipboards.
    pub surroundings: Surroundings,
}

impl Options {
    /// What the environment says: `NO_COLOR`, `TERM`, `SSH_CONNECTION`, `COLORFGBG`, the locale, `VISUAL`, `EDITOR`, and
    /// where a clipboard may be.
    pub fn from_environment(environment: &Environment) -> Self {
        Self {
            no_color: environment.no_color(),
            manner: Manner::Screen,
            term: environment.get("TERM").map(str::to_owned),
            remote: environment.get("SSH_CONNECTION").is_some(),
            editor: Editor::from_environment(environment),
            surroundings: Surroundings::from_environment(environment),
            is_ascii: is_ascii(environment),
            ground: environment.get("COLORFGBG").and_then(Ground::of),
        }
    }
}

/// True when the locale is one without UTF-8. The first of the three variables that is set decides (POSIX.1-2024, 8.2);
/// where none is, nothing is known, and terminals of today have UTF-8.
fn is_ascii(environment: &Environment) -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(|name| environment.get(name));
    locale.is_some_and(|locale| {
        let locale = locale.to_ascii_lowercase();
        !locale.contains("utf-8") && !locale.contains("utf8")
    })
}

/// What is wrong with the settings of the workbench: dotted keys of the configuration, each with what is wrong and the
/// fix. None where all is well.
pub fn faults(settings: &TuiConfig) -> Vec<(String, String)> {
    let faults = keymap::read(&settings.keymap, &settings.keys).err().unwrap_or_default();
    faults.into_iter().map(|fault| (fault.key, fault.message)).collect()
}

/// What keys mean here.
fn keymap(engine: &Engine) -> Result<Keymap> {
    let settings = &engine.config().tui;
    keymap::read(&settings.keymap, &settings.keys).map_err(|faults| {
        let fault = |fault: keymap::Fault| engine.origins().fault(engine.paths(), &fault.key, fault.message);
        Error::from(ConfigError { faults: faults.into_iter().map(fault).collect() })
    })
}

/// How this terminal is drawn on. Who wants no colour gets none, whatever is configured.
fn theme(name: &str, options: &Options) -> Theme {
    let letters = if options.is_ascii { Letters::Ascii } else { Letters::Unicode };
    Theme::named(if options.no_color { "mono" } else { name }, options.ground).with_letters(letters)
}

/// Opens the workbench and returns when the user has left it. Builds its own runtime.
///
/// # Errors
/// `invalid_request` without a terminal; `internal` when the terminal fails; `storage` when something could not be
/// written at the end.
pub fn run(engine: Engine, options: &Options) -> Result<()> {
    check_terminal()?;
    // The loop stays on this thread, so that work of a run never delays a key.
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_name("aludel")
        .enable_all()
        .build()
        .map_err(|error| Error::Internal(format!("the runtime cannot start: {error}")))?;
    if is_plain(&engine, options) {
        return runtime.block_on(plain::run(engine));
    }
    runtime.block_on(on_screen(engine, options))
}

/// The workbench over the whole terminal.
async fn on_screen(engine: Engine, options: &Options) -> Result<()> {
    let theme = theme(engine.config().tui.theme.as_str(), options);
    let mouse = if engine.config().tui.mouse { Mouse::Ours } else { Mouse::Terminals };
    let link = link(&engine, options);
    let mut model = Model::new(defaults(&engine), link.follow());
    model.link = link;
    model.keymap = keymap(&engine)?;
    let stop = stop_asked()?;
    engine.keep_indexed();
    let copied = engine.paths().copied.clone();
    let shown = engine.paths().shown(&copied).display().to_string();
    let clipboard = Clipboard::new(options.surroundings, (copied, shown));
    let screen =
        Screen::enter(theme, mouse, options.editor.clone(), clipboard).map_err(|error| terminal_failed(&error))?;
    let workbench = Runtime::new(Keyboard::default(), screen, Executor::new(engine), model);
    let (outcome, executor, messages) = workbench.run(stop).await;
    let finished = executor.finish(messages).await;
    outcome.map_err(|error| terminal_failed(&error)).and(finished)
}

/// What the line to this terminal is like, as far as the surroundings say.
fn link(engine: &Engine, options: &Options) -> Link {
    match options.remote {
        false => Link::Quick,
        true if engine.was_explained(Notice::SlowLink) => Link::Slow,
        true => Link::SlowUntold,
    }
}

/// What is configured, for showing.
fn defaults(engine: &Engine) -> Defaults {
    let config = engine.config();
    let generation = &config.generation;
    let mut providers: Vec<String> = Phase::ALL.into_iter().map(|phase| config.provider_of(phase).to_owned()).collect();
    providers.dedup();
    let builtin = ProviderKind::Builtin.as_str();
    let is_writer = |name: &String| match config.providers.get(name) {
        Some(provider) => provider.kind == ProviderKind::Builtin,
        None => name == builtin,
    };
    let writers = config.providers.keys().cloned().chain([builtin.to_owned()]).filter(is_writer).collect();
    // What makes vectors, and whether that is paid for.
    let meaning = generation.default_embedding_model.as_deref().unwrap_or(builtin);
    let embedder = meaning.split_once('/').map_or(meaning, |(provider, _)| provider);
    let is_meaning_free = match config.providers.get(embedder) {
        Some(provider) => matches!(provider.kind, ProviderKind::Builtin | ProviderKind::Ollama | ProviderKind::Sim),
        None => embedder == builtin,
    };
    Defaults {
        providers,
        writers,
        persona: generation.default_persona.clone().unwrap_or_else(|| DEFAULT_PERSONA.to_owned()),
        count: generation.default_count,
        temperature: generation.default_temperature,
        is_meaning_free,
        knows_builtin: engine.was_explained(Notice::Builtin),
    }
}

/// True where lines serve better than a screen: nothing can be placed on it, it is read aloud, or it is not wanted.
fn is_plain(engine: &Engine, options: &Options) -> bool {
    options.manner == Manner::Lines || options.term.as_deref() == Some("dumb") || engine.config().tui.screen_reader
}

/// Refuses where nobody can answer, and says what to use there.
fn check_terminal() -> Result<()> {
    if io::stdin().is_terminal() && io::stdout().is_terminal() {
        return Ok(());
    }
    let detail =
        "the workbench needs a terminal for input and output; `aludel generate` does the same with plain lines";
    Err(Error::Refused { code: Code::InvalidRequest, detail: detail.to_owned() })
}

fn terminal_failed(error: &io::Error) -> Error {
    Error::Internal(format!("the terminal failed: {error}"))
}

/// Ready once the system asks the program to end: SIGTERM, SIGHUP (the terminal is gone) or SIGINT from outside.
#[cfg(unix)]
fn stop_asked() -> Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let listen =
        |kind| signal(kind).map_err(|error| Error::Internal(format!("signals cannot be listened for: {error}")));
    let (mut term, mut hangup, mut interrupt) =
        (listen(SignalKind::terminate())?, listen(SignalKind::hangup())?, listen(SignalKind::interrupt())?);
    // A task of its own, which listens also while the loop waits for an editor.
    let asked = tokio::spawn(async move {
        loop {
            tokio::select! {
                _ = term.recv() => break,
                _ = hangup.recv() => break,
                // `^C` in an editor is for the editor, though the terminal tells us too.
                _ = interrupt.recv() => if !terminal::modes::is_lent() { break },
            }
        }
    });
    Ok(async { _ = asked.await })
}

/// Ready once the system asks the program to end.
#[cfg(not(unix))]
fn stop_asked() -> Result<impl Future<Output = ()>> {
    Ok(async { _ = tokio::signal::ctrl_c().await })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(pairs: &[(&str, &str)]) -> Options {
        Options::from_environment(&Environment::from_pairs(pairs.iter().copied()))
    }

    #[test]
    fn the_first_variable_of_the_locale_that_is_set_decides() {
        assert!(!options(&[]).is_ascii, "nothing is known");
        assert!(!options(&[("LANG", "de_DE.UTF-8")]).is_ascii);
        assert!(!options(&[("LANG", "C.utf8")]).is_ascii);
        assert!(options(&[("LANG", "C")]).is_ascii);
        assert!(options(&[("LC_ALL", "POSIX"), ("LANG", "en_GB.UTF-8")]).is_ascii);
        assert!(!options(&[("LC_ALL", ""), ("LC_CTYPE", "en_GB.UTF-8"), ("LANG", "C")]).is_ascii);
    }

    #[test]
    fn who_wants_no_colour_gets_none() {
        let none = options(&[("NO_COLOR", "1"), ("COLORFGBG", "0;15")]);
        assert_eq!(theme("dark", &none), Theme::mono());
        assert_eq!(theme("auto", &options(&[("COLORFGBG", "0;15")])), Theme::named("light", None));
    }
}
