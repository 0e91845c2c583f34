//! How a line of a text looks: blank, prose, a heading, a list item, a fence, or something to be kept as it stands.
//!
//! Lines are judged one by one from their own characters, and then once more together: a table or a log is several
//! lines of one shape, and a single line that merely ends in a semicolon stays prose. [`super::blocks`] puts the
//! lines together.

use super::visited::visit;

/// How a line looks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Look {
    /// Nothing but blanks.
    Blank,
    /// A rule such as `---` or `=====`.
    Decoration,
    /// Opens or closes fenced code.
    Fence,
    /// A title.
    Heading,
    /// A list item.
    Item {
        /// Its marker as written.
        marker: String,
    },
    /// Code, a log, a table, a diff.
    Verbatim,
    /// Running text.
    Prose,
}

/// Beginnings that only code, logs, traces and diffs have.
const VERBATIM_BEGINNINGS: &[&str] = &[
    "Traceback (most recent call last)",
    "File \"",
    "Exception in thread",
    "Caused by:",
    "goroutine ",
    "panic: ",
    "stack backtrace:",
    "#include ",
    "CREATE TABLE",
    "create table",
    "INSERT INTO",
    "ALTER TABLE",
    "diff --git",
    "@@ ",
    "+++ ",
    "--- a/",
    "#!/",
    "<?xml",
    "<!DOCTYPE",
    "</",
];

/// Beginnings of code that prose may have too: they count when the line also holds a mark of code.
const CODE_BEGINNINGS: &[&str] = &[
    "def ",
    "fn ",
    "pub ",
    "class ",
    "function ",
    "const ",
    "let ",
    "var ",
    "import ",
    "from ",
    "return ",
    "if (",
    "for (",
    "while (",
    "public ",
    "private ",
    "static ",
    "using ",
    "use ",
    "package ",
    "struct ",
    "enum ",
    "impl ",
    "SELECT ",
    "FROM ",
    "WHERE ",
    "JOIN ",
    "async ",
    "await ",
    "print(",
    "else",
    "try",
    "elif ",
    "if ",
    "for ",
    "while ",
    "self.",
    "this.",
];

/// The look of every line.
pub(super) fn looks(lines: &[&str]) -> Vec<Look> {
    let mut looks: Vec<Look> = lines.iter().map(|line| look(line)).collect();
    outline_fences(lines, &mut looks);
    join_tables(lines, &mut looks);
    join_verbatim(lines, &mut looks);
    looks
}

/// A heading's words, without its marks.
pub(super) fn heading_text(line: &str) -> &str {
    let title = line.trim().trim_start_matches('#').trim();
    // Closing marks stand apart: "C#" is a name.
    let open = title.trim_end_matches('#');
    let title = if open.ends_with(char::is_whitespace) || open.is_empty() { open } else { title };
    title.trim().trim_matches('*').trim()
}

fn look(line: &str) -> Look {
    visit(line.len());
    let trimmed = line.trim();
    if trimmed.is_empty() {
        return Look::Blank;
    }
    // What follows the backticks of a fence holds none (CommonMark, fenced code blocks).
    let info = trimmed.trim_start_matches('`').trim_start();
    let names = info.is_empty() || info.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '{' | '.'));
    let fenced = trimmed.starts_with("```") && names && !info.contains('`');
    if fenced || trimmed.starts_with("~~~") {
        return Look::Fence;
    }
    if trimmed.len() >= 3 && trimmed.chars().all(|c| matches!(c, '-' | '=' | '*' | '_' | '─' | '═')) {
        return Look::Decoration;
    }
    if is_plainly_verbatim(trimmed) {
        return Look::Verbatim;
    }
    let hashes = trimmed.bytes().take_while(|b| *b == b'#').count();
    if (1..=6).contains(&hashes) && trimmed[hashes..].starts_with(' ') {
        return Look::Heading;
    }
    if let Some(marker) = item_marker(trimmed) {
        return Look::Item { marker: marker.to_owned() };
    }
    let bold = trimmed.trim_end_matches(':');
    if bold.len() > 4 && bold.len() < 80 && bold.starts_with("**") && bold.trim_end_matches(':').ends_with("**") {
        let inner = &bold[2..bold.len() - 2];
        if !inner.contains("**") {
            return Look::Heading;
        }
    }
    Look::Prose
}

