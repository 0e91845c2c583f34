//! A request of ordinary length, put into its parts passage by passage.
//!
//! Blocks are taken in order. A label ("Requirements:") rules the passages after it; without one each sentence is
//! placed by its own cue words. The sentence the request turns on is found first, because what counts as material
//! depends on what is to be done with it.

use super::super::craft::{Craft, Domain};
use super::super::cues;
use super::super::cues::sentences::{self as words, Part};
use super::{ListItem, Material, MaterialKind, Parts, Passage, polish, task};
use crate::text::blocks::{Block, BlockKind, blocks};
use crate::text::facts;
use crate::text::sentences::sentences;

/// Quotations of at least so many characters are material where the task is to work on a text.
const QUOTED_MATERIAL: usize = 25;

/// Puts `text` into its parts.
pub(super) fn parts(text: &str) -> Parts {
    let blocks = blocks(text);
    let mut placer = Placer::new(&blocks);
    let material = placer.pointed_at(&blocks);
    placer.pointed = !material.is_empty();
    for (at, block) in blocks.iter().enumerate() {
        if !material.contains(&at) {
            placer.block(block, blocks.get(at + 1), text);
        } else if at == material.start {
            placer.close_list();
            placer.flush_lead();
            let end = blocks.get(material.end).map_or(text.len(), |block| block.start);
            placer.push_text(&text[block.start..end]);
        }
    }
    placer.finish()
}

struct Placer {
    parts: Parts,
    craft: &'static Craft,
    request: String,
    /// What the last label opened: until the next title for a title, for the next block for a line.
    part: Option<Part>,
    /// The block after which a label in a line rules no more.
    part_ends: Option<usize>,
    block_count: usize,
    /// True when the request points at its material, so that it need not be looked for.
    pointed: bool,
    /// True right after a list.
    listed: bool,
    /// A title or a sentence ending in a colon that may introduce a list.
    lead: Option<Lead>,
    /// The list being collected.
    list: Vec<ListItem>,
    /// From here on everything is material, as a byte offset.
    material_from: Option<usize>,
    task_found: bool,
    sentence_count: usize,
}

struct Lead {
    text: String,
    label: Option<Part>,
    /// Where it goes when no list follows.
    part: Part,
    is_title: bool,
}

impl Placer {
    fn new(blocks: &[Block]) -> Self {
        let prose: String = blocks
            .iter()
            .filter(|block| !matches!(block.kind, BlockKind::Fence { .. } | BlockKind::Verbatim))
            .flat_map(|block| [block.text.as_str(), "\n"])
            .collect();
        let material: Vec<Material> = blocks.iter().filter_map(material_of).collect();
        let request = turning_point(blocks);
        let craft = task::craft_of(&request, &prose, &material);
        Self {
            parts: Parts { request: request.clone(), craft: Some(craft), ..Parts::default() },
            craft,
            request,
            part: None,
            part_ends: None,
            block_count: 0,
            pointed: false,
            listed: false,
            lead: None,
            list: Vec::new(),
            material_from: None,
            task_found: false,
            sentence_count: 0,
        }
    }

    /// The blocks that a request such as "Summarise the text below" points at; none when it points at nothing.
    ///
    /// Whoever says where the text is has said what is request and what is not: nothing inside the text is read as
    /// an order, except short closing words on the manner when the text makes no attempt to take over.
    fn pointed_at(&self, blocks: &[Block]) -> std::ops::Range<usize> {
        let nothing = 0..0;
        let Some(at) = blocks.iter().position(|block| block.text.contains(self.request.as_str())) else {
            return nothing;
        };
        let paragraph = blocks[at].text.to_lowercase();
        let transforms = matches!(self.craft.name, "translate" | "summary" | "rewrite" | "critique" | "extract");
        if self.request.is_empty() || !(transforms || matches!(self.craft.name, "data" | "email")) {
            return nothing;
        }
        let is_text = |block: &Block| block.kind == BlockKind::Paragraph && super::long::is_told(block);
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
        let start = at + 1 + blocks[at + 1..].iter().take_while(|block| super::long::is_manner(block)).count();
        let takes_over =
            blocks[start.min(blocks.len())..].iter().any(|block| sentences(&block.text).iter().any(|s| is_takeover(s)));
        let mut end = blocks.len();
        while !takes_over && end > start + 1 && super::long::is_manner(&blocks[end - 1]) {
            end -= 1;
        }
        let rest = blocks.get(start..end).unwrap_or_default();
        let structured = rest.iter().all(|block| matches!(block.kind, BlockKind::Fence { .. } | BlockKind::Verbatim));
        if structured { nothing } else { start..end }
    }

