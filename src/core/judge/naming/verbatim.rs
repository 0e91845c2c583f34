//! Finds code and quotations in a text.

/// The opening quotation marks, each with its closing marks.
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

/// The byte ranges of code and quotations with their marks, in order. Quotations end on their line.
pub(super) fn verbatim(text: &str) -> Vec<(usize, usize)> {
    let (mut found, mut skip_to, mut before) = (Vec::new(), 0, ' ');
    // For each kind of quotation, the position up to which it is known to be unclosed.
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

/// True for a mark that is not an apostrophe or an inch sign.
fn opens(text: &str, at: usize, sign: char, before: char) -> bool {
    let next = text[at + sign.len_utf8()..].chars().next();
    !before.is_alphanumeric() && next.is_some_and(|next| !next.is_whitespace())
}

/// The end of the quotation whose text begins at `begin`, else the position up to which none ends.
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

/// The end of the code that opens at `at`: after as many backticks, at most three. An unclosed one
/// stays unclosed further on, so this fails once for each number of backticks.
fn end_of_code(text: &str, at: usize) -> Option<usize> {
    let ticks = text[at..].bytes().take(3).take_while(|byte| *byte == b'`').count();
    let begin = at + ticks;
    text[begin..].find(&text[at..begin]).map(|length| begin + length + ticks)
}
