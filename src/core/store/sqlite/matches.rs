//! The matches of an FTS5 expression, passed to a callback while SQLite walks them.
//!
//! SQLite calls our auxiliary function for each match
//! (<https://www.sqlite.org/fts5.html#custom_auxiliary_functions>). It returns 0, so the statement
//! yields no rows and sorts none: the callback keeps what it wants. [`Match`] has the data for
//! [`super::ranking`], whose tests compare scores with SQLite's `bm25`.
//!
//! Why this is sound. SQLite calls the function on the thread that steps the statement, with an API
//! and a context that are valid for that call. A [`Match`] borrows them for no longer, since the
//! callback can neither keep nor send it. The callback is passed as a bound pointer
//! (<https://www.sqlite.org/bindptr.html>), which SQL can neither make nor read. It points to the
//! stack of [`each`], which leaves it alone until the step has returned, and finalizes the
//! statement before returning itself. Our function never re-enters itself, as nothing else holds
//! the statement. A panic in it aborts the process, as `extern "C"` does: none unwinds into SQLite.
#![expect(unsafe_code, reason = "FTS5 gives what a ranking is made of to C functions alone")]

use std::ffi::{CStr, c_int, c_void};
use std::marker::PhantomData;
use std::ptr;

use rusqlite::{Connection, ffi};

use super::failure::{Failure, SqliteResult};
use super::tokenizer;

const SQL: &CStr = c"SELECT 1 FROM prompt_terms WHERE prompt_terms MATCH ?1 AND each_match(prompt_terms, ?2)";
const NAME: &CStr = c"each_match";
/// The type tag of our pointers.
const KIND: &CStr = c"aludel visitor of matches";

/// The callback for each match.
type Visit<'visit> = dyn FnMut(&Match<'_>) -> SqliteResult<()> + 'visit;

struct Visitor<'visit> {
    visit: &'visit mut Visit<'visit>,
    failure: Option<Failure>,
}

/// Prepares a connection for its first search; others do not pay for it.
pub(super) fn prepare(connection: &Connection) -> SqliteResult<()> {
    if Statement::prepare(connection).is_err() {
        tokenizer::register(connection)?;
        register(connection)?;
    }
    Ok(())
}

/// Calls `visit` for each matching prompt, in the order of keys, until it fails. It can use the
/// connection, but must not change `prompt_terms`. Call [`prepare`] before.
pub(super) fn each<'visit>(
    connection: &Connection,
    expression: &str,
    visit: &'visit mut Visit<'visit>,
) -> SqliteResult<()> {
    let mut visitor = Visitor { visit, failure: None };
    let statement = Statement::prepare(connection)?;
    let ended = statement.run(expression, &raw mut visitor);
    drop(statement);
    visitor.failure.map_or(ended, Err)
}

/// A matching prompt, while SQLite's cursor is on it.
pub(super) struct Match<'call> {
    context: *mut ffi::Fts5Context,
    calls: Calls,
    call: PhantomData<&'call ffi::Fts5Context>,
}

/// The FTS5 API functions used on a match.
#[derive(Clone, Copy)]
struct Calls {
    key: unsafe extern "C" fn(*mut ffi::Fts5Context) -> i64,
    phrases: unsafe extern "C" fn(*mut ffi::Fts5Context) -> c_int,
    rows: unsafe extern "C" fn(*mut ffi::Fts5Context, *mut i64) -> c_int,
    column_total: unsafe extern "C" fn(*mut ffi::Fts5Context, c_int, *mut i64) -> c_int,
    column_length: unsafe extern "C" fn(*mut ffi::Fts5Context, c_int, *mut c_int) -> c_int,
    query_phrase: unsafe extern "C" fn(*mut ffi::Fts5Context, c_int, *mut c_void, Option<PerMatch>) -> c_int,
    first:
        unsafe extern "C" fn(*mut ffi::Fts5Context, c_int, *mut ffi::Fts5PhraseIter, *mut c_int, *mut c_int) -> c_int,
    next: unsafe extern "C" fn(*mut ffi::Fts5Context, *mut ffi::Fts5PhraseIter, *mut c_int, *mut c_int),
}

type PerMatch = unsafe extern "C" fn(*const ffi::Fts5ExtensionApi, *mut ffi::Fts5Context, *mut c_void) -> c_int;

impl Calls {
    fn of(api: &ffi::Fts5ExtensionApi) -> Option<Self> {
        Some(Self {
            key: api.xRowid?,
            phrases: api.xPhraseCount?,
            rows: api.xRowCount?,
            column_total: api.xColumnTotalSize?,
            column_length: api.xColumnSize?,
            query_phrase: api.xQueryPhrase?,
            first: api.xPhraseFirst?,
            next: api.xPhraseNext?,
        })
    }
}

