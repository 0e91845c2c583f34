//! The texts of a generation, from arguments, files and standard input.
//!
//! Standard input is the request if none is given, a context if `--context -` says so, and
//! otherwise a context if something was piped in ([`piped`]). It is read last, so a bad option is
//! refused before waiting for it. Waiting counts against `--timeout`.

use std::time::{Duration, Instant};

use aludel_core::api::GenerateRequest;
use aludel_core::engine::Engine;
use aludel_core::error::{Error, Result};

use crate::cli::args::GenerateArgs;
use crate::cli::input::{self, Source};
use crate::cli::piped::{self, Piped, Wait};
use crate::cli::printer::Printer;
use crate::cli::view::count_of;

/// Replaces standard input while everything else is checked.
const STDIN_PLACEHOLDER: &str = "-";

/// A shorter wait is not subtracted, so that a limit stays the number that was given.
const MIN_COUNTED_WAIT: Duration = Duration::from_millis(100);

/// What standard input is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stdin {
    /// Unused.
    Unread,
    /// The request.
    Input,
    /// The context at this index, as requested.
    Context(usize),
    /// One more context, at this index, if anything is piped in.
    IfPiped(usize),
}

impl Stdin {
    fn of(args: &GenerateArgs, source: Source<'_>) -> Result<Self> {
        let mut asked = args.context.iter().enumerate().filter(|(_, given)| *given == "-");
        let first = asked.next().map(|(position, _)| position);
        let again = if source == Source::Stdin { first } else { asked.next().map(|(position, _)| position) };
        let field = |position: usize| format!("context[{position}]");
        if let Some(position) = again {
            let message = "reads standard input, which is already used; give one of the two as a file, with @FILE";
            return Err(Error::shape(field(position), message));
        }
        let stdin = match (source, first) {
            (Source::Stdin, _) => Self::Input,
            (_, Some(position)) => Self::Context(position),
            (_, None) if args.no_stdin || !piped::may_hold_text() => Self::Unread,
            (_, None) => Self::IfPiped(args.context.len()),
        };
        let refused = "reads standard input, which --no-stdin forbids; drop one of the two";
        match stdin {
            Self::Input if args.no_stdin => Err(Error::shape("input", refused)),
            Self::Context(position) if args.no_stdin => Err(Error::shape(field(position), refused)),
            _ => Ok(stdin),
        }
    }

    /// The field that it fills.
    fn field(self) -> String {
        match self {
            Self::Context(position) | Self::IfPiped(position) => format!("context[{position}]"),
            Self::Unread | Self::Input => "input".to_owned(),
        }
    }
}

/// The request given by the arguments, with its texts read.
///
/// # Errors
/// Those of files and of the core's decoder; `provider_timeout` if `--timeout` passes meanwhile.
pub(super) fn request(args: &GenerateArgs, engine: &Engine, printer: &Printer) -> Result<GenerateRequest> {
    let has_none = input::stdin_is_terminal() || args.no_stdin;
    let source = Source::choose(args.text.as_deref(), args.input_file.as_deref(), has_none)?;
    let stdin = Stdin::of(args, source)?;
    let mut input = if stdin == Stdin::Input { STDIN_PLACEHOLDER.to_owned() } else { source.read("input")? };
    let mut context = args
        .context
        .iter()
        .enumerate()
        .map(|(position, given)| match given.as_str() {
            "-" => Ok(STDIN_PLACEHOLDER.to_owned()),
            _ => input::text_or_file(given, &format!("context[{position}]")),
        })
        .collect::<Result<Vec<String>>>()?;

    let checked: Result<GenerateRequest> = engine.decode(args.request(input.clone(), &context));
    let checked = match stdin {
        Stdin::Unread => return checked,
        // The request is read in any case, so that its faults are reported with all others.
        Stdin::Input => checked.unwrap_or_default(),
        Stdin::Context(_) | Stdin::IfPiped(_) => checked?,
    };
    let started = Instant::now();
    let limit = checked.timeout_s.map(Duration::from_secs_f64);
    let text = read_stdin(stdin, limit.map(|limit| (started + limit, limit)), printer)?;
    let mut taken = None;
    match (stdin, text) {
        (Stdin::Input, Some(text)) => input = text,
        (Stdin::Context(position), Some(text)) => context[position] = text,
        (Stdin::IfPiped(_), Some(text)) if !text.trim().is_empty() => {
            taken = Some(text.chars().count() as u64);
            context.push(text);
        }
        _ => {}
    }
    let mut raw = args.request(input, &context);
    if let Some(seconds) = checked.timeout_s {
        raw["timeout_s"] = rest_of_time(seconds, started).into();
    }
    let request = engine.decode(raw)?;
    if let Some(characters) = taken.filter(|_| !printer.is_quiet()) {
        let size = count_of(characters, "character");
        printer.say(format!("standard input is used as a context ({size}); --no-stdin ignores it"));
    }
    Ok(request)
}

/// Reads standard input; `None` if nothing came and nothing was required.
fn read_stdin(stdin: Stdin, until: Option<(Instant, Duration)>, printer: &Printer) -> Result<Option<String>> {
    if input::stdin_is_terminal() {
        let what = if stdin == Stdin::Input { "the request" } else { "the context" };
        printer.note(format!("reading {what} from the terminal; end it with Ctrl-D"));
    }
    let first_byte = matches!(stdin, Stdin::IfPiped(_)).then_some(piped::FIRST_BYTE);
    match piped::read(&stdin.field(), Wait { first_byte, until })? {
        Piped::Text(text) => Ok(Some(text)),
        Piped::Silent => {
            if !printer.is_quiet() {
                printer.say(format!(
                    "no data on standard input within {} s, so it is ignored; --context - waits for it, --no-stdin skips it",
                    piped::FIRST_BYTE.as_secs()
                ));
            }
            Ok(None)
        }
    }
}

/// What is left of so many seconds, to a tenth of one.
fn rest_of_time(seconds: f64, started: Instant) -> f64 {
    let waited = started.elapsed();
    if waited < MIN_COUNTED_WAIT {
        return seconds;
    }
    let tenths = (waited.as_secs_f64() * 10.0).floor() / 10.0;
    (seconds - tenths).max(MIN_COUNTED_WAIT.as_secs_f64())
}
