//! Parses `models.yaml` and reports all faults at once, each with line, key and what was expected.
//!
//! The header of `assets/models.yaml` documents the format. Unknown and duplicate keys are faults;
//! for unknown ones the closest known key is suggested. A text is accepted whole or not at all.

use indexmap::IndexMap;
use jiff::civil::Date;

use super::{Catalog, DEFAULT_HEADROOM, Group, ModelCard, Sampling};
use crate::domain::ProviderKind;
use crate::ledger::{Price, Tier};
use crate::text::yaml::{self, Faults, Node, Reader};

const GROUP: &[&str] = &["source", "read", "default", "default_embedding", "models"];
const ROW: &[&str] =
    &["context", "max_output", "price", "temperature", "reasoning", "headroom", "dimensions", "ends", "source", "read"];
const PRICE: &[&str] = &["input", "output", "cached_input", "cache_write", "above"];
const TIER: &[&str] = &["tokens", "input", "output", "cached_input", "cache_write"];

/// An upper bound on token counts; a larger number is a mistake.
const MAX_TOKENS: u64 = 1_000_000_000;
/// An upper bound in US dollars per million tokens; more is a mistake, such as a wrong unit.
const MAX_RATE: f64 = 100_000.0;
const MOST_DIMENSIONS: u64 = 65_536;
/// The highest temperature a request can ask for.
const MAX_TEMPERATURE: f64 = 2.0;

impl Catalog {
    /// Adds the rows of `text`. With `is_ours`, every row needs its source and day.
    pub(super) fn extended(mut self, text: &str, is_ours: bool) -> Result<Self, Faults> {
        let (reader, root) = Reader::open(text)?;
        self.extend(reader, &root, is_ours)?;
        Ok(self)
    }

    /// Our rows, from the tree that the build made of our file.
    pub(super) fn of_tree(root: &Node) -> Result<Self, Faults> {
        let mut catalog = Self::default();
        catalog.extend(Reader::over(""), root, true)?;
        Ok(catalog)
    }

    fn extend(&mut self, mut reader: Reader<'_>, root: &Node, is_ours: bool) -> Result<(), Faults> {
        for (name, node) in reader.entries(root) {
            reader.within(name, |reader| {
                let group = read_group(reader, node, is_ours, ProviderKind::parse(name).is_some());
                self.merge_group(reader, name, group);
            });
        }
        reader.finish()
    }

    /// Merges a group into the existing one, whose defaults must then name rows.
    fn merge_group(&mut self, reader: &mut Reader<'_>, name: &str, group: Group) {
        let below = self.groups.entry(name.to_owned()).or_default();
        let Group { default, default_embedding, models } = group;
        below.models.extend(models);
        for (key, name, embeds) in [("default", &default, false), ("default_embedding", &default_embedding, true)] {
            let Some(name) = name else { continue };
            if below.models.get(name).is_none_or(|card| card.embeds() != embeds) {
                let what = if embeds { "an embedding model (one with `dimensions`)" } else { "a chat model" };
                reader.fault_at(key, &format!("`{name}` is not the row of {what}; add one under `models`"));
            }
        }
        below.default = default.or(below.default.take());
        below.default_embedding = default_embedding.or(below.default_embedding.take());
    }
}

/// The source of a row or its group.
#[derive(Default)]
struct Provenance {
    source: Option<String>,
    read: Option<Date>,
}

fn read_group(reader: &mut Reader<'_>, node: &Node, is_ours: bool, is_kind: bool) -> Group {
    let mut group = Group::default();
    let mut provenance = Provenance::default();
    let mut rows = None;
    for (key, node) in reader.section(node, GROUP) {
        reader.within(key, |reader| match key {
            "source" => provenance.source = reader.text(node),
            "read" => provenance.read = reader.day(node),
            "models" => rows = Some(node),
            _ if !is_kind => {
                reader.fault("means something for a kind of provider alone; set `model` or `embedding_model` of this provider in the configuration");
            }
            "default" => group.default = reader.text(node),
            _ => group.default_embedding = reader.text(node),
        });
    }
    if let Some(rows) = rows {
        group.models = reader.within("models", |reader| read_rows(reader, rows, is_ours.then_some(&provenance)));
    }
    group
}

/// With `of_group`, every row needs a provenance, its own or the group's.
fn read_rows(reader: &mut Reader<'_>, node: &Node, of_group: Option<&Provenance>) -> IndexMap<String, ModelCard> {
    let mut rows = IndexMap::new();
    for (name, node) in reader.entries(node) {
        reader.within(name, |reader| {
            if name.is_empty() || name.contains(char::is_whitespace) {
                reader.fault("expected the name of a model, as a request gives it");
            }
            let (card, own) = read_row(reader, node);
            if let Some(group) = of_group {
                let is_told = own.source.is_some() || group.source.is_some();
                if !is_told || (own.read.is_none() && group.read.is_none()) {
                    reader.fault("expected `source` and `read` (the day), here or in the group");
                }
            }
            rows.insert(name.to_owned(), card);
        });
    }
    rows
}