    fn block(&mut self, block: &Block, next: Option<&Block>, text: &str) {
        if self.material_from.is_some() {
            return;
        }
        if !matches!(block.kind, BlockKind::Item { .. }) {
            self.close_list();
            self.block_count += 1;
            if self.part_ends.is_some_and(|end| self.block_count > end) || (self.listed && self.part_ends.is_some()) {
                self.part = None;
                self.part_ends = None;
            }
            self.listed = false;
        }
        match &block.kind {
            BlockKind::Fence { .. } | BlockKind::Verbatim => {
                self.flush_lead();
                self.parts.material.extend(material_of(block));
            }
            BlockKind::Heading => self.heading(&block.text),
            BlockKind::Item { marker } => self.item(marker, &block.text),
            BlockKind::Paragraph => self.paragraph(block, next, text),
        }
    }

    fn heading(&mut self, title: &str) {
        self.flush_lead();
        self.part = label(title);
        self.part_ends = None;
        if self.part.is_none() {
            self.say(title);
            self.lead = Some(Lead {
                text: title.trim_end_matches(':').to_owned(),
                label: None,
                part: Part::Context,
                is_title: true,
            });
        }
    }

    fn item(&mut self, marker: &str, text: &str) {
        self.say(text);
        let marker = marker.chars().any(char::is_alphanumeric).then(|| marker.to_owned());
        self.list.push(ListItem { marker, text: polish::joined(text) });
    }

    fn paragraph(&mut self, block: &Block, next: Option<&Block>, text: &str) {
        if let Some(placeholder) = lone_placeholder(&block.text) {
            self.flush_lead();
            self.parts.material.push(Material { kind: MaterialKind::Placeholder, text: placeholder });
            return;
        }
        let (before, quoted, after) = split_quotation(&block.text, self.craft);
        let pieces = sentences(before);
        let ends_open =
            !self.pointed && quoted.is_none() && next.is_some_and(|next| matches!(next.kind, BlockKind::Paragraph));
        for (at, sentence) in pieces.iter().enumerate() {
            let last = at + 1 == pieces.len();
            if last && ends_open && self.opens_material(sentence) {
                self.sentence(sentence);
                self.flush_lead();
                self.take_rest(next, text);
                return;
            }
            if let Some((lead, rest)) = self.inline_material(sentence) {
                self.sentence(lead);
                self.flush_lead();
                // What follows the colon, to the end of the paragraph, is the material.
                let offset = rest.as_ptr() as usize - block.text.as_ptr() as usize;
                self.push_text(&block.text[offset..]);
                return;
            }
            self.sentence(sentence);
        }
        if let Some(quoted) = quoted {
            self.flush_lead();
            self.push_text(quoted);
        }
        for sentence in sentences(after) {
            self.sentence(sentence);
        }
    }

    /// All blocks from `next` to the end are the material, but for orders after it, which are placed as usual.
    fn take_rest(&mut self, next: Option<&Block>, text: &str) {
        let Some(next) = next else { return };
        let rest = &text[next.start..];
        let (material, trailing) = super::long::trailing_orders(rest);
        self.push_text(material);
        self.material_from = Some(next.start);
        if !trailing.is_empty() {
            for block in blocks(trailing) {
                for sentence in sentences(&block.text) {
                    self.sentence(sentence);
                }
            }
        }
    }

    fn push_text(&mut self, text: &str) {
        let text = text.trim_matches('\n').trim_end();
        let kind = if lone_placeholder(text).is_some() { MaterialKind::Placeholder } else { MaterialKind::Text };
        if !text.trim().is_empty() {
            self.parts.material.push(Material { kind, text: text.to_owned() });
        }
    }

    /// True for "Translate the following text:" and the like, where the task works on a text.
    fn opens_material(&self, sentence: &str) -> bool {
        let colon = sentence.trim_end().ends_with([':', '：']);
        colon && works_on_text(self.craft) && names_material(sentence)
    }