/// Selects all columns together.
const ALL_COLUMNS: c_int = -1;

impl Match<'_> {
    /// The prompt's key.
    pub(super) fn key(&self) -> i64 {
        // SAFETY: the context is that of the call we are in, here and below.
        unsafe { (self.calls.key)(self.context) }
    }

    /// Phrases of the expression, including optional ones.
    pub(super) fn phrases(&self) -> usize {
        // SAFETY: as above.
        let phrases = unsafe { (self.calls.phrases)(self.context) };
        usize::try_from(phrases).unwrap_or_default()
    }

    /// Prompts in the index.
    pub(super) fn rows(&self) -> SqliteResult<i64> {
        let mut rows = 0;
        // SAFETY: as above; the number outlives the call.
        check(unsafe { (self.calls.rows)(self.context, &raw mut rows) })?;
        Ok(rows)
    }

    /// Terms in the index, counting repetitions.
    pub(super) fn terms(&self) -> SqliteResult<i64> {
        let mut terms = 0;
        // SAFETY: as above; the number outlives the call.
        check(unsafe { (self.calls.column_total)(self.context, ALL_COLUMNS, &raw mut terms) })?;
        Ok(terms)
    }

    /// Terms of this prompt, from a table look-up.
    pub(super) fn length(&self) -> SqliteResult<u32> {
        let mut length = 0;
        // SAFETY: as above; the number outlives the call.
        check(unsafe { (self.calls.column_length)(self.context, ALL_COLUMNS, &raw mut length) })?;
        Ok(u32::try_from(length).unwrap_or_default())
    }

    /// Number of prompts with this phrase, counted by walking all of them.
    pub(super) fn rows_with(&self, phrase: usize) -> SqliteResult<i64> {
        let mut rows = 0_i64;
        let phrase = c_int::try_from(phrase).unwrap_or(c_int::MAX);
        // SAFETY: as above; `count_one` is only called before this call returns, and with the number it is given here.
        let code = unsafe {
            (self.calls.query_phrase)(self.context, phrase, (&raw mut rows).cast(), Some(count_one as PerMatch))
        };
        check(code)?;
        Ok(rows)
    }

    /// Calls `tell` with the column of each occurrence of this phrase in this prompt.
    pub(super) fn places(&self, phrase: usize, mut tell: impl FnMut(usize)) -> SqliteResult<()> {
        let mut iterator = ffi::Fts5PhraseIter { a: ptr::null(), b: ptr::null() };
        let (mut column, mut offset) = (0, 0);
        let phrase = c_int::try_from(phrase).unwrap_or(c_int::MAX);
        // SAFETY: as above. FTS5 fills the iterator with what stays valid as long as it stands on this match, and says
        // by a column below 0 that nothing follows.
        check(unsafe {
            (self.calls.first)(self.context, phrase, &raw mut iterator, &raw mut column, &raw mut offset)
        })?;
        while let Ok(known) = usize::try_from(column) {
            tell(known);
            // SAFETY: as above; the iterator is one that `first` has filled and that has not come to its end.
            unsafe { (self.calls.next)(self.context, &raw mut iterator, &raw mut column, &raw mut offset) };
        }
        Ok(())
    }
}

unsafe extern "C" fn count_one(
    _: *const ffi::Fts5ExtensionApi,
    _: *mut ffi::Fts5Context,
    number: *mut c_void,
) -> c_int {
    // SAFETY: the number that `rows_with` has on its stack.
    unsafe { *number.cast::<i64>() += 1 };
    ffi::SQLITE_OK
}

/// The function SQLite calls for each match.
unsafe extern "C" fn each_match(
    api: *const ffi::Fts5ExtensionApi,
    context: *mut ffi::Fts5Context,
    result: *mut ffi::sqlite3_context,
    count: c_int,
    values: *mut *mut ffi::sqlite3_value,
) {
    let code = if count == 1 {
        // SAFETY: SQLite gives as many values as it says, and an API and a context that are valid during this call. A
        // pointer of our kind is one that `Statement::run` has bound, to a visitor nobody else touches meanwhile.
        unsafe {
            let visitor = ffi::sqlite3_value_pointer(*values, KIND.as_ptr()).cast::<Visitor<'_>>().as_mut();
            match (visitor, api.as_ref().and_then(Calls::of)) {
                (Some(visitor), Some(calls)) => {
                    visitor.failure = (visitor.visit)(&Match { context, calls, call: PhantomData }).err();
                    if visitor.failure.is_some() { ffi::SQLITE_ABORT } else { ffi::SQLITE_OK }
                }
                _ => ffi::SQLITE_MISUSE,
            }
        }
    } else {
        ffi::SQLITE_MISUSE
    };
    // SAFETY: the context of the result is valid during this call.
    unsafe {
        if code == ffi::SQLITE_OK {
            ffi::sqlite3_result_int(result, 0);
        } else {
            ffi::sqlite3_result_error_code(result, code);
        }
    }
}

