//! The measures: each on texts made to be good or bad at it, then the laws that hold for all texts.
//!
//! Formulas may be tuned; the order of good and bad must survive that.

use std::cell::RefCell;

use proptest::prelude::*;

use super::*;

thread_local! {
    /// Making one costs more than a small text.
    static READER: RefCell<Reader> = RefCell::new(Reader::new());
}

fn with_reader<T>(work: impl FnOnce(&mut Reader) -> T) -> T {
    READER.with_borrow_mut(work)
}

fn read(text: &str) -> Reading {
    with_reader(|reader| reader.read(text))
}

fn demands(request: &str) -> Demands {
    with_reader(|reader| Demands::of(request, reader))
}

fn coverage(request: &str, prompt: &str) -> f64 {
    demands(request).coverage(&read(prompt))
}

fn structure_of(text: &str) -> f64 {
    structure::structure(&read(text))
}

fn clarity_of(text: &str) -> f64 {
    clarity::clarity(&read(text))
}

fn concision_of(text: &str) -> f64 {
    concision::concision(&read(text))
}

const REQUEST: &str = "Write a Python function parse_rows that reads a CSV of at most 10,000 rows, without pandas, \
    and prints \"no data\" when it is empty.";

#[test]
fn a_prompt_that_holds_every_demand_covers_all() {
    let prompt = "# Task\nWrite the Python function `parse_rows`. It reads a CSV.\n- at most 10000 rows\n- without pandas\n\
        - when the file is empty, print \"no data\"";
    assert!((coverage(REQUEST, prompt) - 1.0).abs() < 1e-9);
}

#[test]
fn each_demand_that_is_lost_costs() {
    let full = coverage(REQUEST, REQUEST);
    for (from, to) in
        [("10,000", "many"), ("pandas", "it"), ("\"no data\"", "a message"), ("parse_rows", "f"), ("CSV", "file")]
    {
        let less = coverage(REQUEST, &REQUEST.replace(from, to));
        assert!(less < full - 0.05, "{from}: {less}");
    }
}

#[test]
fn what_is_missing_is_named() {
    let missing = demands(REQUEST).missing(&read("Write a Python function that reads a file of rows."));
    for what in ["10000", "no data", "CSV", "parse_rows"] {
        assert!(missing.iter().any(|found| found == what), "{what} in {missing:?}");
    }
}

#[test]
fn a_number_is_found_as_a_number_and_not_inside_another() {
    assert!(coverage("Use 12 items", "Use 120 items") < 1.0);
    assert!((coverage("wait 500ms", "Wait 500 ms") - 0.8).abs() < 1e-9);
    assert!(coverage("Use 3 items", "1. Use items\n2. Use items\n3. Use items") < 1.0);
}

#[test]
fn quotes_of_all_kinds_are_found() {
    for quote in ["\"über uns\"", "“über uns”", "„über uns“", "«über uns»", "`über uns`", "「über uns」"]
    {
        let missing = demands(&format!("Schreibe {quote}!")).missing(&read("nothing"));
        assert!(missing.contains(&"über uns".to_owned()), "{quote}: {missing:?}");
    }
}

#[test]
fn sections_lists_and_an_output_contract_make_structure() {
    let good = "# Role\nYou are an editor.\n# Task\nShorten the text.\n# Constraints\n- keep names\n- keep dates\n- no jokes\n\
        # Output\nOne paragraph.";
    let plain = "The text is too long and somebody could shorten it while names and dates are kept";
    assert!(structure_of(good) > 0.8, "{}", structure_of(good));
    assert!(structure_of(plain) < 0.4, "{}", structure_of(plain));
    let xml = "<role>You are an editor.</role>\n<task>Shorten the text.</task>\n<output_format>One paragraph.</output_format>";
    assert!(structure_of(xml) > 0.75, "{}", structure_of(xml));
}