    /// "Summarise this: the text" inside one sentence.
    fn inline_material<'s>(&self, sentence: &'s str) -> Option<(&'s str, &'s str)> {
        if self.pointed || !works_on_text(self.craft) {
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

    /// Places one sentence.
    fn sentence(&mut self, sentence: &str) {
        self.flush_lead();
        self.sentence_count += 1;
        if polish::is_courtesy(sentence) {
            return;
        }
        if let Some(code) = code_alone(sentence) {
            self.parts
                .material
                .push(Material { kind: MaterialKind::Code { info: String::new() }, text: code.to_owned() });
            return;
        }
        self.say(sentence);
        // "Task: …" and "Context: …" say no more than the headings of the prompt will.
        let sentence = match labelled(sentence) {
            Some((part @ (Part::Task | Part::Context), rest)) if !rest.is_empty() && self.request != sentence => {
                if part == Part::Context {
                    self.place(part, Passage::Sentence(polish::statement(rest)));
                    return;
                }
                rest
            }
            _ => sentence,
        };
        if !self.task_found && !sentence.is_empty() && self.request.starts_with(sentence) {
            self.task_found = true;
            let order = polish::order(sentence, self.craft);
            if sentence.trim_end().ends_with([':', '：']) {
                self.lead = Some(Lead { text: order, label: None, part: Part::Task, is_title: false });
            } else {
                self.parts.task.push(Passage::Sentence(order));
            }
            return;
        }
        if is_takeover(sentence) {
            self.parts.material.push(Material { kind: MaterialKind::Orders, text: sentence.to_owned() });
            return;
        }
        if self.parts.role.is_none() && self.sentence_count <= 2 && is_role(sentence) {
            self.parts.role = Some(polish::statement(sentence));
            return;
        }
        if sentence.trim_end().ends_with([':', '：']) {
            let label = label(sentence);
            let part = self.part.unwrap_or_else(|| part_of(sentence, self.craft));
            if label.is_some() {
                self.part = label;
                self.part_ends = Some(self.block_count + 1);
            }
            self.lead =
                Some(Lead { text: polish::capitalised(&polish::joined(sentence)), label, part, is_title: false });
            return;
        }
        let labelled = labelled(sentence).map(|(part, _)| part);
        let part = labelled.or(self.part).unwrap_or_else(|| part_of(sentence, self.craft));
        self.place(
            part,
            Passage::Sentence(if part == Part::Task {
                polish::order(sentence, self.craft)
            } else {
                polish::statement(sentence)
            }),
        );
    }

    fn place(&mut self, part: Part, passage: Passage) {
        match part {
            Part::Task => self.parts.task.push(passage),
            Part::Context => self.parts.context.push(passage),
            Part::Requirements => self.parts.requirements.push(passage),
            Part::Avoid => self.parts.avoid.push(passage),
            Part::Format => self.parts.format.push(passage),
        }
    }

    /// A lead that no list followed is a sentence like any other; a bare label is dropped.
    fn flush_lead(&mut self) {
        if let Some(lead) = self.lead.take()
            && lead.label.is_none()
        {
            let text = if lead.is_title { lead.text } else { polish::closed(&lead.text) };
            self.place(lead.part, Passage::Sentence(polish::closed(&text)));
        }
    }

    fn close_list(&mut self) {
        if self.list.is_empty() {
            return;
        }
        self.listed = true;
        let items = std::mem::take(&mut self.list);
        let lead = self.lead.take();
        let label = lead.as_ref().and_then(|lead| lead.label).or(self.part);
        let text = lead.as_ref().filter(|lead| lead.label.is_none()).map(|lead| lead.text.clone());
        let is_request = lead.as_ref().is_some_and(|lead| lead.part == Part::Task && !lead.is_title);
        let part = label
            .unwrap_or_else(|| if is_request { Part::Task } else { list_part(text.as_deref(), &items, self.craft) });
        let lead = text.map(|text| {
            if text.ends_with([':', '：']) { text } else { format!("{}:", text.trim_end_matches(['.', '。'])) }
        });
        self.place(part, Passage::List { lead, items });
    }

    /// Remembers prose for reading details.
    fn say(&mut self, text: &str) {
        self.parts.prose.push_str(text);
        self.parts.prose.push('\n');
    }

    fn finish(mut self) -> Parts {
        self.close_list();
        self.flush_lead();
        let parts = &mut self.parts;
        if parts.task.is_empty() {
            super::long::supply_task(parts, self.craft);
        }
        super::long::complete_subject(parts, self.craft);
        self.parts
    }
}

fn material_of(block: &Block) -> Option<Material> {
    let kind = match &block.kind {
        BlockKind::Fence { info } => MaterialKind::Code { info: info.clone() },
        BlockKind::Verbatim => MaterialKind::Lines,
        BlockKind::Paragraph if lone_placeholder(&block.text).is_some() => MaterialKind::Placeholder,
        _ => return None,
    };
    Some(Material { kind, text: block.text.clone() })
}

/// The sentence a request turns on: the first that asks for something, else the first question, else the first that
/// is no courtesy.
pub(super) fn turning_point(blocks: &[Block]) -> String {
    let mut request = None;
    let mut first = None;
    let mut question = None;
    let prose = blocks.iter().filter(|block| matches!(block.kind, BlockKind::Paragraph));
    let mut seen = 0;
    for block in prose {
        for sentence in sentences(&block.text) {
            if polish::is_courtesy(sentence) || label(sentence).is_some() || is_takeover(sentence) {
                continue;
            }
            let sentence = match labelled(sentence) {
                Some((Part::Task, rest)) if !rest.is_empty() => return rest.to_owned(),
                Some(_) => continue,
                None => sentence,
            };
            seen += 1;
            if seen > 200 {
                break;
            }
            let bare = polish::bare(sentence);
            let manner = cues::beginning(&bare, words::MANNER_BEGINNINGS).is_some();
            let wants = cues::beginning(&bare, words::WANT_BEGINNINGS).is_some();
            if !manner && (wants || cues::beginning(&bare, words::REQUEST_VERBS).is_some()) {
                if cues::any(&bare, words::POINTS_ABOVE) || cues::any(&bare, words::POINTS_BELOW) {
                    return sentence.to_owned();
                }
                request.get_or_insert(sentence);
            }
            if question.is_none() && sentence.ends_with(['?', '？', '؟']) {
                question = Some(sentence);
            }
            if first.is_none() && !is_role(sentence) {
                first = Some(sentence);
            }
        }
    }
    let titled =
        || blocks.iter().find(|block| matches!(block.kind, BlockKind::Heading)).map(|block| block.text.clone());
    request.or(question).or(first).map(str::to_owned).or_else(titled).unwrap_or_default()
}

/// The part that a sentence belongs to by its own words.
fn part_of(sentence: &str, craft: &Craft) -> Part {
    let bare = polish::bare(sentence);
    let names_form = cues::any(&bare, words::FORMAT_NOUNS) && cues::any(&bare, words::FORMAT_CUES);
    let short = bare.split_whitespace().count() <= 30;
    if cues::beginning(&bare, words::MANNER_BEGINNINGS).is_some() {
        let prohibits = cues::beginning(&bare, words::PROHIBITION_CUES).is_some() || starts_prohibition(&bare);
        return match (prohibits, names_form && short) {
            (true, _) => Part::Avoid,
            (false, true) => Part::Format,
            (false, false) => Part::Requirements,
        };
    }
    if cues::beginning(&bare, words::ANSWER_BEGINNINGS).is_some() {
        return if cues::any(&bare, words::FORMAT_NOUNS) && short { Part::Format } else { Part::Requirements };
    }
    if cues::beginning(&bare, words::REQUEST_VERBS).is_some() || bare.ends_with(['?', '？', '؟']) {
        return Part::Task;
    }
    // What people say of themselves and of what happens is told, not demanded.
    let told = cues::beginning(&bare, words::TOLD_BEGINNINGS).is_some()
        || (craft.name == "debug" && !cues::any(&bare, words::STRONG_CUES));
    if told && !cues::any(&bare, words::STRONG_CUES) {
        return Part::Context;
    }
    if names_form && short && cues::any(&bare, words::STRONG_CUES) {
        return Part::Format;
    }
    if cues::any(&bare, words::CONSTRAINT_CUES) && short {
        return if starts_prohibition(&bare) { Part::Avoid } else { Part::Requirements };
    }
    let fragment = bare.split_whitespace().count() <= 6 && cues::any(&bare, super::facets::TONES);
    if fragment && !told {
        return Part::Requirements;
    }
    if short && !told && (cues::any(&bare, words::TONE_CUES) || cues::any(&bare, words::AUDIENCE_CUES)) {
        return Part::Requirements;
    }
    Part::Context
}

/// True when a statement prohibits rather than merely holds a "no" somewhere.
fn starts_prohibition(bare: &str) -> bool {
    let demands = cues::any(bare, "should | must | has to | have to | soll | muss | doit | debe")
        && !cues::any(bare, "should not | must not | soll nicht | ne doit pas | no debe");
    !demands
        && cues::any(bare, words::PROHIBITING_VERBS)
        && !cues::any(bare, "i don't | i do not | we don't | we do not | they don't | it doesn't")
}

fn list_part(lead: Option<&str>, items: &[ListItem], craft: &Craft) -> Part {
    if let Some(lead) = lead {
        let lower = lead.to_lowercase();
        if cues::any(&lower, "avoid | do not | don't | never | without | vermeide | évite | evita") {
            return Part::Avoid;
        }
        if cues::any(&lower, "column | columns | fields | keys | format | structure | sections | output") {
            return Part::Format;
        }
        if cues::any(&lower, words::CONSTRAINT_CUES)
            || cues::any(&lower, "requirements | rules | features | include | cover | criteria | points")
        {
            return Part::Requirements;
        }
        return Part::Context;
    }
    let ruling = items.iter().filter(|item| !matches!(part_of(&item.text, craft), Part::Context)).count();
    if ruling * 2 >= items.len() { Part::Requirements } else { Part::Context }
}

/// The code of a sentence that is nothing but code between backticks.
fn code_alone(sentence: &str) -> Option<&str> {
    let code = sentence.trim().trim_end_matches('.').strip_prefix('`')?.strip_suffix('`')?;
    (!code.contains('`') && code.contains(' ')).then_some(code)
}

/// The part that a label in front of a sentence opens, and what follows it.
pub(super) fn labelled(sentence: &str) -> Option<(Part, &str)> {
    let (head, rest) = sentence.split_once([':', '：'])?;
    label(head).map(|part| (part, rest.trim_start()))
}

/// The part that a label opens; the label is nothing but a word of the table, with or without marks.
pub(super) fn label(text: &str) -> Option<Part> {
    let lower = text.trim().trim_matches(['*', '#', ':', '：', ' ', '_', '[', ']', '-']).to_lowercase();
    words::LABELS.iter().find(|(labels, _)| cues::holds(labels, &lower)).map(|(_, part)| *part)
}

fn is_role(sentence: &str) -> bool {
    let lower = sentence.trim_start().to_lowercase();
    cues::beginning(
        &lower,
        "you are a | you are an | you are the | you're a | you're an | du bist ein | du bist eine | tu es un | \
            tu es une | vous êtes un | vous êtes une | eres un | eres una",
    )
    .is_some()
}

/// True for a sentence that gives orders against the prompt itself, outside quotation marks.
pub(super) fn is_takeover(sentence: &str) -> bool {
    let mut lower = sentence.to_lowercase();
    if !cues::any(&lower, words::INJECTION_CUES) {
        return false;
    }
    for quoted in facts::quoted(sentence) {
        lower = lower.replace(&quoted.to_lowercase(), "");
    }
    cues::any(&lower, words::INJECTION_CUES)
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

fn names_material(lead: &str) -> bool {
    cues::any(&lead.to_lowercase(), words::MATERIAL_LEADS)
}

/// A paragraph that is nothing but a placeholder.
fn lone_placeholder(text: &str) -> Option<String> {
    let text = text.trim();
    let found = facts::placeholders(text);
    (found.len() == 1 && found[0] == text).then(|| text.to_owned())
}

/// A quotation in a paragraph that is material: one over several lines, or, where the task works on a text, a long
/// one at the end of a sentence. Gives what stands before, the quotation with its marks, and what stands after.
fn split_quotation<'t>(text: &'t str, craft: &Craft) -> (&'t str, Option<&'t str>, &'t str) {
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
