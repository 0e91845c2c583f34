//! The modes of the terminal while the workbench has it.

use std::io::{self, Write};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::cursor::Show;
use crossterm::event::{
    DisableBracketedPaste, DisableFocusChange, EnableBracketedPaste, EnableFocusChange, KeyboardEnhancementFlags,
    PopKeyboardEnhancementFlags, PushKeyboardEnhancementFlags,
};
use crossterm::queue;
use crossterm::style::{Attribute, SetAttribute};
use crossterm::terminal::{EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen};

/// True while the terminal is ours.
static ENTERED: AtomicBool = AtomicBool::new(false);
/// True if the mouse is to be ours too.
static MOUSE: AtomicBool = AtomicBool::new(false);
static HOOK: Once = Once::new();

/// True while another program uses the terminal with our consent.
static LENT: AtomicBool = AtomicBool::new(false);

/// True while another program, such as an editor, uses the terminal: its keys are not ours.
pub(crate) fn is_lent() -> bool {
    LENT.load(Ordering::SeqCst)
}

/// Records that another program has the terminal, or no longer has it.
pub(crate) fn lend(is_lent: bool) {
    LENT.store(is_lent, Ordering::SeqCst);
}
/// Who gets the mouse events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mouse {
    /// The terminal, which selects text.
    Terminals,
    /// The workbench: clicks, drags and the wheel.
    Ours,
}

/// Reports clicks, the wheel, and moves while a button is held, without a limit on columns (xterm's
/// modes 1000, 1002 and 1006; a terminal without 1002 reports only clicks), but no other moves.
const MOUSE_ON: &[u8] = b"\x1b[?1000h\x1b[?1002h\x1b[?1006h";
/// Undoes [`MOUSE_ON`].
const MOUSE_OFF: &[u8] = b"\x1b[?1006l\x1b[?1002l\x1b[?1000l";

/// True while the terminal is ours. A panic anywhere releases it.
pub(crate) fn entered() -> bool {
    ENTERED.load(Ordering::SeqCst)
}

/// Sets who gets the mouse when the terminal is next entered.
pub(crate) fn give_mouse(mouse: Mouse) {
    MOUSE.store(mouse == Mouse::Ours, Ordering::SeqCst);
}

fn mouse() -> Mouse {
    if MOUSE.load(Ordering::SeqCst) { Mouse::Ours } else { Mouse::Terminals }
}

/// Enters the workbench's modes.
pub(crate) fn enter() -> io::Result<()> {
    HOOK.call_once(|| {
        let previous = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            _ = leave();
            previous(panic);
        }));
    });
    if ENTERED.swap(true, Ordering::SeqCst) {
        return Ok(());
    }
    crossterm::terminal::enable_raw_mode()?;
    write_enter(&mut io::stdout().lock(), mouse())
}

/// Restores the terminal. Does nothing the second time.
pub(crate) fn leave() -> io::Result<()> {
    if !ENTERED.swap(false, Ordering::SeqCst) {
        return Ok(());
    }
    let written = write_leave(&mut io::stdout().lock(), mouse());
    // Tries both, even if the first fails.
    crossterm::terminal::disable_raw_mode().and(written)
}

/// Enters the modes again, whatever they were changed to; does nothing if the terminal is not ours.
#[cfg(unix)]
pub(crate) fn retake() -> io::Result<()> {
    if !entered() {
        return Ok(());
    }
    // crossterm does not set what it believes to be set.
    crossterm::terminal::disable_raw_mode()?;
    crossterm::terminal::enable_raw_mode()?;
    write_retake(&mut io::stdout().lock(), mouse())
}

#[cfg(unix)]
fn write_retake(out: &mut impl Write, mouse: Mouse) -> io::Result<()> {
    // A second push of the keyboard flags would need a second pop.
    queue!(out, EndSynchronizedUpdate, PopKeyboardEnhancementFlags)?;
    write_enter(out, mouse)
}

fn write_enter(out: &mut impl Write, mouse: Mouse) -> io::Result<()> {
    // The keyboard protocol is enabled without a query: terminals without it ignore this.
    let flags = PushKeyboardEnhancementFlags(KeyboardEnhancementFlags::DISAMBIGUATE_ESCAPE_CODES);
    queue!(out, EnterAlternateScreen, EnableBracketedPaste, EnableFocusChange)?;
    if cfg!(unix) {
        queue!(out, flags)?;
    }
    if mouse == Mouse::Ours {
        out.write_all(MOUSE_ON)?;
    }
    out.flush()
}

fn write_leave(out: &mut impl Write, mouse: Mouse) -> io::Result<()> {
    queue!(out, EndSynchronizedUpdate)?;
    if mouse == Mouse::Ours {
        out.write_all(MOUSE_OFF)?;
    }
    if cfg!(unix) {
        queue!(out, PopKeyboardEnhancementFlags)?;
    }
    queue!(out, DisableFocusChange, DisableBracketedPaste, SetAttribute(Attribute::Reset), LeaveAlternateScreen, Show)?;
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_entering_sets_leaving_resets() {
        let (mut entering, mut leaving) = (Vec::new(), Vec::new());
        write_enter(&mut entering, Mouse::Ours).unwrap();
        write_leave(&mut leaving, Mouse::Ours).unwrap();
        let (entering, leaving) = (String::from_utf8(entering).unwrap(), String::from_utf8(leaving).unwrap());
        for mode in ["?1049", "?2004", "?1004", "?1000", "?1002", "?1006"] {
            assert!(entering.contains(&format!("{mode}h")) && leaving.contains(&format!("{mode}l")), "{mode}");
        }
        assert!(entering.contains("\u{1b}[>1u") && leaving.contains("\u{1b}[<1u"), "the keyboard protocol");
        assert!(leaving.ends_with("\u{1b}[?25h"), "the cursor is shown");
        assert!(leaving.starts_with("\u{1b}[?2026l"), "a frame that was cut short is ended");
    }

    #[test]
    #[cfg(unix)]
    fn what_is_taken_anew_is_given_back_once() {
        let mut written = Vec::new();
        write_enter(&mut written, Mouse::Ours).unwrap();
        write_retake(&mut written, Mouse::Ours).unwrap();
        write_leave(&mut written, Mouse::Ours).unwrap();
        let written = String::from_utf8(written).unwrap();
        let count = |sequence: &str| written.matches(sequence).count();
        assert_eq!((count("\u{1b}[>1u"), count("\u{1b}[<1u")), (2, 2), "the keyboard protocol is a stack");
        assert_eq!((count("?1049h"), count("?1049l")), (2, 1), "the screen is not");
    }

    #[test]
    fn the_mouse_stays_the_terminals_unless_it_is_asked_for() {
        let mut written = Vec::new();
        write_enter(&mut written, Mouse::Terminals).unwrap();
        write_leave(&mut written, Mouse::Terminals).unwrap();
        let written = String::from_utf8(written).unwrap();
        assert!(!written.contains("?1000") && !written.contains("?1006"), "{written:?}");
    }
}