/// A prepared statement, finalized on drop.
struct Statement<'connection> {
    statement: *mut ffi::sqlite3_stmt,
    connection: &'connection Connection,
}

impl<'connection> Statement<'connection> {
    fn prepare(connection: &'connection Connection) -> SqliteResult<Self> {
        Self::of(connection, SQL)
    }

    fn of(connection: &'connection Connection, sql: &CStr) -> SqliteResult<Self> {
        let mut statement = ptr::null_mut();
        // SAFETY: the handle is open as long as the connection is borrowed; the text ends in a zero.
        let code = unsafe {
            ffi::sqlite3_prepare_v2(connection.handle(), sql.as_ptr(), -1, &raw mut statement, ptr::null_mut())
        };
        let prepared = Self { statement, connection };
        prepared.check(code)?;
        Ok(prepared)
    }

    /// Steps through all matches. The visitor is no longer borrowed when this returns.
    fn run(&self, expression: &str, visitor: *mut Visitor<'_>) -> SqliteResult<()> {
        let Ok(length) = c_int::try_from(expression.len()) else { return check(ffi::SQLITE_TOOBIG) };
        // SAFETY: the statement is prepared and has these parameters; SQLite copies the text; the visitor is not touched by
        // anything but `each_match` until the step has come back.
        let code = unsafe {
            self.check(ffi::sqlite3_bind_text(
                self.statement,
                1,
                expression.as_ptr().cast(),
                length,
                ffi::SQLITE_TRANSIENT(),
            ))?;
            self.check(ffi::sqlite3_bind_pointer(self.statement, 2, visitor.cast(), KIND.as_ptr(), None))?;
            ffi::sqlite3_step(self.statement)
        };
        if code == ffi::SQLITE_DONE { Ok(()) } else { self.check(code) }
    }

    fn check(&self, code: c_int) -> SqliteResult<()> {
        if code == ffi::SQLITE_OK {
            return Ok(());
        }
        // SAFETY: the handle is open; its message ends in a zero and is copied before anything else is asked of it.
        let message = unsafe { CStr::from_ptr(ffi::sqlite3_errmsg(self.connection.handle())) };
        let message = message.to_string_lossy().into_owned();
        Err(rusqlite::Error::SqliteFailure(ffi::Error::new(code), Some(message)).into())
    }
}

impl Drop for Statement<'_> {
    fn drop(&mut self) {
        // SAFETY: prepared by us, or null, which SQLite passes over; nobody uses it any more. It says again what failed before.
        unsafe { ffi::sqlite3_finalize(self.statement) };
    }
}

/// Registers the function on a connection.
fn register(connection: &Connection) -> SqliteResult<()> {
    let api = api(connection)?;
    // SAFETY: the API lives as long as the connection. Our function and its name live as long as the program, and it has no
    // data of its own.
    let code = unsafe {
        match api.as_ref().and_then(|found| found.xCreateFunction) {
            Some(create) => create(api, NAME.as_ptr(), ptr::null_mut(), Some(each_match), None),
            None => ffi::SQLITE_ERROR,
        }
    };
    check(code)
}

/// The API of FTS5, which lives as long as the connection (<https://www.sqlite.org/fts5.html#extending_fts5>).
pub(super) fn api(connection: &Connection) -> SqliteResult<*mut ffi::fts5_api> {
    let mut api: *mut ffi::fts5_api = ptr::null_mut();
    let statement = Statement::of(connection, c"SELECT fts5(?1)")?;
    // SAFETY: FTS5 writes its API there during the step, as its documentation says.
    unsafe {
        let place = (&raw mut api).cast::<c_void>();
        statement.check(ffi::sqlite3_bind_pointer(statement.statement, 1, place, c"fts5_api_ptr".as_ptr(), None))?;
        ffi::sqlite3_step(statement.statement);
    }
    Ok(api)
}

pub(super) fn check(code: c_int) -> SqliteResult<()> {
    if code == ffi::SQLITE_OK {
        return Ok(());
    }
    Err(rusqlite::Error::SqliteFailure(ffi::Error::new(code), None).into())
}