/// The marker of a list item: a bullet, or up to three digits or one letter with `.` or `)`.
fn item_marker(trimmed: &str) -> Option<&str> {
    for bullet in ["-", "*", "+", "•", "–", "·", "▪", "‣"] {
        if let Some(rest) = trimmed.strip_prefix(bullet)
            && rest.starts_with([' ', '\t'])
        {
            return Some(&trimmed[..bullet.len()]);
        }
    }
    let opened = usize::from(trimmed.starts_with('('));
    let body = &trimmed[opened..];
    let digits = body.bytes().take_while(u8::is_ascii_digit).count();
    let letter = usize::from(digits == 0 && body.bytes().next().is_some_and(|b| b.is_ascii_lowercase()));
    let width = digits + letter;
    if !(1..=3).contains(&width) {
        return None;
    }
    let rest = &body[width..];
    let closed = rest.starts_with(')') || (rest.starts_with('.') && opened == 0 && letter == 0);
    (closed && rest[1..].starts_with([' ', '\t'])).then(|| &trimmed[..=opened + width])
}

fn is_plainly_verbatim(trimmed: &str) -> bool {
    if VERBATIM_BEGINNINGS.iter().any(|beginning| trimmed.starts_with(beginning)) {
        return true;
    }
    let object = ["{\"", "[{", "[\""].iter().any(|opening| trimmed.starts_with(opening));
    if object && trimmed.ends_with(['}', ']', ',', '{', '[']) {
        return true;
    }
    let frame =
        trimmed.starts_with("at ") && trimmed.ends_with(')') && trimmed.contains('(') && trimmed.contains(['.', ':']);
    frame || is_error_line(trimmed) || is_log_line(trimmed) || is_code_line(trimmed)
}

/// `ValueError: …`, `java.lang.NullPointerException: …`, `error[E0502]: …`, `thread 'main' panicked at …`.
fn is_error_line(trimmed: &str) -> bool {
    if trimmed.starts_with("thread '") && trimmed.contains("panicked at") {
        return true;
    }
    let Some((head, _)) = trimmed.split_once(':') else {
        return false;
    };
    let word = !head.is_empty() && head.bytes().all(|b| b.is_ascii_alphanumeric() || b"._[]$".contains(&b));
    word && ((head.len() > 5 && (head.ends_with("Error") || head.ends_with("Exception"))) || head.starts_with("error["))
}

/// A line that opens with a date and a time, or with a level in brackets.
fn is_log_line(trimmed: &str) -> bool {
    let bytes = trimmed.as_bytes();
    let dated = bytes.len() > 19
        && bytes[..4].iter().all(u8::is_ascii_digit)
        && bytes[4] == b'-'
        && bytes[7] == b'-'
        && matches!(bytes[10], b'T' | b' ')
        && bytes[13] == b':'
        && bytes[16] == b':';
    dated
        || ["[ERROR]", "[WARN]", "[INFO]", "[DEBUG]", "ERROR ", "WARN ", "INFO ", "DEBUG "]
            .iter()
            .any(|l| trimmed.starts_with(l))
}

fn is_code_line(trimmed: &str) -> bool {
    if matches!(trimmed, "{" | "}" | "};" | "})" | "});" | ")" | ");" | "]" | "];" | "}," | "],") {
        return true;
    }
    let last = trimmed.as_bytes()[trimmed.len() - 1];
    let begins = CODE_BEGINNINGS.iter().any(|beginning| trimmed.starts_with(beginning));
    let marked = trimmed.contains("()")
        || trimmed.contains(" = ")
        || trimmed.contains("==")
        || trimmed.contains("=>")
        || trimmed.contains("->")
        || trimmed.contains("::");
    match last {
        b';' | b'{' => begins || marked || trimmed.contains('('),
        b':' => begins && trimmed.contains('(') && trimmed.contains(')') && !trimmed.contains(". "),
        b')' => begins && trimmed.contains('(') && marked && !trimmed.contains(". "),
        _ => trimmed.starts_with('<') && trimmed.ends_with('>') && trimmed.contains("</"),
    }
}

