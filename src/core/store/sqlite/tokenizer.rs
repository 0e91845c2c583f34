//! The tokenizer of `prompt_terms`, which allows several terms in one position.
//!
//! Its input already consists of terms ([`super::terms`]): [`NEXT_POSITION`] precedes the next
//! position, [`NEXT_FORM`] another term of the same one. No term contains either. FTS5 takes
//! tokenizers only through C (<https://www.sqlite.org/fts5.html#custom_tokenizers>).
//!
//! Why this is sound. The tokenizer has no state: FTS5 holds a pointer to a static that is never
//! read. It is called with a text that is valid during the call, and passes slices of that text to
//! the callback it was given, with the context it was given. A panic in it aborts the process, as
//! `extern "C"` does, rather than unwind through SQLite.
#![expect(unsafe_code, reason = "FTS5 takes tokenizers from C functions alone")]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;

use rusqlite::{Connection, ffi};

use super::failure::SqliteResult;
use super::matches::{self, check};

/// Precedes the next position.
pub(super) const NEXT_POSITION: char = ' ';

/// Precedes another term of the same position.
pub(super) const NEXT_FORM: char = '\u{1f}';

const NAME: &CStr = c"aludel_terms";

/// The callback of FTS5 for each term.
type Tell = unsafe extern "C" fn(*mut c_void, c_int, *const c_char, c_int, c_int, c_int) -> c_int;

/// The state of the stateless tokenizer.
static NO_STATE: u8 = 0;

/// Registers the tokenizer on a connection. Needed for reading and writing the index.
pub(super) fn register(connection: &Connection) -> SqliteResult<()> {
    let api = matches::api(connection)?;
    let mut tokenizer = ffi::fts5_tokenizer { xCreate: Some(create), xDelete: Some(delete), xTokenize: Some(tokenize) };
    // SAFETY: the API lives as long as the connection; FTS5 copies the tokenizer; the name lives as long as the program.
    let code = unsafe {
        match api.as_ref().and_then(|found| found.xCreateTokenizer) {
            Some(register) => register(api, NAME.as_ptr(), ptr::null_mut(), &raw mut tokenizer, None),
            None => ffi::SQLITE_ERROR,
        }
    };
    check(code)
}

unsafe extern "C" fn create(
    _: *mut c_void,
    _: *mut *const c_char,
    _: c_int,
    made: *mut *mut ffi::Fts5Tokenizer,
) -> c_int {
    // SAFETY: FTS5 gives a place for the pointer, which it only hands back.
    unsafe { *made = (&raw const NO_STATE).cast_mut().cast() };
    ffi::SQLITE_OK
}

unsafe extern "C" fn delete(_: *mut ffi::Fts5Tokenizer) {}

unsafe extern "C" fn tokenize(
    _: *mut ffi::Fts5Tokenizer,
    context: *mut c_void,
    _: c_int,
    text: *const c_char,
    length: c_int,
    tell: Option<Tell>,
) -> c_int {
    let (Some(tell), Ok(length)) = (tell, usize::try_from(length)) else { return ffi::SQLITE_MISUSE };
    if text.is_null() || length == 0 {
        return ffi::SQLITE_OK;
    }
    // SAFETY: the text is valid for so many bytes during this call.
    let text = unsafe { std::slice::from_raw_parts(text.cast::<u8>(), length) };
    for (range, is_next_form) in terms(text) {
        let place = |at: usize| c_int::try_from(at).unwrap_or(c_int::MAX);
        let flags = if is_next_form { ffi::FTS5_TOKEN_COLOCATED } else { 0 };
        let term = &text[range.clone()];
        // SAFETY: the function and its context are those FTS5 has given for this call.
        let code = unsafe {
            tell(context, flags, term.as_ptr().cast(), place(term.len()), place(range.start), place(range.end))
        };
        if code != ffi::SQLITE_OK {
            return code;
        }
    }
    ffi::SQLITE_OK
}

/// The range of each term, and whether it shares the position of the one before.
fn terms(text: &[u8]) -> impl Iterator<Item = (std::ops::Range<usize>, bool)> {
    let ends = |byte: &u8| [NEXT_POSITION, NEXT_FORM].contains(&char::from(*byte));
    let mut start = 0;
    let mut is_first = true;
    std::iter::from_fn(move || {
        while start < text.len() {
            let end = text[start..].iter().position(ends).map_or(text.len(), |length| start + length);
            let range = start..end;
            start = end + 1;
            let is_next_form = !is_first && range.start > 0 && char::from(text[range.start - 1]) == NEXT_FORM;
            if !range.is_empty() {
                is_first = false;
                return Some((range, is_next_form));
            }
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_told_with_their_positions() {
        let told = |text: &str| {
            let terms = terms(text.as_bytes()).map(|(range, is_next)| (text[range].to_owned(), is_next));
            terms.collect::<Vec<_>>()
        };
        let expected = [("use", false), ("github", false), ("git", true), ("hub", true), ("now", false)];
        assert_eq!(
            told("use github\u{1f}git\u{1f}hub now"),
            expected.map(|(term, is_next)| (term.to_owned(), is_next))
        );
        assert_eq!(told(" é  x "), [("é".to_owned(), false), ("x".to_owned(), false)]);
        assert_eq!(told(""), []);
        assert_eq!(told("\u{1f}x"), [("x".to_owned(), false)]);
    }
}
