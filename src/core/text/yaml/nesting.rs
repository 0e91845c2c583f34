//! Limits the nesting of YAML before parsing.
//!
//! For each token the parser (libyaml) looks at every open bracket, so `{a: {a: …` of 200 kB took
//! it 15 seconds, and for each `%TAG` line at every earlier one. In one pass, [`check`] refuses
//! nesting deeper than [`MOST_NESTED`] and more than [`MOST_DIRECTIVES`] directives. It follows the
//! parser's own scanner (libyaml 0.2.5, `scanner.c`), which is the only way to recognise brackets
//! inside scalars; where the parser would fail, it stops. Texts with few brackets skip the pass.

use super::SyntaxError;

/// The deepest nesting allowed, which is also the parser's limit.
pub const MOST_NESTED: usize = 128;

/// Maximum lines that begin with `%`.
const MOST_DIRECTIVES: usize = 64;

/// The length limit of a key, in characters (YAML 1.2.2, section 7.4.2).
const LONGEST_KEY: usize = 1024;

/// Refuses a text that nests too deep for the parser.
///
/// # Errors
/// The position of the first bracket or directive too many.
pub fn check(text: &str) -> Result<(), SyntaxError> {
    let suspects = text.bytes().filter(|byte| matches!(byte, b'{' | b'[' | b'%')).count();
    if suspects <= MOST_DIRECTIVES {
        return Ok(());
    }
    let mut scanner = Scanner::of(text);
    while scanner.token()? {}
    Ok(())
}

/// The message for a text that nests too deep.
pub(super) fn too_deep() -> String {
    format!("nested more than {MOST_NESTED} deep, which is the most; put a text that begins with a bracket in quotes")
}

/// The deepest nesting of brackets and of indentation, to compare with the parser.
#[cfg(test)]
pub(super) fn deepest(text: &str) -> (usize, usize) {
    let mut scanner = Scanner::of(text);
    let mut deepest = (0, 0);
    while scanner.token().unwrap_or(false) {
        deepest = (deepest.0.max(scanner.nested), deepest.1.max(scanner.outer.len()));
    }
    deepest
}

/// Where a block-style key may have begun.
#[derive(Debug, Clone, Copy)]
struct Key {
    column: usize,
    line: usize,
    index: usize,
}

/// The state of libyaml's scanner that decides where scalars end. Columns count characters, from 0.
#[derive(Debug)]
struct Scanner<'t> {
    rest: &'t [u8],
    /// Characters passed.
    index: usize,
    line: usize,
    column: usize,
    /// Open brackets.
    nested: usize,
    /// The column of the current block; `None` outside all.
    indent: Option<usize>,
    /// The columns of the enclosing blocks.
    outer: Vec<Option<usize>>,
    /// Where a key outside brackets may have begun.
    key: Option<Key>,
    /// True where a key can begin.
    may_begin_key: bool,
    directives: usize,
}

impl<'t> Scanner<'t> {
    fn of(text: &'t str) -> Self {
        Self {
            rest: text.as_bytes(),
            index: 0,
            line: 0,
            column: 0,
            nested: 0,
            indent: None,
            outer: Vec::new(),
            key: None,
            may_begin_key: true,
            directives: 0,
        }
    }

    /// Skips one token. Returns false at the end, and where the parser fails.
    fn token(&mut self) -> Result<bool, SyntaxError> {
        self.skip_to_token();
        if self.nested == 0 {
            self.unroll(self.column);
        }
        let Some(first) = self.at(0) else { return Ok(false) };
        if self.column == 0 && first == b'%' {
            return self.directive();
        }
        if self.is_document_mark() {
            self.unroll_all();
            self.may_begin_key = false;
            (0..3).for_each(|_| self.pass());
            return Ok(true);
        }
        let is_last = self.is_blank_or_end(1);
        Ok(match first {
            b'[' | b'{' => {
                self.may_be_key();
                self.nested += 1;
                if self.nested > MOST_NESTED {
                    return Err(self.refusal(too_deep()));
                }
                self.may_begin_key = true;
                self.pass();
                true
            }
            b']' | b'}' => {
                self.forget_key();
                self.nested = self.nested.saturating_sub(1);
                self.may_begin_key = false;
                self.pass();
                true
            }
            b',' => {
                self.forget_key();
                self.may_begin_key = true;
                self.pass();
                true
            }
            b'-' if is_last => self.entry(true),
            b'?' if self.nested > 0 || is_last => self.entry(self.nested == 0),
            b':' if self.nested > 0 || is_last => self.value(),
            b'*' | b'&' => self.anchor(),
            b'!' => self.tag(),
            b'|' | b'>' if self.nested == 0 => self.block_scalar(),
            b'\'' | b'"' => self.quoted(first),
            b'#' | b'|' | b'>' | b'%' | b'@' | b'`' | b'\t' => false,
            _ => self.plain(),
        })
    }

