//! The terminal workbench, in the Elm architecture.
//!
//! | part | owns |
//! |---|---|
//! | [`action`] | the table of actions, which yields the keys, the hints and the help |
//! | `message`, `effect` | what can change the model; what it wants done outside, as data |
//! | `model`, `update` | the state, and the one function that changes it: no clock, no input, no output |
//! | `screens`, `overlays`, `widgets`, `theme` | drawing: pure functions of the model |
//! | `batch` | a file of rows as an offer, and the sentences about a batch, for both workbenches |
//! | `executor` | the only owner of the engine: one task per effect; replies carry the request's ticket |
//! | `runtime`, `terminal` | the event loop, which drains, then draws; entering and leaving terminal modes |
//! | `plain` | the same workbench without a screen, as lines that are only ever appended |
//! | [`headless`] | everything but the terminal |
//!
//! Requests go to the core undecoded, and its events are shown as they arrive.

pub mod action;
mod batch;
mod effect;
mod executor;
pub mod headless;
mod keymap;
mod message;
mod model;
mod overlays;
mod picture;
mod plain;
mod range;
mod runtime;
mod screens;
mod terminal;
#[cfg(test)]
mod testing;
mod theme;
mod update;
mod widgets;

use std::io::{self, IsTerminal};

use aludel_core::assets::{self, Assets, DEFAULT_PERSONA};
use aludel_core::config::{Environment, Origin, TuiConfig};
use aludel_core::domain::{Phase, ProviderKind};
use aludel_core::engine::Engine;
use aludel_core::error::{Code, ConfigError, Error, Result};
use aludel_core::notices::Notice;

pub use action::{Action, ActionInfo, Context};
use executor::Executor;
use keymap::Keymap;
use model::{ConnectionSpeed, Defaults, Model, Tone};
use runtime::Runtime;
use terminal::{Clipboard, Keyboard, Mouse, Screen};
pub use terminal::{ClipboardEnvironment, Editor};
use theme::{Charset, Theme};
pub use theme::{ColourDepth, Ground};

/// Everything a user can do in the workbench, in the order of its help.
pub fn actions() -> &'static [ActionInfo] {
    action::ACTIONS
}

/// How the workbench presents itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DisplayMode {
    /// As a screen, wherever one can be drawn and is of use.
    #[default]
    Screen,
    /// As lines that are only ever appended.
    Lines,
}

/// What the environment says about the terminal.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Options {
    /// True if the user wants no colour.
    pub no_color: bool,
    /// The presentation the user asked for.
    pub manner: DisplayMode,
    /// The value of `TERM`.
    pub term: Option<String>,
    /// True over SSH, where the line may be slow and less is redrawn unasked.
    pub remote: bool,
    /// True if the locale appears to be limited to ASCII.
    pub is_ascii: bool,
    /// How many colours the terminal can show.
    pub depth: ColourDepth,
    /// The terminal's background, if it reports one.
    pub ground: Option<Ground>,
    /// The user's editor.
    pub editor: Editor,
    /// How to reach a clipboard.
    pub surroundings: ClipboardEnvironment,
}

impl Options {
    /// Reads `NO_COLOR`, `TERM`, `COLORTERM`, `SSH_CONNECTION`, `COLORFGBG`, the locale, `VISUAL`,
    /// `EDITOR` and the variables that locate a clipboard.
    pub fn from_environment(environment: &Environment) -> Self {
        Self {
            no_color: environment.no_color(),
            manner: DisplayMode::Screen,
            term: environment.get("TERM").map(str::to_owned),
            remote: environment.get("SSH_CONNECTION").is_some(),
            editor: Editor::from_environment(environment),
            surroundings: ClipboardEnvironment::from_environment(environment),
            is_ascii: !environment.shows_unicode(),
            depth: ColourDepth::of(environment.get("COLORTERM"), environment.get("TERM")),
            ground: environment.get("COLORFGBG").and_then(Ground::of),
        }
    }
}

/// The faults in the workbench's settings: dotted configuration keys, each with what is wrong and
/// the fix. Empty if there are none.
pub fn faults(settings: &TuiConfig, assets: &Assets) -> Vec<(String, String)> {
    let keys = keymap::read(&settings.keymap, &settings.keys).err().unwrap_or_default();
    let mut faults: Vec<(String, String)> = keys.into_iter().map(|fault| (fault.key, fault.message)).collect();
    // The file behind `auto` is not known here, and must not keep anything from opening.
    if !assets::THEMES_WITHOUT_FILE.contains(&settings.theme.as_str())
        && let Err(error) = assets.theme(&settings.theme)
    {
        faults.push((THEME.to_owned(), sentence(&error)));
    }
    faults
}

