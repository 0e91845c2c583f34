//! Tests the decided families against requests written and labelled by others.
//!
//! Labels and counts are independent of the rules. The rules were made by looking at the 1,200 (a
//! third of them, chosen by a hash of the text, late) and at the 3,000 in `opened`, which were
//! blind once. The 600 in `blind`, written after the rules, have not been looked at: they stand for
//! new users. Whoever looks at them moves them to `opened` and has new ones written.
//!
//! The bar for all is two in a hundred. The sets that were looked at must meet it. Of those blind
//! when counted (147, 143, 126, 125, 105 and 91 decided), 4, 3, 10, 7, 8 and 5 had another label,
//! the last four having been written with deliberate traps. So the blind set must not exceed its
//! own count until it meets the bar; 89 of it are decided since languages are told by letters (583
//! of 600 right, 566 before), two fewer. The 1,200 in `natural` were written without traps; blind, 7 of
//! 295 decided ones had another label. Two thirds of them were looked at then. Of the rest 2 of 86
//! have another label, which they must not exceed. `daily` and `later`, 1,200 each, were written
//! later still, without traps and apart from all others: counted blind, 1 of 179 and 2 of 172
//! decided ones had another label. What readers said of the sentences around them is in the
//! `README.md` of the folder.

use serde::Deserialize;
use xxhash_rust::xxh3::xxh3_64;

use super::*;
use crate::text::language::Language;

/// One labelled request.
#[derive(Deserialize)]
pub(super) struct Labelled {
    pub(super) id: String,
    pub(super) text: String,
    family: String,
    also: Vec<String>,
    ready: bool,
}

impl Labelled {
    fn is_held_out(&self) -> bool {
        xxh3_64(self.text.as_bytes()).is_multiple_of(3)
    }

    fn allows(&self, family: &str) -> bool {
        self.family == family || self.also.iter().any(|other| other == family)
    }
}

/// All requests of a folder, with the code of their language.
fn read(folder: &str) -> Vec<(&'static str, Labelled)> {
    let mut all = Vec::new();
    for language in Language::FRAMED {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/requests");
        let text = std::fs::read_to_string(format!("{root}/{folder}/{}.jsonl", language.code())).unwrap();
        all.extend(text.lines().map(|line| (language.code(), serde_json::from_str(line).unwrap())));
    }
    all
}

/// The 1,200.
pub(super) fn labelled() -> Vec<(&'static str, Labelled)> {
    let all = read(".");
    assert_eq!(all.len(), 1200);
    all
}

/// Counts of the decisions on some requests.
#[derive(Debug, Default, Clone, Copy)]
struct Count {
    all: usize,
    decided: usize,
    wrong: usize,
    /// Of finished prompts: all, detected; and others mistaken for one.
    ready: usize,
    ready_seen: usize,
    ready_wrong: usize,
    language: usize,
}

/// The upper end of the 95 % Wilson interval of a share.
fn wilson(part: usize, all: usize) -> f64 {
    let (n, p, z) = (all as f64, part as f64 / all as f64, 1.96_f64);
    let middle = p + z * z / (2.0 * n);
    let spread = z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
    (middle + spread) / (1.0 + z * z / n)
}

fn count(
    requests: &[(&str, Labelled)],
    is_counted: impl Fn(&str, &Labelled) -> bool,
    mut tell: impl FnMut(&str, &Labelled, &str),
) -> Count {
    let writer = Writer::default();
    let library = writer.library().unwrap();
    let mut count = Count::default();
    for (language, one) in requests.iter().filter(|(language, one)| is_counted(language, one)) {
        let case = Case::of(&one.text, false, &library);
        count.all += 1;
        let told = case.reading.language.code();
        count.language += usize::from(told == *language);
        if told != *language {
            tell("LANGUAGE", one, told);
        }
        if one.ready {
            count.ready += 1;
            count.ready_seen += usize::from(case.decision.is_ready);
            if !case.decision.is_ready {
                tell("NOT READY", one, "");
            }
        } else if case.decision.is_ready && one.text.split_whitespace().count() > 2 && !one.allows("question") {
            // A short greeting and a short question of fact are sent unchanged.
            count.ready_wrong += 1;
            tell("READY", one, "");
        }
        let decided = case.decision.family.as_ref().filter(|_| !case.decision.is_ready);
        match decided {
            Some(frame) => {
                count.decided += 1;
                if !one.allows(&frame.name) {
                    count.wrong += 1;
                    tell("WRONG", one, &format!("{} {:?}", frame.name, case.decision.shown_by));
                }
            }
            None if one.family != "none" && !one.ready => tell("UNDECIDED", one, ""),
            None => {}
        }
    }
    count
}

#[test]
fn at_most_two_in_a_hundred_get_a_sentence_of_a_family_that_is_not_theirs() {
    let show = std::env::args().any(|argument| argument == "--nocapture");
    let (known, opened, blind) = (labelled(), read("opened"), read("blind"));
    let (natural, daily, later) = (read("natural"), read("daily"), read("later"));
    assert_eq!((opened.len(), blind.len(), natural.len(), daily.len(), later.len()), (3000, 600, 1200, 1200, 1200));
    let tell = |what: &str, one: &Labelled, more: &str| {
        if show {
            let text = one.text.chars().take(110).collect::<String>().replace('\n', "⏎");
            eprintln!("{what} {} [{}] {more} | {text}", one.id, one.family);
        }
    };
    for language in Language::FRAMED.map(Language::code) {
        let count = count(&known, |own, _| own == language, tell);
        eprintln!("{language}: {count:?}");
    }
    let seen = count(&known, |_, one| !one.is_held_out(), |_, _, _| {});
    let held_out = count(&known, |_, one| one.is_held_out(), |_, _, _| {});
    let opened = count(&opened, |_, _| true, tell);
    let blind = count(&blind, |_, _| true, |_, _, _| {});
    let natural_seen = count(&natural, |_, one| !one.is_held_out(), tell);
    let natural_held_out = count(&natural, |_, one| one.is_held_out(), |_, _, _| {});
    let natural = count(&natural, |_, _| true, |_, _, _| {});
    let daily = count(&daily, |_, _| true, |_, _, _| {});
    let later = count(&later, |_, _| true, |_, _, _| {});
    for (name, count) in [
        ("seen", seen),
        ("held out", held_out),
        ("opened", opened),
        ("natural", natural),
        ("natural, seen", natural_seen),
        ("natural, held out", natural_held_out),
        ("daily", daily),
        ("later", later),
        ("blind", blind),
    ] {
        eprintln!("{name}: {count:?}, at most {:.3} wrong", wilson(count.wrong, count.decided));
        let (most_wrong, least_decided) = match name {
            "blind" => (5, 89),
            "natural, held out" => (2, 86),
            "daily" | "later" => (count.decided / 50, 171),
            _ => (count.decided / 50, count.all / 6 + 1),
        };
        assert!(count.wrong <= most_wrong && count.decided >= least_decided, "{name}: {count:?}");
        assert!(count.language * 100 >= count.all * 94, "{name}: {count:?}");
        // Finished prompts are too few in a part of the natural ones to tell anything.
        let is_part = name.starts_with("natural,");
        let finds_ready = count.ready_seen * 3 >= count.ready * 2 && count.ready_wrong * 200 <= count.all;
        assert!(finds_ready || is_part, "{name}: {count:?}");
    }
}