    fn at(&self, offset: usize) -> Option<u8> {
        self.rest.get(offset).copied()
    }

    /// The length of the line break here: `\n`, `\r`, `\r\n`, and the three of Unicode.
    fn line_break(&self) -> Option<usize> {
        match self.rest {
            [b'\r', b'\n', ..] | [0xc2, 0x85, ..] => Some(2),
            [b'\r' | b'\n', ..] => Some(1),
            [0xe2, 0x80, 0xa8 | 0xa9, ..] => Some(3),
            _ => None,
        }
    }

    fn is_blank(&self) -> bool {
        matches!(self.rest, [b' ' | b'\t', ..])
    }

    fn is_break_or_end(&self) -> bool {
        self.rest.is_empty() || self.line_break().is_some()
    }

    fn is_blank_or_end(&self, offset: usize) -> bool {
        match self.rest.get(offset..) {
            None | Some([] | [b' ' | b'\t' | b'\r' | b'\n', ..] | [0xc2, 0x85, ..]) => true,
            Some(rest) => matches!(rest, [0xe2, 0x80, 0xa8 | 0xa9, ..]),
        }
    }

    /// True at `---` or `...` at the beginning of a line.
    fn is_document_mark(&self) -> bool {
        self.column == 0 && (self.rest.starts_with(b"---") || self.rest.starts_with(b"...")) && self.is_blank_or_end(3)
    }

    /// Skips one character other than a line break.
    fn pass(&mut self) {
        let bytes = match self.rest.first() {
            None => return,
            Some(0..=0x7f) => 1,
            Some(0x80..=0xdf) => 2,
            Some(0xe0..=0xef) => 3,
            Some(_) => 4,
        };
        self.rest = self.rest.get(bytes..).unwrap_or_default();
        self.index += 1;
        self.column += 1;
    }

    /// Skips a line break; false if there is none.
    fn pass_break(&mut self) -> bool {
        let Some(bytes) = self.line_break() else { return false };
        self.rest = &self.rest[bytes..];
        self.index += 1;
        self.line += 1;
        self.column = 0;
        true
    }

    fn pass_line(&mut self) {
        while !self.is_break_or_end() {
            self.pass();
        }
    }

    fn skip_to_token(&mut self) {
        loop {
            if self.column == 0 && self.rest.starts_with(b"\xef\xbb\xbf") {
                self.pass();
            }
            while self.at(0) == Some(b' ') || (self.nested > 0 || !self.may_begin_key) && self.at(0) == Some(b'\t') {
                self.pass();
            }
            if self.at(0) == Some(b'#') {
                self.pass_line();
            }
            if !self.pass_break() {
                return;
            }
            if self.nested == 0 {
                self.may_begin_key = true;
            }
        }
    }

    fn roll(&mut self, column: usize) {
        if self.nested == 0 && self.indent.is_none_or(|indent| indent < column) {
            self.outer.push(self.indent);
            self.indent = Some(column);
        }
    }

    fn unroll(&mut self, column: usize) {
        while self.indent.is_some_and(|indent| indent > column) {
            self.indent = self.outer.pop().flatten();
        }
    }

    fn unroll_all(&mut self) {
        if self.nested == 0 {
            self.outer.clear();
            (self.indent, self.key) = (None, None);
        }
    }

    /// Notes that a key can begin here.
    fn may_be_key(&mut self) {
        if self.nested == 0 && self.may_begin_key {
            self.key = Some(Key { column: self.column, line: self.line, index: self.index });
        }
    }

    fn forget_key(&mut self) {
        if self.nested == 0 {
            self.key = None;
        }
    }

    /// `-` or `?`.
    fn entry(&mut self, is_block: bool) -> bool {
        if self.nested == 0 {
            if !self.may_begin_key {
                return false;
            }
            self.roll(self.column);
        }
        self.forget_key();
        self.may_begin_key = is_block;
        self.pass();
        true
    }

    /// `:`
    fn value(&mut self) -> bool {
        if self.nested == 0 {
            let is_near = |key: &Key| key.line == self.line && key.index + LONGEST_KEY >= self.index;
            match self.key.take().filter(is_near) {
                Some(key) => {
                    self.roll(key.column);
                    self.may_begin_key = false;
                }
                None if !self.may_begin_key => return false,
                None => self.roll(self.column),
            }
        } else {
            self.may_begin_key = false;
        }
        self.pass();
        true
    }

