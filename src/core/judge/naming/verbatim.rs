//! Code and quotations: where they stand in a text.

/// What opens a quotation, and what closes it.
const QUOTES: [(char, &[char]); 8] = [
    ('"', &['"']),
    ('“', &['”']),
    ('„', &['“', '”']),
    ('«', &['»']),
    ('‹', &['›']),
    ('「', &['」']),
    ('‘', &['’']),
    ('\'', &['\'']),
];

/// The bytes of each piece of code and each quotation, its signs included, in order. A quotation ends on its line.
pub(super) fn verbatim(text: &str) -> Vec<(usize, usize)> {
    let (mut found, mut skip_to, mut before) = (Vec::new(), 0, ' ');
    // By kind of quotation, up to where it is known that nothing closes one.
    let mut unclosed = [0; QUOTES.len()];
    for (at, sign) in text.char_indices() {
        let is_inside = at < skip_to;
        let end = match QUOTES.iter().position(|(opening, _)| *opening == sign) {
            _ if is_inside => None,
            _ if sign == '`' => end_of_code(text, at),
            Some(kind) if at >= unclosed[kind] && opens(text, at, sign, before) => {
                end_of_quotation(text, at + sign.len_utf8(), QUOTES[kind].1).map_err(|end| unclosed[kind] = end).ok()
            }
            _ => None,
        };
        if let Some(end) = end {
            found.push((at, end));
            skip_to = end;
        }
        before = sign;
    }
    found
}

/// True for a sign that is no apostrophe and no inch.
fn opens(text: &str, at: usize, sign: char, before: char) -> bool {
    let next = text[at + sign.len_utf8()..].chars().next();
    !before.is_alphanumeric() && next.is_some_and(|next| !next.is_whitespace())
}

/// Where the quotation ends whose words begin at `begin`; else the place up to which nothing ends it.
fn end_of_quotation(text: &str, begin: usize, closing: &[char]) -> Result<usize, usize> {
    let mut signs = text[begin..].char_indices().map(|(at, sign)| (begin + at, sign)).peekable();
    while let Some((at, sign)) = signs.next() {
        let next = signs.peek().map(|(_, next)| *next);
        let is_apostrophe = matches!(sign, '\'' | '’') && next.is_some_and(char::is_alphanumeric);
        if sign == '\n' {
            return Err(at);
        }
        if closing.contains(&sign) && !is_apostrophe {
            return Ok(at + sign.len_utf8());
        }
    }
    Err(text.len())
}

/// Where the code ends that opens at `at`: behind as many backticks, three at most. What closes nothing closes nothing
/// further on either, so this fails once for each number of them.
fn end_of_code(text: &str, at: usize) -> Option<usize> {
    let ticks = text[at..].bytes().take(3).take_while(|byte| *byte == b'`').count();
    let begin = at + ticks;
    text[begin..].find(&text[at..begin]).map(|length| begin + length + ticks)
}