/// The dotted key of the theme's name.
const THEME: &str = "tui.theme";

/// The error's message without its field, which the caller shows separately.
fn sentence(error: &Error) -> String {
    match error.faults() {
        [fault, ..] => fault.message.clone(),
        [] => error.to_string(),
    }
}

/// Builds the key map from the configuration.
fn keymap(engine: &Engine) -> Result<Keymap> {
    let settings = &engine.config().tui;
    keymap::read(&settings.keymap, &settings.keys).map_err(|faults| {
        let fault = |fault: keymap::Fault| engine.origins().fault(engine.paths(), &fault.key, fault.message);
        Error::from(ConfigError { faults: faults.into_iter().map(fault).collect() })
    })
}

/// The theme for this terminal, and a notice if the configured one could not be used. `NO_COLOR`
/// overrides any configured theme.
///
/// # Errors
/// `config_invalid` if a theme chosen by name is unusable. Others fall back to the built-in one.
fn theme(engine: &Engine, options: &Options) -> Result<(Theme, Option<String>)> {
    let letters = if options.is_ascii { Charset::Ascii } else { Charset::Unicode };
    let configured = engine.config().tui.theme.as_str();
    let name = theme::file_of(configured, options.ground);
    let (theme, said) = match engine.theme(name) {
        _ if options.no_color || name == "mono" => (Theme::mono(), None),
        Ok(file) => (Theme::of(&file), None),
        Err(error) if name != configured || engine.origins().of(THEME) == Origin::Default => {
            tracing::warn!("the built-in theme {name} is used: {error}");
            let said = format!("your theme {name} is broken, ours is shown; `aludel validate` says why");
            (Theme::builtin(name), Some(said))
        }
        Err(error) => {
            let fault = engine.origins().fault(engine.paths(), THEME, sentence(&error));
            return Err(ConfigError::one(fault).into());
        }
    };
    Ok((theme.shown_in(options.depth).with_letters(letters), said))
}

/// Opens the workbench and returns once the user has left it. Builds its own runtime.
///
/// # Errors
/// `invalid_request` without a terminal; `internal` if the terminal fails; `storage` if something
/// could not be written at the end.
pub fn run(engine: Engine, options: &Options) -> Result<()> {
    check_terminal()?;
    // The loop stays on this thread: a run's work never delays a key.
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

/// Runs the workbench on the full screen.
async fn on_screen(engine: Engine, options: &Options) -> Result<()> {
    let (theme, said) = theme(&engine, options)?;
    let mouse = if engine.config().tui.mouse { Mouse::Ours } else { Mouse::Terminals };
    let link = link(&engine, options);
    let mut model = Model::new(defaults(&engine), link.follow());
    model.link = link;
    model.take_keymap(keymap(&engine)?);
    if let Some(said) = said {
        model.say_long(Tone::Refused, said);
    }
    let stop = stop_requested()?;
    engine.keep_indexed();
    let copied = engine.paths().copied.clone();
    let shown = engine.paths().shown(&copied).display().to_string();
    let clipboard = Clipboard::new(options.surroundings, (copied, shown));
    let screen =
        Screen::enter(theme, mouse, options.editor.clone(), clipboard).map_err(|error| terminal_failed(&error))?;
    let workbench = Runtime::new(Keyboard::default(), screen, Executor::new(engine), model);
    let (outcome, executor, messages) = Box::pin(workbench.run(stop)).await;
    let finished = executor.finish(messages).await;
    outcome.map_err(|error| terminal_failed(&error)).and(finished)
}

/// The speed of the connection to this terminal, guessed from the environment.
fn link(engine: &Engine, options: &Options) -> ConnectionSpeed {
    match options.remote {
        false => ConnectionSpeed::Quick,
        true if engine.was_explained(Notice::SlowLink) => ConnectionSpeed::Slow,
        true => ConnectionSpeed::SlowUnannounced,
    }
}

/// The configured defaults, for display.
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
    Defaults {
        providers,
        writers,
        persona: generation.default_persona.clone().unwrap_or_else(|| DEFAULT_PERSONA.to_owned()),
        count: generation.default_count,
        temperature: generation.default_temperature,
        is_embedding_free: engine.embeds_for_free(),
        knows_builtin: engine.was_explained(Notice::Builtin),
    }
}

/// True if lines are wanted, or serve better: on a dumb terminal, or for a screen reader.
fn is_plain(engine: &Engine, options: &Options) -> bool {
    options.manner == DisplayMode::Lines || options.term.as_deref() == Some("dumb") || engine.config().tui.screen_reader
}

/// Refuses to start without a terminal, and names the command to use instead.
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