#[test]
fn short_instructions_in_plain_words_are_clear() {
    let good = "Shorten the text. Keep all names. Do not add jokes.";
    let vague = "Some things in the text could perhaps be made somewhat better in various appropriate ways, as discussed last time, \
        etc, and so on, with several good changes of a kind that seems suitable for something of this sort and for many others like it.";
    assert!(clarity_of(good) > 0.99, "{}", clarity_of(good));
    assert!(clarity_of(vague) < 0.3, "{}", clarity_of(vague));
    assert!(clarity_of("Schreibe einen Brief. Vermeide Floskeln.") > 0.99);
}

#[test]
fn repetition_and_filler_cost_concision() {
    let good = "Shorten the text. Keep all names of people and places. Write one paragraph.";
    assert!(concision_of(good) > 0.99);
    let said_twice = format!("{good} And also: {good} Also keep all names of people and places, please.");
    assert!(concision_of(&said_twice) < 0.6, "{}", concision_of(&said_twice));
    let filled =
        "Please note that it is important to simply shorten the text. In order to do so, keep very short sentences.";
    assert!(concision_of(filled) < 0.3, "{}", concision_of(filled));
}

#[test]
fn length_by_itself_costs_hardly_any_concision() {
    let lines: Vec<String> = (0..200).map(|n| format!("Rule{n} concerns matter{n} of section{n}.")).collect();
    let long = lines.join("\n");
    assert!(concision_of(&long) > 0.95, "{}", concision_of(&long));
}

#[test]
fn nothing_is_worth_nothing() {
    for text in ["", " \n ", "---", "!!!"] {
        assert!(structure_of(text) + clarity_of(text) + concision_of(text) < 1e-9, "{text:?}");
    }
}

#[test]
fn a_cue_of_several_words_stands_in_one_unit() {
    let reading = read("Name edge cases. On the edge. Cases follow.");
    let cue = |text: &str| with_reader(|reader| reader.cue(text));
    assert!(reading.says(&cue("edge case").unwrap()));
    assert!(!reading.says(&cue("cases on").unwrap()));
    assert_eq!(cue("?!"), None);
}

/// Lines such as prompts are made of.
fn prompt() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        "[A-Z][a-z]{1,6}( [a-z]{1,7}){0,9}[.!?]?",
        "- [a-z]{1,6}( [a-z]{1,7}){0,4}",
        "## [A-Z][a-z]{2,8}",
        "[1-9]\\. (Write|Use|Do not) [a-z]{1,6}",
        "Output: [a-z]{1,6}",
        "at most [0-9]{1,4} [a-z]{3}",
        "\"[a-z ]{1,9}\"",
        Just("```".to_owned()),
        Just("Some things are very good, as discussed.".to_owned()),
        "\\PC{0,20}",
    ];
    prop::collection::vec(line, 0..12).prop_map(|lines| lines.join("\n"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn every_measure_is_between_zero_and_one(request in prompt(), text in prompt()) {
        let (reading, demands) = (read(&text), demands(&request));
        for measure in Measure::ALL {
            let value = measure.of(&reading, &demands);
            prop_assert!((0.0..=1.0).contains(&value), "{} is {}", measure.as_str(), value);
        }
    }

    #[test]
    fn a_text_covers_itself(text in prompt()) {
        prop_assert!((coverage(&text, &text) - 1.0).abs() < 1e-9, "{}", coverage(&text, &text));
    }

    #[test]
    fn dropping_a_line_never_raises_coverage(request in prompt(), text in prompt(), at in any::<prop::sample::Index>()) {
        let mut lines: Vec<&str> = text.lines().collect();
        prop_assume!(!lines.is_empty());
        lines.remove(at.index(lines.len()));
        prop_assert!(coverage(&request, &lines.join("\n")) <= coverage(&request, &text) + 1e-12);
    }

    #[test]
    fn saying_all_twice_raises_no_measure(request in prompt(), text in prompt(), gap in "\n{1,2}") {
        let (once, twice) = (read(&text), read(&format!("{text}{gap}{text}")));
        let demands = demands(&request);
        for measure in Measure::ALL {
            let (before, after) = (measure.of(&once, &demands), measure.of(&twice, &demands));
            prop_assert!(after <= before + 1e-12, "{}: {} to {}", measure.as_str(), before, after);
        }
    }
}
