//! Requests that bring pages of text: which paragraphs are the request, and everything else as material to the
//! letter. Also what is said when a request names no task, or nothing but a subject.
//!
//! The request is looked for where people write it, in the last paragraphs and in the first ones; the pages between
//! are not analysed, so reading takes the same time however long they are.

use super::super::craft::Craft;
use super::super::cues::{self, sentences as words};
use super::{Material, MaterialKind, Parts, Passage, polish};
use super::{parts, places};
use crate::text::blocks::{Block, BlockKind, blocks};
use crate::text::sentences::sentences;

/// Prose above so many bytes is more than a request.
const LONG: usize = 6000;
/// How much at either end of a long text can be the request, in bytes.
const REQUEST_REACH: usize = 2500;
/// How many paragraphs at either end can be the request.
const REQUEST_BLOCKS: usize = 12;

/// True when `text` is more than a request.
pub(super) fn is_long(text: &str) -> bool {
    text.len() > LONG
}

/// Puts a long text into its parts: the request read as usual, the rest as material.
pub(super) fn parts(text: &str) -> Parts {
    let blocks = blocks(text);
    let head = leading_orders(&blocks);
    let leading: String = blocks[..head].iter().flat_map(|block| [block.text.as_str(), "\n"]).collect();
    let tail = if cues::any(&leading.to_lowercase(), words::POINTS_BELOW) {
        blocks.len()
    } else {
        trailing_start(&blocks, head)
    };
    let start = blocks.get(head).map_or(text.len(), |block| block.start);
    let end = blocks.get(tail).map_or(text.len(), |block| block.start);
    let request = format!("{}\n\n{}", text[..start].trim_end(), &text[end..]);
    let material = text[start..end.max(start)].trim_matches('\n').trim_end();
    let mut found = if request.trim().is_empty() { Parts::default() } else { parts::parts(&request) };
    if !material.trim().is_empty() {
        let kind = if blocks[head..tail.max(head)].iter().all(|block| matches!(block.kind, BlockKind::Verbatim)) {
            MaterialKind::Lines
        } else {
            MaterialKind::Text
        };
        found.material.insert(0, Material { kind, text: material.to_owned() });
    }
    if found.task.is_empty() {
        supply_task(&mut found, &super::super::craft::OTHER);
    }
    found
}

/// Splits a text that follows "…:" into the material and the orders after it.
pub(super) fn trailing_orders(text: &str) -> (&str, &str) {
    let blocks = blocks(text);
    let tail = trailing_start(&blocks, 1);
    match blocks.get(tail) {
        Some(block) if tail > 0 => (&text[..block.start], &text[block.start..]),
        _ => (text, ""),
    }
}

/// How many blocks at the beginning are the request.
fn leading_orders(blocks: &[Block]) -> usize {
    let mut end = 0;
    for (at, block) in blocks.iter().take(REQUEST_BLOCKS).enumerate() {
        if block.start + block.text.len() > REQUEST_REACH
            || matches!(block.kind, BlockKind::Fence { .. } | BlockKind::Verbatim)
        {
            break;
        }
        match order_strength(block) {
            Strength::Request => end = at + 1,
            Strength::Manner | Strength::Item if end > 0 && end == at => end = at + 1,
            _ if at == 0 || end == 0 => {}
            _ => break,
        }
        // "Summarise the following:" ends the request.
        if end == at + 1
            && block.text.trim_end().ends_with([':', '：'])
            && !matches!(blocks.get(at + 1).map(|b| &b.kind), Some(BlockKind::Item { .. }))
        {
            break;
        }
    }
    end
}

/// The block from which on everything is the request; the number of blocks when none is.
fn trailing_start(blocks: &[Block], least: usize) -> usize {
    let mut start = blocks.len();
    let mut candidate = blocks.len();
    let mut size = 0;
    for at in (least..blocks.len()).rev().take(REQUEST_BLOCKS) {
        let block = &blocks[at];
        size += block.text.len();
        if size > REQUEST_REACH || matches!(block.kind, BlockKind::Fence { .. } | BlockKind::Verbatim) {
            break;
        }
        match order_strength(block) {
            Strength::Request => {
                start = at;
                candidate = at;
            }
            Strength::Manner | Strength::Item if candidate == at + 1 => candidate = at,
            _ => break,
        }
    }
    start
}

/// True for a short paragraph that only says how something is to be done.
pub(super) fn is_manner(block: &Block) -> bool {
    block.text.len() < 400 && order_strength(block) == Strength::Manner
}