/// Resolves once the program is asked to end: SIGTERM, SIGHUP (terminal gone), external SIGINT.
#[cfg(unix)]
fn stop_requested() -> Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let listen =
        |kind| signal(kind).map_err(|error| Error::Internal(format!("cannot install the signal handlers: {error}")));
    let (mut term, mut hangup, mut interrupt) =
        (listen(SignalKind::terminate())?, listen(SignalKind::hangup())?, listen(SignalKind::interrupt())?);
    // A separate task, which also listens while the loop waits for an editor.
    let asked = tokio::spawn(async move {
        loop {
            tokio::select! {
                _ = term.recv() => break,
                _ = hangup.recv() => {
                    tokio::spawn(terminal::hangup::end_if_stuck());
                    break;
                }
                // `^C` in an editor is for the editor, though it reaches us too.
                _ = interrupt.recv() => if !terminal::modes::is_lent() { break },
            }
        }
    });
    Ok(async { _ = asked.await })
}

/// Resolves once the system asks the program to end.
#[cfg(not(unix))]
fn stop_requested() -> Result<impl Future<Output = ()>> {
    Ok(async { _ = tokio::signal::ctrl_c().await })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::style::Color;

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

    /// An engine over a home directory with this configuration and these themes.
    fn engine(config: &str, themes: &[(&str, &str)]) -> (tempfile::TempDir, Engine) {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("config.yaml"), config).unwrap();
        std::fs::create_dir(home.path().join("themes")).unwrap();
        for (name, text) in themes {
            std::fs::write(home.path().join(format!("themes/{name}.yaml")), text).unwrap();
        }
        let environment = Environment::from_pairs([("ALUDEL_HOME", home.path().to_str().unwrap())]);
        let loaded = aludel_core::config::load(&aludel_core::config::Flags::default(), &environment).unwrap();
        (home, Engine::open(loaded))
    }

    const DARK: &str = "tui: {theme: dark}\n";

    #[test]
    fn who_wants_no_colour_gets_none() {
        let (_home, engine) = engine(DARK, &[("dark", "broken")]);
        let none = options(&[("NO_COLOR", "1"), ("COLORFGBG", "0;15"), ("COLORTERM", "truecolor")]);
        assert_eq!(theme(&engine, &none).unwrap(), (Theme::mono(), None));
    }

    #[test]
    fn a_theme_that_was_chosen_and_cannot_be_used_is_a_fault_of_its_setting() {
        for (config, name, says) in [
            (DARK, "dark", "dark.yaml`: line 1: expected a section"),
            (
                "tui: {theme: neon}\n",
                "dark",
                "`neon` is not a theme; choose one of auto, mono, ansi16, dark (yours), light,",
            ),
        ] {
            let (home, engine) = engine(config, &[(name, "broken")]);
            let error = theme(&engine, &options(&[])).unwrap_err().to_string();
            assert!(error.contains("config.yaml:1: tui.theme: ") && error.contains(says), "{error}");
            let faults = faults(&engine.config().tui, &Assets::below(home.path()));
            assert!(faults.len() == 1 && error.ends_with(&faults[0].1), "{faults:?}\n{error}");
        }
    }

    #[test]
    fn a_theme_that_nobody_chose_by_name_never_keeps_it_from_opening() {
        let broken = [("ansi16", "broken"), ("light", "bad: grren\n")];
        for (config, name) in [("", "ansi16"), ("tui: {theme: auto}\n", "light")] {
            let (_home, engine) = engine(config, &broken);
            let light = options(&[("COLORFGBG", "0;15"), ("TERM", "xterm-256color")]);
            let (shown, said) = theme(&engine, &light).unwrap();
            assert_eq!(shown, Theme::builtin(name));
            assert!(said.is_some_and(|said| said.starts_with(&format!("your theme {name} is broken"))), "{name}");
        }
    }

    #[test]
    fn a_theme_of_ones_own_is_drawn_in_what_the_terminal_can_show() {
        let (_home, engine) = engine("tui: {theme: amber}\n", &[("amber", "extends: dark\nbrand: \"#ffd701\"\n")]);
        let brand = |pairs: &[(&str, &str)]| theme(&engine, &options(pairs)).unwrap().0.brand.fg;
        let colours = [
            brand(&[("COLORTERM", "truecolor")]),
            brand(&[("TERM", "xterm-256color")]),
            brand(&[("TERM", "linux")]),
            brand(&[("TERM", "linux"), ("NO_COLOR", "1")]),
        ];
        let [exact, shared, named] = [Color::Rgb(255, 215, 1), Color::Indexed(220), Color::Yellow].map(Some);
        assert_eq!(colours, [exact, shared, named, None]);
    }
}