    fn directive(&mut self) -> Result<bool, SyntaxError> {
        self.directives += 1;
        if self.directives > MOST_DIRECTIVES {
            return Err(
                self.refusal(format!("more than {MOST_DIRECTIVES} lines that begin with `%`, which is the most"))
            );
        }
        self.unroll_all();
        self.may_begin_key = false;
        self.pass_line();
        Ok(true)
    }

    fn anchor(&mut self) -> bool {
        self.may_be_key();
        self.may_begin_key = false;
        self.pass();
        while self.at(0).is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')) {
            self.pass();
        }
        self.is_blank_or_end(0) || matches!(self.at(0), Some(b'?' | b':' | b',' | b']' | b'}' | b'%' | b'@' | b'`'))
    }

    fn tag(&mut self) -> bool {
        self.may_be_key();
        self.may_begin_key = false;
        self.pass();
        let is_verbatim = self.at(0) == Some(b'<');
        let is_of_tag = |byte: u8| {
            byte.is_ascii_alphanumeric()
                || b"_-;/?:@&=+$.!~*'()%".contains(&byte)
                || is_verbatim && b"<>,[]".contains(&byte)
        };
        while self.at(0).is_some_and(is_of_tag) {
            self.pass();
        }
        self.is_blank_or_end(0) || self.nested > 0 && self.at(0) == Some(b',')
    }

    /// `|` or `>` with its lines.
    fn block_scalar(&mut self) -> bool {
        self.forget_key();
        self.may_begin_key = true;
        self.pass();
        let mut more = None;
        for _ in 0..2 {
            match self.at(0) {
                Some(b'+' | b'-') => self.pass(),
                Some(digit @ b'1'..=b'9') => {
                    more = Some(usize::from(digit - b'0'));
                    self.pass();
                }
                _ => break,
            }
        }
        while self.is_blank() {
            self.pass();
        }
        if self.at(0) == Some(b'#') {
            self.pass_line();
        }
        if !self.is_break_or_end() {
            return false;
        }
        self.pass_break();
        let mut depth = more.map(|more| self.indent.unwrap_or(0) + more);
        loop {
            let mut widest = 0;
            loop {
                while self.at(0) == Some(b' ') && depth.is_none_or(|depth| self.column < depth) {
                    self.pass();
                }
                widest = widest.max(self.column);
                if !self.pass_break() {
                    break;
                }
            }
            let least = self.indent.map_or(1, |indent| indent + 1).max(1);
            let depth = *depth.get_or_insert(widest.max(least));
            if self.column != depth || self.rest.is_empty() {
                return true;
            }
            self.pass_line();
            self.pass_break();
        }
    }

    fn quoted(&mut self, quote: u8) -> bool {
        self.may_be_key();
        self.may_begin_key = false;
        self.pass();
        loop {
            if self.is_document_mark() {
                return false;
            }
            match self.at(0) {
                None => return false,
                Some(b'\\') if quote == b'"' => {
                    self.pass();
                    if !self.pass_break() {
                        self.pass();
                    }
                }
                Some(byte) if byte == quote => {
                    self.pass();
                    if quote == b'"' || self.at(0) != Some(quote) {
                        return true;
                    }
                    self.pass();
                }
                Some(_) => {
                    if !self.pass_break() {
                        self.pass();
                    }
                }
            }
        }
    }

    fn plain(&mut self) -> bool {
        self.may_be_key();
        self.may_begin_key = false;
        let least = self.indent.map_or(0, |indent| indent + 1);
        loop {
            if self.is_document_mark() || self.at(0) == Some(b'#') {
                return true;
            }
            let mut has_broken = false;
            while !self.is_blank_or_end(0) {
                match self.at(0) {
                    Some(b':')
                        if self.nested > 0 && matches!(self.at(1), Some(b',' | b'?' | b'[' | b']' | b'{' | b'}')) =>
                    {
                        return false;
                    }
                    Some(b':') if self.is_blank_or_end(1) => return true,
                    Some(b',' | b'[' | b']' | b'{' | b'}') if self.nested > 0 => return true,
                    _ => {
                        self.pass();
                        self.may_begin_key = false;
                    }
                }
            }
            if self.rest.is_empty() {
                return true;
            }
            loop {
                if self.is_blank() {
                    self.pass();
                } else if self.pass_break() {
                    has_broken = true;
                } else {
                    break;
                }
            }
            self.may_begin_key = has_broken;
            if self.nested == 0 && self.column < least {
                return true;
            }
        }
    }

    /// The error, at this position.
    fn refusal(&self, message: String) -> SyntaxError {
        SyntaxError { line: Some(self.line + 1), column: Some(self.column + 1), message }
    }
}
