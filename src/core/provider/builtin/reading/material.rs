//! Which part of a request is material to work on, to be kept to the letter: what it points at ("the text below"),
//! what follows a colon, a long quotation, a placeholder, code.
//!
//! Whoever says where the material is has said what is request and what is not, so nothing inside is read as an order.
//! The passages around it are placed by [`super::places`]; pages of material are found by [`super::long`].

use super::super::craft::{Craft, Domain};
use super::super::cues::{self, sentences as words};
use super::places::is_takeover;
use super::{Material, MaterialKind, long};
use crate::text::blocks::{Block, BlockKind};
use crate::text::facts;
use crate::text::sentences::sentences;

/// Quotations of at least so many characters are material where the task is to work on a text.
const QUOTED_MATERIAL: usize = 25;

/// The blocks that a request such as "Summarise the text below" points at; none when it points at nothing.
///
/// Whoever says where the text is has said what is request and what is not: nothing inside the text is read as
/// an order, except short closing words on the manner when the text makes no attempt to take over.
pub(super) fn pointed_at(blocks: &[Block], request: &str, craft: &Craft) -> std::ops::Range<usize> {
    let nothing = 0..0;
    let Some(at) = blocks.iter().position(|block| block.text.contains(request)) else {
        return nothing;
    };
    let paragraph = blocks[at].text.to_lowercase();
    let transforms = matches!(craft.name, "translate" | "summary" | "rewrite" | "critique" | "extract");
    if request.is_empty() || !(transforms || matches!(craft.name, "data" | "email")) {
        return nothing;
    }
    let is_text = |block: &Block| block.kind == BlockKind::Paragraph && long::is_told(block);
    if at > 0
        && (cues::any(&paragraph, words::POINTS_ABOVE)
            || (transforms && at + 1 == blocks.len() && blocks[..at].iter().all(is_text)))
    {
        return 0..at;
    }
    let follows =
        transforms && blocks.get(at + 1).is_some_and(is_text) && blocks[..at].iter().all(|block| !is_text(block));
    let colon = transforms
        && blocks[at].text.trim_end().ends_with([':', '：'])
        && !matches!(blocks.get(at + 1).map(|b| &b.kind), Some(BlockKind::Item { .. }) | None);
    if !follows && !colon && !cues::any(&paragraph, words::POINTS_BELOW) {
        return nothing;
    }
    let start = at + 1 + blocks[at + 1..].iter().take_while(|block| long::is_manner(block)).count();
    let takes_over =
        blocks[start.min(blocks.len())..].iter().any(|block| sentences(&block.text).iter().any(|s| is_takeover(s)));
    let mut end = blocks.len();
    while !takes_over && end > start + 1 && long::is_manner(&blocks[end - 1]) {
        end -= 1;
    }
    let rest = blocks.get(start..end).unwrap_or_default();
    let structured = rest.iter().all(|block| matches!(block.kind, BlockKind::Fence { .. } | BlockKind::Verbatim));
    if structured { nothing } else { start..end }
}

/// True for "Translate the following text:" and the like, where the task works on a text.
pub(super) fn opens_material(sentence: &str, craft: &Craft) -> bool {
    let colon = sentence.trim_end().ends_with([':', '：']);
    colon && works_on_text(craft) && names_material(sentence)
}

/// "Summarise this: the text" inside one sentence.
pub(super) fn inline_material<'s>(sentence: &'s str, craft: &Craft) -> Option<(&'s str, &'s str)> {
    if !works_on_text(craft) {
        return None;
    }
    let (at, colon) = sentence.char_indices().find(|(_, c)| matches!(c, ':' | '：'))?;
    let (lead, rest) = (&sentence[..at], &sentence[at + colon.len_utf8()..]);
    let spaced = rest.starts_with(char::is_whitespace) || colon == '：';
    let rest = rest.trim_start();
    let long = rest.chars().count() >= QUOTED_MATERIAL
        || lone_placeholder(rest).is_some()
        || rest.starts_with(['"', '“', '„', '«', '「']);
    (spaced && long && names_material(lead)).then_some((lead, rest))
}

pub(super) fn material_of(block: &Block) -> Option<Material> {
    let kind = match &block.kind {
        BlockKind::Fence { info } => MaterialKind::Code { info: info.clone() },
        BlockKind::Verbatim => MaterialKind::Lines,
        BlockKind::Paragraph if lone_placeholder(&block.text).is_some() => MaterialKind::Placeholder,
        _ => return None,
    };
    Some(Material { kind, text: block.text.clone() })
}

/// The code of a sentence that is nothing but code between backticks.
pub(super) fn code_alone(sentence: &str) -> Option<&str> {
    let code = sentence.trim().trim_end_matches('.').strip_prefix('`')?.strip_suffix('`')?;
    (!code.contains('`') && code.contains(' ')).then_some(code)
}

/// Tasks that are done to a text which comes with the request.
pub(super) fn works_on_text(craft: &Craft) -> bool {
    matches!(
        craft.name,
        "translate"
            | "summary"
            | "rewrite"
            | "critique"
            | "extract"
            | "code-review"
            | "debug"
            | "refactor"
            | "explain"
            | "data"
            | "tests"
            | "other"
            | "question"
            | "email"
    ) && (craft.domain != Domain::General || matches!(craft.name, "explain" | "other" | "question"))
}

pub(super) fn names_material(lead: &str) -> bool {
    cues::any(&lead.to_lowercase(), words::MATERIAL_LEADS)
}

/// A paragraph that is nothing but a placeholder.
pub(super) fn lone_placeholder(text: &str) -> Option<String> {
    let text = text.trim();
    let found = facts::placeholders(text);
    (found.len() == 1 && found[0] == text).then(|| text.to_owned())
}

/// A quotation in a paragraph that is material: one over several lines, or, where the task works on a text, a long
/// one at the end of a sentence. Gives what stands before, the quotation with its marks, and what stands after.
pub(super) fn split_quotation<'t>(text: &'t str, craft: &Craft) -> (&'t str, Option<&'t str>, &'t str) {
    for (open, close) in [('"', '"'), ('“', '”'), ('„', '“'), ('«', '»'), ('「', '」')] {
        let Some(at) = text.find(open) else { continue };
        let from = at + open.len_utf8();
        let Some(length) = text[from..].find(close) else { continue };
        let body = &text[from..from + length];
        let end = from + length + close.len_utf8();
        let quotes_text = matches!(craft.name, "translate" | "summary" | "rewrite" | "critique" | "extract");
        let whole = !body.starts_with(char::is_whitespace)
            && !body.ends_with(char::is_whitespace)
            && !text[..at].ends_with(char::is_alphanumeric)
            && !text[end..].starts_with(char::is_alphanumeric);
        let many_lines = whole && body.contains('\n') && body.chars().count() > QUOTED_MATERIAL;
        let rest = text[end..].trim_start_matches(['.', ',', ';', '!', '?', ' ']);
        let closes_sentence =
            rest.is_empty() || rest.starts_with(['\n']) || rest.chars().next().is_some_and(char::is_uppercase);
        let long = quotes_text && body.chars().count() >= QUOTED_MATERIAL && closes_sentence && at > 0;
        if many_lines || long {
            let after = text[end..].trim_start_matches(['.', ',', ' ']);
            return (&text[..at], Some(&text[at..end]), after);
        }
    }
    (text, None, "")
}
