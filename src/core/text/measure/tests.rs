//! The measures: each on good and bad examples, then properties of all texts.
//!
//! Formulas can be tuned, but the order of good and bad must not change.

use std::cell::RefCell;

use proptest::prelude::*;

use super::*;

thread_local! {
    /// Creating one costs more than reading a small text.
    static READER: RefCell<Reader> = RefCell::new(Reader::new());
}

fn with_reader<T>(work: impl FnOnce(&mut Reader) -> T) -> T {
    READER.with_borrow_mut(work)
}

fn read(text: &str) -> Reading {
    with_reader(|reader| reader.read(text))
}

/// One measure of a prompt against its request, with two gaps and no context.
fn measured(measure: Measure, request: &str, prompt: &str) -> f64 {
    with_reader(|reader| {
        let demands = Demands::of(request, &[], 2, reader);
        measure.of(&demands.read(prompt, reader), &demands).unwrap()
    })
}

fn coverage(request: &str, prompt: &str) -> f64 {
    measured(Measure::Coverage, request, prompt)
}

fn missing(request: &str, prompt: &str) -> Vec<String> {
    with_reader(|reader| {
        let demands = Demands::of(request, &[], 0, reader);
        demands.missing(&demands.read(prompt, reader))
    })
}

/// A measure of text added to a request that is included whole.
fn added(measure: Measure, text: &str) -> f64 {
    measured(measure, "Shorten it.", &format!("<request>\nShorten it.\n</request>\n\n{text}"))
}

const REQUEST: &str = "Write a Python function parse_rows that reads a CSV of at most 10,000 rows, without pandas, \
    and prints \"no data\" when it is empty. Do not mention the price.";

#[test]
fn a_prompt_that_holds_the_request_whole_covers_it_and_one_that_says_the_same_nearly_so() {
    let whole = format!("You are an engineer.\n\n{REQUEST}\n\nReturn the code alone.");
    assert!((coverage(REQUEST, &whole) - 1.0).abs() < 1e-9);
    let told = "# Task\nWrite the Python function `parse_rows`, which reads a CSV.\n- 10000 rows or fewer\n- without pandas\n\
        - when the file is empty, it prints \"no data\"\n- the price is not mentioned";
    assert!(coverage(REQUEST, told) > 0.95, "{}", coverage(REQUEST, told));
}

#[test]
fn each_demand_that_is_lost_or_turned_round_costs() {
    for (from, to) in [
        ("10,000", "many"),
        ("10,000", "20,000"),
        ("at most", "at least"),
        ("rows", "columns"),
        ("without pandas", "with pandas"),
        ("\"no data\"", "a message"),
        ("parse_rows", "read_it"),
        (" Do not mention the price.", ""),
        ("Do not mention", "Mention"),
    ] {
        let less = coverage(REQUEST, &REQUEST.replace(from, to));
        assert!(less < 0.9, "{from} → {to}: {less}");
    }
}

#[test]
fn what_is_missing_is_named() {
    let missing = missing(REQUEST, "Write a Python function that reads a file of rows.");
    for what in ["10000", "no data", "CSV", "parse_rows"] {
        assert!(missing.iter().any(|found| found == what), "{what} in {missing:?}");
    }
}

#[test]
fn a_number_is_found_as_a_number_and_not_inside_another() {
    assert!(coverage("Use 12 items", "Use 120 items") < 0.9);
    assert!((coverage("wait 500ms", "Wait 500 ms") - 1.0).abs() < 1e-9);
    assert!((coverage("give three examples", "Give 3 examples") - 1.0).abs() < 1e-9);
    assert!(coverage("Use 3 items", "1. Use items\n2. Use items\n3. Use items") < 0.9);
}

#[test]
fn quotes_of_all_kinds_are_found() {
    for quote in ["\"über uns\"", "“über uns”", "„über uns“", "«über uns»", "`über uns`", "「über uns」", "'über uns'"]
    {
        let missing = missing(&format!("Schreibe {quote}!"), "nothing");
        assert!(missing.contains(&"über uns".to_owned()), "{quote}: {missing:?}");
    }
}

#[test]
fn in_another_language_numbers_quotations_and_names_tell() {
    let request =
        "Schreib bitte einen Brief an die Firma Veltronix über 3 Wochen Verspätung, mit dem Satz \"So nicht\".";
    let kept = "Write a letter to the company Veltronix about the delay of 3 weeks, and quote \"So nicht\" in it.";
    let lost = "Write a letter to the company about the delay of some weeks, and be polite about it in all you say.";
    assert!(coverage(request, kept) > 0.99, "{}", coverage(request, kept));
    assert!(coverage(request, lost) < 0.9, "{}", coverage(request, lost));
}

#[test]
fn what_comes_from_nowhere_or_contradicts_costs() {
    let of = |text: &str| {
        let request = "Write a letter to Ann, at most 50 words, as JSON.";
        measured(Measure::Additions, request, &format!("<request>\n{request}\n</request>\n\n{text}"))
    };
    assert!((of("Keep to the facts. Return the letter to Ann alone, in [language].") - 1.0).abs() < 1e-9);
    for text in [
        "Mention that it costs 20 euros.",
        "Greet her and Bob Miller too.",
        "Write at least 50 words.",
        "Write 500 words.",
        "Answer as a table.",
        "Close with \"see you soon, my dear\".",
    ] {
        assert!(of(text) < 0.8, "{text}: {}", of(text));
    }
    assert!(of(&"Think about each of these things with care. ".repeat(40)) < 0.8);
}