fn read_row(reader: &mut Reader<'_>, node: &Node) -> (ModelCard, Provenance) {
    let mut card = ModelCard::UNKNOWN;
    let mut provenance = Provenance::default();
    let (mut price, mut reasons, mut headroom) = (None, false, None);
    for (key, node) in reader.section(node, ROW) {
        reader.within(key, |reader| match key {
            "context" => card.context = reader.whole(node, 1, MAX_TOKENS),
            "max_output" => card.max_output = reader.whole(node, 1, MAX_TOKENS),
            "price" => price = Some(node),
            "temperature" => card.temperature = read_temperature(reader, node),
            "reasoning" => {
                reasons = matches!(reader.word(node, &["none", "default", "always"]), Some("default" | "always"));
            }
            "headroom" => headroom = reader.whole(node, 0, MAX_TOKENS).and_then(|tokens| u32::try_from(tokens).ok()),
            "dimensions" => {
                card.dimensions =
                    reader.whole(node, 1, MOST_DIMENSIONS).and_then(|number| usize::try_from(number).ok());
            }
            "ends" => card.ends = reader.day(node),
            "source" => provenance.source = reader.text(node),
            _ => provenance.read = reader.day(node),
        });
    }
    match headroom {
        Some(tokens) if reasons => card.reasoning_headroom = tokens,
        Some(_) => reader.fault_at("headroom", "goes with `reasoning: default` or `reasoning: always`"),
        None if reasons => card.reasoning_headroom = DEFAULT_HEADROOM,
        None => {}
    }
    if let Some(node) = price {
        card.price = reader.within("price", |reader| read_price(reader, node, card.embeds()));
    }
    (card, provenance)
}

/// `true`, `false`, or a maximum.
fn read_temperature(reader: &mut Reader<'_>, node: &Node) -> Sampling {
    match node {
        Node::Scalar(serde_json::Value::Bool(true)) => Sampling::UpTo(MAX_TEMPERATURE),
        Node::Scalar(serde_json::Value::Bool(false)) => Sampling::Fixed,
        Node::Scalar(serde_json::Value::Number(_)) => {
            reader.number(node, 0.0, MAX_TEMPERATURE).map_or(Sampling::Unknown, Sampling::UpTo)
        }
        other => {
            reader.refuse("true, false, or the highest it takes, from 0 to 2", other);
            Sampling::Unknown
        }
    }
}

/// Rates as given; `None` if left out.
#[derive(Default)]
struct Rates {
    input: Option<f64>,
    output: Option<f64>,
    cached_input: Option<f64>,
    cache_write: Option<f64>,
}

impl Rates {
    /// Reads one of the four keys.
    fn read(&mut self, reader: &mut Reader<'_>, key: &str, node: &Node) {
        let slot = match key {
            "input" => &mut self.input,
            "output" => &mut self.output,
            "cached_input" => &mut self.cached_input,
            _ => &mut self.cache_write,
        };
        *slot = reader.number(node, 0.0, MAX_RATE);
    }

    /// Reports missing rates. Embedding models have no output.
    fn check(&mut self, reader: &mut Reader<'_>, node: &Node, embeds: bool) -> Option<(f64, f64)> {
        if embeds {
            self.output = self.output.or(Some(0.0));
        }
        for (key, rate) in [("input", self.input), ("output", self.output)] {
            if rate.is_none() && yaml::lacks(node, key) {
                reader.fault(&format!("expected `{key}`, in US dollars per million tokens"));
            }
        }
        self.input.zip(self.output)
    }
}

fn read_price(reader: &mut Reader<'_>, node: &Node, embeds: bool) -> Option<Price> {
    let mut rates = Rates::default();
    let mut above = None;
    for (key, node) in reader.section(node, PRICE) {
        reader.within(key, |reader| match key {
            "above" => above = Some(node),
            _ => rates.read(reader, key, node),
        });
    }
    let (input, output) = rates.check(reader, node, embeds)?;
    let cached_input = rates.cached_input.unwrap_or(input);
    let cache_write = rates.cache_write.unwrap_or(input);
    let base = Tier { input, output, cached_input, cache_write };
    let above = match above {
        Some(node) => Some(reader.within("above", |reader| read_tier(reader, node, base, embeds))?),
        None => None,
    };
    Some(Price { input, output, cached_input, cache_write, above })
}

/// Cached tokens scale with the other rates unless given.
fn read_tier(reader: &mut Reader<'_>, node: &Node, base: Tier, embeds: bool) -> Option<(u64, Tier)> {
    let mut rates = Rates::default();
    let mut tokens = None;
    for (key, node) in reader.section(node, TIER) {
        reader.within(key, |reader| match key {
            "tokens" => tokens = reader.whole(node, 1, MAX_TOKENS),
            _ => rates.read(reader, key, node),
        });
    }
    if tokens.is_none() && yaml::lacks(node, "tokens") {
        reader.fault("expected `tokens`: a request that sends more than so many pays this price");
    }
    let (input, output) = rates.check(reader, node, embeds)?;
    let scaled = |rate: f64| if base.input > 0.0 { rate * (input / base.input) } else { input };
    let tier = Tier {
        input,
        output,
        cached_input: rates.cached_input.unwrap_or_else(|| scaled(base.cached_input)),
        cache_write: rates.cache_write.unwrap_or_else(|| scaled(base.cache_write)),
    };
    Some((tokens?, tier))
}
