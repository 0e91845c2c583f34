//! A request of ordinary length, put into its parts passage by passage.
//!
//! Blocks are taken in order. A label ("Requirements:") rules the passages after it; without one each sentence is
//! placed by its own cue words. The sentence the request turns on is found first, because what counts as material
//! depends on what is to be done with it.

use super::super::craft::Craft;
use super::super::cues::sentences::Part;
use super::material::{
    code_alone, inline_material, lone_placeholder, material_of, opens_material, pointed_at, split_quotation,
};
use super::places::{is_role, is_takeover, label, labelled, list_part, part_of, turning_point};
use super::{ListItem, Material, MaterialKind, Parts, Passage, polish, task};
use crate::text::blocks::{Block, BlockKind, blocks};
use crate::text::sentences::sentences;

/// Puts `text` into its parts.
pub(super) fn parts(text: &str) -> Parts {
    let blocks = blocks(text);
    let mut placer = Placer::new(&blocks);
    let material = pointed_at(&blocks, &placer.request, placer.craft);
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
            if last && ends_open && opens_material(sentence, self.craft) {
                self.sentence(sentence);
                self.flush_lead();
                self.take_rest(next, text);
                return;
            }
            if let Some((lead, rest)) = (!self.pointed).then(|| inline_material(sentence, self.craft)).flatten() {
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