/// Lines within a fence are the fence's, whatever they look like: only the closing one counts as a fence again.
fn outline_fences(lines: &[&str], looks: &mut [Look]) {
    let mut open: Option<(char, usize)> = None;
    for (line, look) in lines.iter().zip(looks.iter_mut()) {
        let trimmed = line.trim();
        let mark = trimmed.chars().next().unwrap_or(' ');
        let width = trimmed.chars().take_while(|c| *c == mark).count();
        match open {
            None if *look == Look::Fence => open = Some((mark, width)),
            Some((opening, opened)) => {
                if mark == opening && width >= opened && trimmed.chars().all(|c| c == mark) {
                    open = None;
                    *look = Look::Fence;
                } else {
                    *look = Look::Prose;
                }
            }
            None => {}
        }
    }
}

/// Several lines in a row with the same number of separators are a table.
fn join_tables(lines: &[&str], looks: &mut [Look]) {
    for separator in ['|', '\t', ',', ';'] {
        let least = if separator == '|' { 2 } else { 1 };
        let mut at = 0;
        while at < lines.len() {
            let columns = columns(lines[at], separator);
            let mut end = at;
            if columns >= least && matches!(looks[at], Look::Prose) {
                while end < lines.len() && columns_match(lines[end], separator, columns, &looks[end]) {
                    end += 1;
                }
            }
            if end - at >= 3 || (end - at == 2 && separator != ',' && separator != ';') {
                looks[at..end].fill(Look::Verbatim);
            }
            at = end.max(at + 1);
        }
    }
}

fn columns_match(line: &str, separator: char, wanted: usize, look: &Look) -> bool {
    *look == Look::Prose && columns(line, separator) == wanted
}

/// How many separators a line of a table has; 0 for a line that reads like a sentence.
fn columns(line: &str, separator: char) -> usize {
    visit(line.len());
    let trimmed = line.trim();
    let sentence =
        matches!(separator, ',' | ';') && (trimmed.contains(", ") || trimmed.ends_with(['.', ':', '!', '?', ',']));
    if sentence { 0 } else { trimmed.matches(separator).count() }
}

/// A lone weak sign of code is prose; lines between and right after verbatim ones that are indented belong to them.
fn join_verbatim(lines: &[&str], looks: &mut [Look]) {
    for at in 1..lines.len() {
        let indented = lines[at].starts_with("  ") || lines[at].starts_with('\t');
        let before = looks[..at].iter().rev().take(2).find(|look| **look != Look::Blank);
        if before == Some(&Look::Verbatim) && indented && !matches!(looks[at], Look::Blank | Look::Fence) {
            looks[at] = Look::Verbatim;
        }
    }
    // Inside a trace or a listing, a line between two verbatim ones is part of it.
    for at in 1..lines.len().saturating_sub(1) {
        if looks[at - 1] == Look::Verbatim
            && looks[at + 1] == Look::Verbatim
            && matches!(looks[at], Look::Prose | Look::Decoration)
        {
            looks[at] = Look::Verbatim;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(line: &str) -> Look {
        looks(&[line]).remove(0)
    }

    #[test]
    fn prose_that_brushes_against_code_stays_prose() {
        for line in [
            "Select the best candidate from the list.",
            "For each customer (there are many), write a line",
            "use the following words: a, b",
            "- not a diff",
            "Error handling matters: be careful",
            "if unsure, ask",
        ] {
            assert_ne!(one(line), Look::Verbatim, "{line}");
        }
    }

    #[test]
    fn code_logs_and_traces_are_seen() {
        for line in [
            "def is_prime(n):",
            "let x = compute(3);",
            "    at com.example.Main.run(Main.java:42)",
            "TypeError: cannot read property 'x' of undefined",
            "2024-05-01 12:30:11 worker started",
            "thread 'main' panicked at src/main.rs:3:5",
            "CREATE TABLE users (id INT);",
        ] {
            assert_eq!(one(line), Look::Verbatim, "{line}");
        }
    }

    #[test]
    fn comma_separated_lines_are_a_table_and_sentences_with_commas_are_not() {
        assert_eq!(looks(&["a,b,c", "1,2,3", "4,5,6"]), vec![Look::Verbatim; 3]);
        assert_eq!(looks(&["red, green", "blue, white", "grey, black"]), vec![Look::Prose; 3]);
    }

    #[test]
    fn item_markers_are_bullets_numbers_and_letters() {
        assert_eq!(item_marker("12. x"), Some("12."));
        assert_eq!(item_marker("(3) x"), Some("(3)"));
        assert_eq!(item_marker("a) x"), Some("a)"));
        assert_eq!(item_marker("2024. x"), None);
        assert_eq!(item_marker("3.5 x"), None);
    }
}