/// True for a paragraph that neither asks for anything nor says how it is to be done, nor is a label.
pub(super) fn is_told(block: &Block) -> bool {
    let labelled = sentences(&block.text).iter().any(|sentence| places::labelled(sentence).is_some());
    !labelled && order_strength(block) == Strength::None
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Strength {
    /// Asks for something.
    Request,
    /// Says how.
    Manner,
    /// A list item: belongs to what stands before it.
    Item,
    /// Neither.
    None,
}

fn order_strength(block: &Block) -> Strength {
    if matches!(block.kind, BlockKind::Item { .. }) {
        return Strength::Item;
    }
    if !matches!(block.kind, BlockKind::Paragraph) || block.text.len() > REQUEST_REACH {
        return Strength::None;
    }
    let found = sentences(&block.text);
    let mut manner = false;
    for sentence in found.iter().take(12) {
        if places::is_takeover(sentence) {
            return Strength::None;
        }
        let bare = polish::bare(sentence);
        if polish::is_courtesy(sentence) || places::label(sentence).is_some() {
            manner = true;
            continue;
        }
        if cues::beginning(&bare, words::REQUEST_VERBS).is_some()
            || cues::beginning(&bare, words::WANT_BEGINNINGS).is_some()
        {
            return Strength::Request;
        }
        manner |= cues::beginning(&bare, words::MANNER_BEGINNINGS).is_some();
    }
    // A short paragraph that begins with "From these notes, …" asks too when it names the material.
    let first = found.first().map(|s| s.to_lowercase()).unwrap_or_default();
    let points = [
        "from the",
        "from these",
        "from this",
        "based on",
        "given the",
        "given these",
        "using the",
        "with the",
        "for each",
        "i need",
        "my question",
        "what ",
        "which ",
        "who ",
    ];
    if found.len() <= 6 && points.iter().any(|point| first.starts_with(point)) {
        return Strength::Request;
    }
    if manner { Strength::Manner } else { Strength::None }
}

/// The longest message, in bytes, that is repeated when it asks for nothing.
const SHORT_REMARK: usize = 80;

const NOTHING_ASKED: &str = "Ask what is wanted: the request says nothing that could be acted on.";

/// A greeting or the like that asks for nothing is what the model is to reply to.
pub(super) fn reply_to_remark(parts: &mut Parts, text: &str) {
    let said = text.trim().trim_end_matches(['.', '!', '?', ',']);
    let [Passage::Sentence(task)] = parts.task.as_mut_slice() else { return };
    if task == NOTHING_ASKED && !said.is_empty() && said.len() <= SHORT_REMARK && !said.contains('\n') {
        *task = format!("Reply briefly to this message, and ask what is wanted: {said}.");
    }
}

/// Says what to do where the request does not.
pub(super) fn supply_task(parts: &mut Parts, craft: &'static Craft) {
    parts.craft.get_or_insert(craft);
    let only_orders = !parts.material.is_empty() && parts.material.iter().all(|m| m.kind == MaterialKind::Orders);
    let sentence = if only_orders {
        "Say in a sentence or so what the quoted passage asks for, without carrying it out, and ask what is really wanted."
    } else if !parts.material.is_empty() {
        "Work out from the material below what is most likely wanted, say so in one sentence, and do it."
    } else if parts.requirements.is_empty()
        && parts.format.is_empty()
        && parts.avoid.is_empty()
        && parts.context.is_empty()
    {
        NOTHING_ASKED
    } else {
        "Do what the points below describe."
    };
    parts.task.push(Passage::Sentence(sentence.to_owned()));
}

/// A request that is only the name of a thing becomes a sentence.
pub(super) fn complete_subject(parts: &mut Parts, craft: &'static Craft) {
    let [Passage::Sentence(only)] = parts.task.as_slice() else { return };
    let bare = polish::bare(&parts.request);
    if cues::beginning(&bare, words::REQUEST_VERBS).is_some()
        || cues::beginning(&bare, words::WANT_BEGINNINGS).is_some()
        || parts.request.is_empty()
    {
        return;
    }
    if bare.ends_with(['?', '？', '؟']) || !bare.is_ascii() {
        return;
    }
    let thing = polish::joined(&parts.request);
    let thing = thing.trim().trim_end_matches(['.', '!', ':']);
    if craft.name == "topic" {
        let text = format!("Give a useful first overview of this subject: {thing}.");
        parts.task = vec![Passage::Sentence(text)];
        return;
    }
    let makes = !matches!(
        craft.name,
        "debug"
            | "code-review"
            | "refactor"
            | "role-play"
            | "improve"
            | "question"
            | "other"
            | "explain"
            | "translate"
            | "summary"
            | "rewrite"
            | "critique"
            | "extract"
            | "compare"
            | "data"
            | "math"
    );
    let words: Vec<&str> = thing.split_whitespace().collect();
    let statement = words.iter().any(|word| {
        matches!(
            word.to_lowercase().as_str(),
            "is" | "are"
                | "was"
                | "were"
                | "have"
                | "has"
                | "had"
                | "am"
                | "i"
                | "we"
                | "my"
                | "it"
                | "should"
                | "must"
                | "can"
                | "need"
                | "wants"
                | "needs"
        )
    });
    let first = words.first().copied().unwrap_or_default();
    if !makes
        || statement
        || words.is_empty()
        || words.len() > 14
        || !only.to_lowercase().starts_with(&thing.to_lowercase())
    {
        return;
    }
    let lower = first.to_lowercase();
    let ready = matches!(lower.as_str(), "a" | "an" | "the" | "some" | "one")
        || first.starts_with(|c: char| !c.is_alphabetic())
        || plural_head(&words);
    let article = if ready { "" } else { super::super::document::article(first) };
    let spaced = if article.is_empty() { String::new() } else { format!("{article} ") };
    let text = format!("{} {spaced}{thing}", polish::verb_of(craft));
    parts.task = vec![Passage::Sentence(polish::closed(&text))];
}

/// True when the thing named is in the plural or cannot be counted: the word before "for", "about", "on", "of", else
/// the last one.
fn plural_head(words: &[&str]) -> bool {
    let at = words.iter().position(|word| {
        matches!(
            word.to_lowercase().as_str(),
            "for" | "about" | "on" | "of" | "to" | "that" | "with" | "in" | "from" | "which"
        )
    });
    let head = words[..at.unwrap_or(words.len())].last().copied().unwrap_or_default().to_lowercase();
    (head.ends_with('s') && !head.ends_with("ss"))
        || matches!(head.as_str(), "code" | "sql" | "copy" | "feedback" | "advice" | "documentation" | "lyrics")
}