#[test]
fn context_that_was_given_is_not_added() {
    let context = [format!("# Report\n# Sales\n{}", "Some things went up by 12 per cent in Veltheim. ".repeat(60))];
    let request = "Sum up the report.";
    let prompt = format!(
        "<context>\n{}\n</context>\n\n<request>\n{request}\n</request>\n\nKeep all figures.",
        context[0].trim()
    );
    with_reader(|reader| {
        let demands = Demands::of(request, &context, 0, reader);
        let written = demands.read(&prompt, reader);
        for measure in [Measure::Additions, Measure::Structure, Measure::Clarity] {
            assert_eq!(measure.of(&written, &demands), Some(1.0), "{measure:?}");
        }
    });
}

#[test]
fn faults_of_layout_cost_structure_and_a_plain_sentence_has_none() {
    assert!((added(Measure::Structure, "Keep all names.") - 1.0).abs() < 1e-9);
    assert!((added(Measure::Structure, "# Task\nShorten it.\n\n## Notes\n- keep names") - 1.0).abs() < 1e-9);
    for text in [
        "# Task\n# Notes\nKeep names.",
        "# Notes\nKeep names.\n# Notes\nKeep dates.",
        "Keep names.\n# Output",
        "<notes>\nKeep names.",
        "```\nlet x = 1;",
        &"word ".repeat(151),
    ] {
        assert!(added(Measure::Structure, text) < 0.8, "{text}");
    }
}

#[test]
fn faults_of_wording_cost_clarity() {
    let good = "Shorten the text. Keep all names. Do not add jokes.";
    let vague = "Some things in the text could perhaps be made somewhat better in various appropriate ways, as discussed last time, \
        etc, and so on, with several good changes of a kind that seems suitable for something of this sort and for many others like it.";
    assert!(added(Measure::Clarity, good) > 0.99);
    assert!(added(Measure::Clarity, vague) < 0.5, "{}", added(Measure::Clarity, vague));
    let twice = format!("{good} And also: {good} Also keep all names, please.");
    assert!(added(Measure::Clarity, &twice) < 0.95);
}

#[test]
fn gaps_are_met_by_questions_blanks_and_assumptions() {
    for (text, expected) in [
        ("Write it politely.", 0.0),
        ("Ask who reads it.", 0.5),
        ("To whom does it go? What is it about?", 1.0),
        ("Address it to [name]. Assume that it is about a delay.", 1.0),
        ("Frage zuerst nach dem Empfänger.", 0.5),
        ("始める前に、宛先を質問してください。", 0.5),
    ] {
        assert!((added(Measure::Gaps, text) - expected).abs() < 1e-9, "{text}: {}", added(Measure::Gaps, text));
    }
}

#[test]
fn repetition_and_filler_cost_concision() {
    let concision = |text: &str| measured(Measure::Concision, "x", text);
    let good = "Shorten the text. Keep all names of people and places. Write one paragraph.";
    assert!(concision(good) > 0.99);
    let said_twice = format!("{good} And also: {good} Also keep all names of people and places, please.");
    assert!(concision(&said_twice) < 0.6, "{}", concision(&said_twice));
    let filled =
        "Please note that it is important to simply shorten the text. In order to do so, keep very short sentences.";
    assert!(concision(filled) < 0.3, "{}", concision(filled));
    let lines: Vec<String> = (0..200).map(|n| format!("Rule{n} concerns matter{n} of section{n}.")).collect();
    assert!(concision(&lines.join("\n")) > 0.95);
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
        for measure in Measure::ALL {
            let value = measured(measure, &request, &text);
            prop_assert!((0.0..=1.0).contains(&value), "{} is {}", measure.as_str(), value);
        }
    }

    #[test]
    fn a_text_covers_itself_and_adds_nothing(text in prompt()) {
        for measure in [Measure::Coverage, Measure::Additions, Measure::Structure, Measure::Clarity] {
            prop_assert!((measured(measure, &text, &text) - 1.0).abs() < 1e-9 || text.trim().is_empty(), "{:?}", measure);
        }
    }

    #[test]
    fn dropping_a_line_raises_coverage_only_where_it_took_something_back(
        request in prompt(),
        text in prompt(),
        at in any::<prop::sample::Index>(),
    ) {
        let mut lines: Vec<&str> = text.lines().collect();
        prop_assume!(!lines.is_empty());
        let line = lines.remove(at.index(lines.len()));
        prop_assume!(!request.contains(" not ") && !line.contains(" not ") && line.is_ascii());
        prop_assume!(request.is_ascii());
        prop_assert!(coverage(&request, &lines.join("\n")) <= coverage(&request, &text) + 1e-12);
    }

    #[test]
    fn saying_all_twice_raises_no_measure_of_faults(request in prompt(), text in prompt(), gap in "\n{1,2}") {
        let twice = format!("{text}{gap}{text}");
        for measure in [Measure::Coverage, Measure::Additions, Measure::Clarity, Measure::Concision] {
            let (before, after) = (measured(measure, &request, &text), measured(measure, &request, &twice));
            prop_assert!(after <= before + 1e-12, "{}: {} to {}", measure.as_str(), before, after);
        }
    }
}
