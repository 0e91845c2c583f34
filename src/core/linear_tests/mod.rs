//! Every function over text is linear in it, in time and memory, whatever the text: the table of the public ones.
//!
//! A new function over text is one row of [`ROWS`]; one that is private to its module calls
//! [`assert_linear`](work::assert_linear) in its own tests. What is counted, and how, is in [`work`]; the texts are those
//! of [`crate::text::adversarial`].

pub(crate) mod work;

use std::hint::black_box;
use std::sync::LazyLock;

use crate::assets::{Assets, Check};
use crate::compare::{CompareContext, compare};
use crate::domain::{Phase, Prompt, TargetFamily};
use crate::provider::frame::{Framer, Framing};
use crate::provider::{JudgeBrief, JudgeQuestion, PhaseBrief, builtin};
use crate::rank::{RankInputs, Weights, rank};
use crate::store::samples;
use crate::text::clean::{Cleaner, clean};
use crate::text::measure::{Demands, Measure, Reader};
use crate::text::query::TextQuery;
use crate::text::{diff, facts, fence, language, likeness, markdown, snippet, template, terms, tokens};
use crate::{prompting, redact, statistics};

/// A function over text, and its name.
type Row = (&'static str, fn(&str));

const ROWS: &[Row] = &[
    ("clean::clean", |text| {
        black_box(clean(text));
    }),
    ("Cleaner, character by character", |text| {
        let mut cleaner = Cleaner::new();
        for c in text.chars() {
            black_box(cleaner.push(c.encode_utf8(&mut [0; 4])));
        }
        black_box(cleaner.finish());
    }),
    ("Cleaner, after an announcement", |text| {
        black_box(clean(&["Sure!\n", text].concat()));
    }),
    ("Cleaner, in a fence", |text| {
        black_box(clean(&["Here is your prompt:\n```\n", text, "\n```\n", text].concat()));
    }),
    ("Cleaner, keeping", |text| {
        let mut cleaner = Cleaner::keeping([text, text]);
        black_box(cleaner.push(text));
        black_box(cleaner.finish());
    }),
    ("diff::words, of itself", |text| {
        black_box(diff::words(text, text));
    }),
    ("diff::words, of another", |text| {
        let parts = diff::words(text, &reversed(text));
        black_box(diff::similarity(&parts));
    }),
    ("diff::words, of its half", |text| {
        black_box(diff::words(text, &text[text.floor_char_boundary(text.len() / 2)..]));
    }),
    ("diff::unified", |text| {
        black_box(diff::unified(text, &reversed(text)));
    }),
    ("Fence::around", |text| {
        black_box(fence::Fence::around([text, text]).wrap("TEXT", text));
    }),
    ("facts", |text| {
        black_box((facts::numbers(text), facts::quoted(text), facts::placeholders(text)));
    }),
    ("language::language", |text| {
        black_box(language::language(text));
    }),
    ("likeness::likeness", |text| {
        black_box(likeness::likeness(text, &reversed(text)));
    }),
    ("Repeats::take", |text| {
        let mut repeats = likeness::Repeats::default();
        black_box((repeats.take(text), repeats.take(text)));
    }),
    ("markdown::fenced", |text| {
        black_box(markdown::fenced(text));
    }),
    ("markdown::escaped", |text| {
        black_box(markdown::escaped(text));
    }),
    ("Demands::of", |text| {
        black_box(Demands::of(text, &[text.to_owned()], 1, &mut Reader::new()));
    }),
    ("Reader::read", |text| {
        black_box(Reader::new().read(text));
    }),
    ("every measure", |text| {
        let mut reader = Reader::new();
        let demands = Demands::of(text, &[], 1, &mut reader);
        let (whole, other) = (demands.read(text, &mut reader), demands.read(&reversed(text), &mut reader));
        black_box(Measure::ALL.map(|measure| (measure.of(&whole, &demands), measure.of(&other, &demands))));
    }),
    ("Demands::missing", |text| {
        let mut reader = Reader::new();
        let demands = Demands::of(text, &[], 0, &mut reader);
        let reading = demands.read("nothing of it", &mut reader);
        black_box(demands.missing(&reading));
    }),
    ("TextQuery::parse", |text| {
        black_box(TextQuery::parse(text));
    }),
    ("TextQuery::matches", |text| {
        black_box(TextQuery::parse("a -\"b a\" wor*").matches(&[terms::finding_terms(text)]));
    }),
    ("snippet::best", |text| {
        black_box(snippet::best(&TextQuery::parse("a* b 1 word \"a b\" OR line"), &[text, "", text]));
    }),
    ("snippet::best, of its own words", |text| {
        black_box(snippet::best(&TextQuery::parse(&text[..text.floor_char_boundary(200)]), &[text]));
    }),
    ("snippet::beginning", |text| {
        black_box(snippet::beginning(text));
    }),
    ("Template::parse", |text| {
        black_box(template::Template::parse(text).is_ok());
    }),
    ("terms::terms", |text| {
        black_box(terms::terms(text));
    }),
    ("terms::finding_terms", |text| {
        black_box(terms::finding_terms(text));
    }),
    ("terms::flatten", |text| {
        black_box(terms::flatten(text));
    }),
    ("tokens::estimate", |text| {
        black_box((tokens::estimate(text), tokens::prefix(text, 1000)));
    }),
    ("redact::mask", |text| {
        black_box(redact::mask(text).into_owned());
    }),
    ("statistics::size", |text| {
        black_box(statistics::size(text));
    }),
    ("rank::rank", |text| {
        let prompts = [prompt(1, text), prompt(2, &reversed(text))];
        let checks = [Check { label: "names a word".into(), any: vec!["word".into(), "a b".into()] }];
        let inputs = RankInputs {
            original_input: text,
            context: &[],
            gaps: 1,
            checks: &checks,
            weights: &Weights::default(),
            history: None,
        };
        black_box(rank(&prompts, &inputs));
    }),
    ("compare::compare", |text| {
        let prompts = vec![prompt(1, text), prompt(2, &reversed(text)), prompt(3, "another")];
        let weights = Weights::default();
        black_box(compare(prompts, &CompareContext { task: Some(text), gaps: vec![1, 1, 1], weights: &weights }));
    }),
    ("prompting::phase_request", |text| {
        let brief = PhaseBrief { context: vec![text.to_owned()], ..brief(text, &reversed(text)) };
        black_box(prompting::phase_request(&ASSETS, &brief, None, None, None).is_ok());
    }),
    ("builtin::write, of a request", |text| {
        black_box(WRITER.write(&brief(text, text)).is_ok());
    }),
    ("builtin::write, of a context", |text| {
        let brief = brief("Summarise the background.", "Summarise the background.");
        black_box(WRITER.write(&PhaseBrief { context: vec![text.to_owned()], ..brief }).is_ok());
    }),
    ("builtin::write, of another's draft", |text| {
        black_box(WRITER.write(&brief("Write to Ann. Use 3 lines.", text)).is_ok());
    }),
    ("builtin::judge", |text| {
        let question = JudgeQuestion::Compare { a: text.to_owned(), b: reversed(text) };
        let criteria = vec![("coverage".to_owned(), 0.5), ("clarity".to_owned(), 0.5)];
        black_box(builtin::judge::answer(&JudgeBrief {
            task: text.to_owned(),
            persona: "generic".into(),
            criteria,
            question,
        }));
    }),
    ("Framer, events, byte by byte", |text| frames(Framing::Sse, text, 1)),
    ("Framer, events, in pieces", |text| frames(Framing::Sse, text, 97)),
    ("Framer, lines, in pieces", |text| frames(Framing::Lines, text, 13)),
];

static ASSETS: LazyLock<Assets> = LazyLock::new(|| Assets::new(None));

fn reversed(text: &str) -> String {
    text.chars().rev().collect()
}

fn prompt(seed: u32, content: &str) -> Prompt {
    Prompt { content: content.to_owned(), ..samples::prompt(seed) }
}

/// Keeps its frames, whose reading is no work on the text.
static WRITER: std::sync::LazyLock<builtin::Writer> = std::sync::LazyLock::new(builtin::Writer::default);

fn brief(request: &str, draft: &str) -> PhaseBrief {
    PhaseBrief {
        phase: Phase::Coagulatio,
        phases: vec![Phase::Coagulatio],
        persona: "generic".into(),
        strategy: "structured".into(),
        target: TargetFamily::Generic,
        variant: 0,
        original_input: request.to_owned(),
        input: draft.to_owned(),
        context: Vec::new(),
    }
}

fn frames(framing: Framing, text: &str, piece: usize) {
    let mut framer = Framer::new(framing);
    for bytes in text.as_bytes().chunks(piece) {
        black_box(framer.push(bytes).is_ok());
    }
    black_box(framer.finish().is_ok());
}

/// One of four shares of the table, so that they are tested side by side.
fn share(number: usize) {
    let rows = ROWS.iter().skip(number).step_by(4);
    let faults: Vec<String> = rows.flat_map(|(name, run)| work::faults(name, run)).collect();
    assert!(faults.is_empty(), "more work than the text is long:\n{}", faults.join("\n"));
}

#[test]
fn functions_over_text_are_linear_first_share() {
    share(0);
}

#[test]
fn functions_over_text_are_linear_second_share() {
    share(1);
}

#[test]
fn functions_over_text_are_linear_third_share() {
    share(2);
}

#[test]
fn functions_over_text_are_linear_fourth_share() {
    share(3);
}

/// Tests of the test: functions that are known to be quadratic are caught, each by the count that it shows in.
mod quadratic {
    use super::work::{Work, assert_linear, fault};
    use crate::text::adversarial::SHAPES;
    use crate::visited::visit;

    #[test]
    fn what_keeps_the_text_once_for_each_character_is_caught() {
        let keeps = |text: &str| drop(text.chars().map(|_| text.to_owned()).collect::<Vec<_>>());
        let found = SHAPES.iter().filter_map(|shape| fault(&keeps, shape)).count();
        assert_eq!(found, SHAPES.len());
    }

    #[test]
    fn what_only_looks_again_and_again_is_caught() {
        let looks = |text: &str| {
            for (at, _) in text.char_indices() {
                visit(text[at..].len());
                std::hint::black_box(text[at..].contains('\u{10ffff}'));
            }
        };
        let text = SHAPES[0].text(4096);
        assert_eq!(Work::of(&looks, &text).bytes, 0, "it allocates nothing");
        assert!(fault(&looks, &SHAPES[0]).is_some_and(|fault| fault.contains("visited")));
    }

    #[test]
    fn what_allocates_and_frees_again_and_again_is_caught() {
        let copies = |text: &str| text.char_indices().for_each(|(at, _)| drop(text[at..].to_owned()));
        assert!(fault(&copies, &SHAPES[0]).is_some_and(|fault| fault.contains("allocated")));
    }

    #[test]
    fn what_holds_too_much_is_caught() {
        let holds = |text: &str| drop(vec![0_u8; 400 * text.len()]);
        assert!(fault(&holds, &SHAPES[0]).is_some_and(|fault| fault.contains("held")));
    }

    #[test]
    fn what_is_linear_is_not() {
        assert_linear("to_uppercase", |text| drop(std::hint::black_box(text.to_uppercase())));
    }
}
