//! Which characters are hidden: controls, reordering or invisible ones, and stray joiners.
//!
//! Sources: `Cc`, `Bidi_Control` and `Default_Ignorable_Code_Point` of Unicode 17, DerivedCoreProperties.txt and PropList.txt;
//! UTS #51, section 2.6, and emoji-sequences.txt for the flags; UAX #31, section 2.3.1, for joiners.

/// A part of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Text that can be shown as it is.
    Text(&'a str),
    /// A character to escape.
    Hidden(char),
}

/// The pieces of a text, in order; together they are the text.
///
/// Also visible are: line feeds, tabs, `\r` before `\n`; U+200C and U+200D after a visible
/// non-ASCII character; one variation selector after a character that can have one; the tags of
/// three flags after their black flag.
#[derive(Debug, Clone)]
pub struct Pieces<'a> {
    rest: &'a str,
    /// The visible character before `rest`.
    previous: Option<char>,
}

/// The flags with tags that are recommended for interchange: England, Scotland, Wales.
pub(super) const FLAGS: [&str; 3] = [
    "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
    "\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
    "\u{1f3f4}\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}",
];

/// The base character of a tag flag.
pub(super) const BLACK_FLAG: char = '\u{1f3f4}';

impl<'a> Pieces<'a> {
    /// The pieces of this text.
    pub const fn of(text: &'a str) -> Self {
        Self { rest: text, previous: None }
    }

    /// The pieces of a text that continues after this character.
    pub(super) const fn behind(previous: Option<char>, text: &'a str) -> Self {
        Self { rest: text, previous }
    }

    /// The last visible character so far.
    pub(super) const fn previous(&self) -> Option<char> {
        self.previous
    }

    /// Bytes that can be shown at the beginning of the rest.
    fn visible(&mut self) -> usize {
        let mut at = 0;
        while let Some(c) = self.rest[at..].chars().next() {
            let rest = &self.rest[at..];
            let length = match c {
                BLACK_FLAG => FLAGS.iter().find(|flag| rest.starts_with(*flag)).map_or(c.len_utf8(), |flag| flag.len()),
                _ if is_hidden(c, self.previous, &rest[c.len_utf8()..]) => break,
                _ => c.len_utf8(),
            };
            self.previous = Some(c);
            at += length;
        }
        at
    }
}

impl<'a> Iterator for Pieces<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        let visible = self.visible();
        if visible > 0 {
            let (text, rest) = self.rest.split_at(visible);
            self.rest = rest;
            return Some(Piece::Text(text));
        }
        let c = self.rest.chars().next()?;
        self.rest = &self.rest[c.len_utf8()..];
        self.previous = None;
        Some(Piece::Hidden(c))
    }
}

/// True for a character that is hidden here, between the visible `previous` and `rest`.
fn is_hidden(c: char, previous: Option<char>, rest: &str) -> bool {
    match c {
        ' '..='~' | '\n' | '\t' => false,
        '\r' => !rest.starts_with('\n'),
        // Mongolian variation selectors and vowel separator.
        '\u{180b}'..='\u{180f}' => !matches!(previous, Some('\u{1820}'..='\u{18aa}')),
        '\u{200c}' | '\u{200d}' => !previous.is_some_and(joins),
        '\u{fe00}'..='\u{fe0f}' => !previous.is_some_and(varies),
        '\u{e0100}'..='\u{e01ef}' => !previous.is_some_and(is_ideograph),
        _ => is_always_hidden(c),
    }
}

/// True for characters hidden in any context, except carriage returns and flag tags.
pub fn is_always_hidden(c: char) -> bool {
    match c {
        '\n' | '\t' | '\r' => false,
        // Soft hyphen, grapheme joiner, Arabic letter mark, Hangul fillers, Khmer inherent vowels.
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        // Zero-width space, bidi marks, line and paragraph separators, bidi embeddings and overrides.
        | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
        // Word joiner, invisible operators, bidi isolates, deprecated format characters.
        | '\u{2060}'..='\u{206f}'
        // Fillers, byte-order mark, interlinear annotation, unassigned ignorable ones, noncharacters.
        | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}'
        // Format characters of shorthand and of music.
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        // Tag characters and the rest of the ignorable plane, except its variation selectors.
        | '\u{e0000}'..='\u{e00ff}' | '\u{e01f0}'..='\u{e0fff}' => true,
        _ => c.is_control(),
    }
}

/// True for a visible character that a joiner may follow: of a script that has them, or an emoji.
fn joins(previous: char) -> bool {
    !previous.is_ascii() && !previous.is_whitespace() && !is_joiner(previous)
}

/// True for a character that a variation selector may follow: no letter of ASCII, no space, no other selector.
fn varies(previous: char) -> bool {
    match previous {
        '0'..='9' | '#' | '*' => true,
        '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' => false,
        _ => joins(previous),
    }
}

const fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}')
}

const fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}
