//! The format of a judge's reply: reasons, a grade for each criterion, and perhaps a verdict.
//!
//! The format is not part of a template: its description and its JSON Schema are generated from the
//! rubric, and a reply is checked against the same rubric. It must have each criterion once and no
//! other; a verdict must not contradict the weighted grades. Presentation ([`mod@object`]) and
//! additional keys do not matter. A truncated reply with a complete verdict is accepted. Any other
//! fault is sent back once, then counts as missing.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde_json::{Map, Value, json};

use crate::domain::Grade;
use crate::provider::JudgeQuestion;
use crate::text::terms::fold;

use super::object;

/// Criteria and their weights, which add up to 1.
pub(super) type Criteria = [(String, f64)];

/// The most that the verdict may differ from the rounded weighted grades: one grade.
const ROUNDING: f64 = 0.5;

/// The most characters of the reasons, where a model bound to the schema stops. Well below the
/// 2,000 from which llama.cpp's grammars refuse or drop a length (ggml-org/llama.cpp#27087 and
/// #28469).
const LONGEST_REASONS: u32 = 800;

/// The same in words, for models that read the instructions.
const MOST_WORDS: u32 = 80;

/// The most characters of an invalid grade that are sent back.
const LONGEST_SHOWN: usize = 40;

/// The lowest and the highest rating.
const RATINGS: std::ops::RangeInclusive<u8> = 1..=10;

/// A parsed comparison.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Compared {
    /// The reasons.
    pub(super) reasons: String,
    /// The grade of each criterion as a margin.
    pub(super) criteria: BTreeMap<String, f64>,
    /// The weighted mean grade, -1..=1; positive favours A.
    pub(super) margin: f64,
}

/// A parsed rating.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Rated {
    /// The reasons.
    pub(super) reasons: String,
    /// The weighted mean rating, 1..=10.
    pub(super) score: f64,
}

#[derive(serde::Deserialize)]
struct ComparisonReply {
    reasons: String,
    criteria: MapEntries<WrittenGrade>,
    verdict: WrittenGrade,
}

#[derive(serde::Deserialize)]
struct RatingReply {
    reasons: String,
    criteria: MapEntries<u8>,
}

/// A grade in any notation that models use.
struct WrittenGrade(Grade);

/// A map that keeps duplicate keys.
struct MapEntries<T>(Vec<(String, T)>);

/// Parses the reply to a comparison.
///
/// # Errors
/// What is wrong with it, for the repair.
pub(super) fn read_comparison(text: &str, criteria: &Criteria, given: &[&str]) -> Result<Compared, String> {
    let reply: ComparisonReply = object::read(text, given)?;
    let reasons = reasons(reply.reasons)?;
    let grades = by_criterion(reply.criteria, criteria)?;
    let margin = weighed(criteria, |name| grades[name].0.margin());
    let (WrittenGrade(verdict), nearest) = (reply.verdict, Grade::nearest(margin));
    if (verdict.margin() - nearest.margin()).abs() > ROUNDING {
        return Err(format!(
            "the verdict `{}` contradicts the grades of the criteria, which by weight come to `{}`",
            verdict.as_str(),
            nearest.as_str()
        ));
    }
    let criteria = grades.into_iter().map(|(name, WrittenGrade(grade))| (name, grade.margin())).collect();
    Ok(Compared { reasons, criteria, margin })
}

/// Parses the reply to a rating.
///
/// # Errors
/// As [`read_comparison`].
pub(super) fn read_rating(text: &str, criteria: &Criteria, given: &[&str]) -> Result<Rated, String> {
    let reply: RatingReply = object::read(text, given)?;
    let reasons = reasons(reply.reasons)?;
    let ratings = by_criterion(reply.criteria, criteria)?;
    if let Some((name, rating)) = ratings.iter().find(|(_, rating)| !RATINGS.contains(rating)) {
        return Err(format!("`{name}` is rated {rating}; a rating is a whole number from 1 to 10"));
    }
    Ok(Rated { reasons, score: weighed(criteria, |name| f64::from(ratings[name])) })
}

fn reasons(reasons: String) -> Result<String, String> {
    if reasons.trim().is_empty() { Err("`reasons` is empty".into()) } else { Ok(reasons) }
}

/// Checks that each criterion of the rubric is there once, and no other.
fn by_criterion<T>(replied: MapEntries<T>, criteria: &Criteria) -> Result<BTreeMap<String, T>, String> {
    let mut found = BTreeMap::new();
    for (name, value) in replied.0 {
        let Some(name) = criterion_called(&name, criteria).map(str::to_owned) else {
            return Err(format!("`{name}` is none of the criteria"));
        };
        if found.insert(name.clone(), value).is_some() {
            return Err(format!("the criterion `{name}` is there twice"));
        }
    }
    match criteria.iter().find(|(name, _)| !found.contains_key(name)) {
        Some((name, _)) => Err(format!("the criterion `{name}` is missing")),
        None => Ok(found),
    }
}

/// The criterion of this name, else the only one that matches without case, marks and separators.
fn criterion_called<'c>(name: &str, criteria: &'c Criteria) -> Option<&'c str> {
    let mut names = criteria.iter().map(|(known, _)| known.as_str());
    if let Some(exact) = names.clone().find(|known| *known == name) {
        return Some(exact);
    }
    let alike = |name: &str| fold(name.trim()).replace([' ', '_'], "-");
    let wanted = alike(name);
    let found = names.find(|known| alike(known) == wanted)?;
    names.all(|known| alike(known) != wanted).then_some(found)
}

/// The weighted mean, rounded to nine digits to remove floating-point residue.
fn weighed(criteria: &Criteria, value: impl Fn(&str) -> f64) -> f64 {
    let total: f64 = criteria.iter().map(|(_, weight)| weight).sum();
    let sum: f64 = criteria.iter().map(|(name, weight)| weight * value(name)).sum();
    if total > 0.0 { (sum / total * 1e9).round() / 1e9 } else { 0.0 }
}

/// The description of the reply format for a question.
pub(super) fn form(question: &JudgeQuestion, criteria: &Criteria) -> String {
    let brief = format!("The reasons have at most {MOST_WORDS} words, whatever the criteria are; then the rest.");
    let keys = |value: &str| -> String {
        criteria.iter().map(|(name, _)| format!("\"{name}\": {value}")).collect::<Vec<_>>().join(", ")
    };
    match question {
        JudgeQuestion::Compare { .. } => format!(
            "A grade is one of \"A>>B\" (A is clearly better), \"A>B\" (A is slightly better), \"=\" (no difference that \
             matters), \"B>A\" (B is slightly better), \"B>>A\" (B is clearly better). The verdict is a grade, and may not \
             contradict the grades of the criteria taken together by their weights. In the reasons call the candidates [A] and \
             [B], with the brackets. {brief}\n\n\
             Whatever was said before of how to answer: answer with one JSON object and nothing else, with exactly these keys \
             in this order:\n{{\"reasons\": \"…\", \"criteria\": {{{}}}, \"verdict\": GRADE}}",
            keys("GRADE")
        ),
        JudgeQuestion::Rate { .. } => format!(
            "A rating is a whole number from 1 (worst) to 10 (best). {brief}\n\n\
             Whatever was said before of how to answer: answer with one JSON object and nothing else, with exactly these keys \
             in this order:\n{{\"reasons\": \"…\", \"criteria\": {{{}}}}}",
            keys("RATING")
        ),
    }
}

/// The JSON Schema of a reply. The reasons come first, so that the grades follow from them.
pub(super) fn schema(question: &JudgeQuestion, criteria: &Criteria) -> Value {
    let grade = || json!({ "type": "string", "enum": Grade::ALL.map(Grade::as_str) });
    let (each, verdict) = match question {
        JudgeQuestion::Compare { .. } => (grade(), Some(grade())),
        // Not every provider supports numeric limits; the reply is checked anyway.
        JudgeQuestion::Rate { .. } => (json!({ "type": "integer", "description": "1 to 10" }), None),
    };
    let named: Map<String, Value> = criteria.iter().map(|(name, _)| (name.clone(), each.clone())).collect();
    let mut properties = Map::new();
    properties.insert("reasons".into(), json!({ "type": "string", "maxLength": LONGEST_REASONS }));
    properties.insert("criteria".into(), object(&named));
    properties.extend(verdict.map(|verdict| ("verdict".to_owned(), verdict)));
    object(&properties)
}

/// The schema of an object with exactly these properties.
fn object(properties: &Map<String, Value>) -> Value {
    let required: Vec<&String> = properties.keys().collect();
    json!({ "type": "object", "required": required, "additionalProperties": false, "properties": properties })
}

/// Parses a grade in any case and spacing, `A < B` for `B > A`; words are not grades.
fn grade_of(written: &str) -> Option<Grade> {
    let signs = written.chars().filter(|character| !character.is_whitespace()).map(|c| c.to_ascii_uppercase());
    let signs: String =
        signs.collect::<String>().replace('≫', ">>").replace('≪', "<<").replace('＞', ">").replace('＜', "<");
    match signs.as_str() {
        "A>>B" | "B<<A" => Some(Grade::FirstClearly),
        "A>B" | "B<A" => Some(Grade::First),
        "=" | "==" | "A=B" | "A==B" | "B=A" => Some(Grade::Even),
        "B>A" | "A<B" => Some(Grade::Second),
        "B>>A" | "A<<B" => Some(Grade::SecondClearly),
        _ => None,
    }
}

impl<'de> Deserialize<'de> for WrittenGrade {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = Cow::<str>::deserialize(deserializer)?;
        grade_of(&written).map(WrittenGrade).ok_or_else(|| {
            let shown: String = written.chars().take(LONGEST_SHOWN).collect();
            D::Error::custom(format!("`{shown}` is no grade: one of {} is", Grade::ALL.map(Grade::as_str).join(", ")))
        })
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for MapEntries<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MapEntriesVisitor<T>(std::marker::PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for MapEntriesVisitor<T> {
            type Value = MapEntries<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object with the criteria as keys")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<MapEntries<T>, A::Error> {
                let mut pairs = Vec::new();
                while let Some(name) = map.next_key::<String>()? {
                    let value = map.next_value().map_err(|error| A::Error::custom(format!("`{name}`: {error}")))?;
                    pairs.push((name, value));
                }
                Ok(MapEntries(pairs))
            }
        }

        deserializer.deserialize_map(MapEntriesVisitor(std::marker::PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn criteria(weights: [f64; 2]) -> Vec<(String, f64)> {
        ["coverage", "clarity"].map(str::to_owned).into_iter().zip(weights).collect()
    }

    fn compared(coverage: &str, clarity: &str, verdict: &str, weights: [f64; 2]) -> Result<Compared, String> {
        let text = format!(
            r#"{{"reasons": "r", "criteria": {{"coverage": "{coverage}", "clarity": "{clarity}"}}, "verdict": "{verdict}"}}"#
        );
        read_comparison(&text, &criteria(weights), &[])
    }

    #[test]
    fn a_reply_is_read_in_line_with_its_length() {
        use crate::linear_tests::work::assert_linear;

        let criteria = criteria([0.5, 0.5]);
        assert_linear("a reply", |text| {
            drop((read_comparison(text, &criteria, &[]), read_rating(text, &criteria, &[])));
        });
        assert_linear("a reply's reasons and names", |text| {
            let reply =
                serde_json::json!({ "reasons": text, "criteria": { text: text, "clarity": 3 }, "verdict": text });
            drop((
                read_comparison(&reply.to_string(), &criteria, &[]),
                read_rating(&reply.to_string(), &criteria, &[]),
            ));
            let said = serde_json::to_string(text).unwrap();
            let reply = format!(r#"{{"reasons": {said}, "criteria": {{"coverage": 5, "clarity": 3}}, "score": 4}}"#);
            drop(read_rating(&reply, &criteria, &[]));
            drop(read_rating(&format!("```json\n{reply}"), &criteria, &[]));
        });
    }

    #[test]
    fn a_reply_is_read_bare_or_fenced() {
        let bare = r#"{"reasons": "r", "criteria": {"coverage": "A>>B", "clarity": "="}, "verdict": "A>B"}"#;
        for text in [bare.to_owned(), format!("```json\n{bare}\n```")] {
            let reply = read_comparison(&text, &criteria([0.5, 0.5]), &[]).unwrap();
            assert!((reply.margin - 0.5).abs() < f64::EPSILON);
            assert_eq!(reply.criteria, [("clarity".to_owned(), 0.0), ("coverage".to_owned(), 1.0)].into());
        }
    }

    #[test]
    fn the_margin_is_the_grades_by_weight_so_a_weight_can_turn_it() {
        let margin = |weights| compared("A>B", "B>>A", "=", weights).unwrap().margin;
        assert!((margin([0.8, 0.2]) - 0.2).abs() < 1e-9 && (margin([0.6, 0.4]) + 0.1).abs() < 1e-9);
    }

    #[test]
    fn a_verdict_may_differ_from_its_grades_by_rounding_and_no_more() {
        let even = [0.5, 0.5];
        for (coverage, clarity, verdict) in [("A>>B", "A>>B", "A>B"), ("A>B", "=", "="), ("A>B", "=", "A>B")] {
            assert!(compared(coverage, clarity, verdict, even).is_ok(), "{coverage} {clarity} {verdict}");
        }
        for (coverage, clarity, verdict) in
            [("A>>B", "A>B", "B>A"), ("A>>B", "A>>B", "="), ("=", "=", "B>>A"), ("A>B", "A>B", "B>A")]
        {
            let fault = compared(coverage, clarity, verdict, even).unwrap_err();
            assert!(fault.contains("contradicts"), "{fault}");
        }
    }

    #[test]
    fn anything_else_is_no_verdict_and_says_why() {
        let whole = r#"{"reasons": "r", "criteria": {"coverage": "A>B", "clarity": "A>B"}, "verdict": "A>B"}"#;
        for (from, to, says) in [
            (whole, "A", "no JSON object"),
            (whole, " ", "empty"),
            (r#", "verdict": "A>B""#, r#", "verdict": "A>B", "verdict": "B>A""#, "duplicate"),
            (r#""reasons": "r", "#, "", "reasons"),
            (r#""r""#, r#"" ""#, "empty"),
            (r#", "verdict": "A>B""#, "", "verdict"),
            (r#""A>B"}}"#, r#""A"}}"#, ""),
            (r#""coverage": "A>B", "#, "", "`coverage` is missing"),
            (r#""clarity": "A>B""#, r#""clarity": "A>B", "beauty": "A>B""#, "`beauty` is none"),
            (r#""clarity": "A>B""#, r#""clarity": "A>B", "clarity": "="}"#, ""),
            (r#""clarity": "A>B""#, r#""clarity": "A>B", "clarity": "=""#, "twice"),
            (r#""clarity": "A>B""#, r#""clarity": "better""#, "`clarity`"),
            (r#""verdict": "A>B""#, r#""verdict": "A is better""#, "`A is better` is no grade"),
            (r#""verdict": "A>B""#, r#""verdict": "A>>>B""#, "no grade"),
        ] {
            let text = whole.replacen(from, to, 1);
            let fault = read_comparison(&text, &criteria([0.5, 0.5]), &[]).map(|_| ());
            if text != whole {
                assert!(fault.as_ref().is_err_and(|fault| fault.contains(says)), "{text}: {fault:?}");
            }
        }
    }

    #[test]
    fn a_reply_that_breaks_off_is_read_when_its_verdict_is_whole() {
        let even = criteria([0.5, 0.5]);
        let first = r#"{"criteria": {"coverage": "A>B", "clarity": "A>B"}, "verdict": "A>B", "reasons": "it goes on "#;
        let last = r#"{"reasons": "r", "criteria": {"coverage": "A>B", "clarity": "A>B"}, "verdict": "A>B""#;
        for text in
            [first.to_owned(), format!("{first}\\"), format!("{first}\\u00e"), format!("```json\n{last}"), last.into()]
        {
            let reply = read_comparison(&text, &even, &[]);
            assert!(reply.is_ok_and(|reply| (reply.margin - 0.5).abs() < 1e-9), "{text}");
        }
        for cut in 0..last.len() - 1 {
            let reply = read_comparison(&last[..cut], &even, &[]);
            assert!(reply.is_err(), "{}", &last[..cut]);
        }
        let rating = r#"{"reasons": "r", "criteria": {"coverage": 8, "clarity": 1"#;
        assert!(read_rating(rating, &even, &[]).is_err(), "it may have been a ten");
        assert!(read_rating(&format!("{rating}}}"), &even, &[]).is_ok());
    }

    #[test]
    fn a_criterion_in_another_case_is_read_where_it_can_be_no_other() {
        let read = |names: [&str; 2], replied: [&str; 2]| {
            let criteria: Vec<(String, f64)> = names.iter().map(|name| ((*name).to_owned(), 0.5)).collect();
            let [one, two] = replied;
            let text = format!(r#"{{"reasons": "r", "criteria": {{"{one}": "A>B", "{two}": "="}}, "verdict": "="}}"#);
            read_comparison(&text, &criteria, &[]).map(|reply| reply.criteria.into_iter().collect::<Vec<_>>())
        };
        let as_named = |names: [&str; 2]| Ok(vec![(names[0].to_owned(), 0.5), (names[1].to_owned(), 0.0)]);
        let german = ["Klarheit", "Überzeugung"];
        for replied in [german, ["klarheit", "überzeugung"], [" KLARHEIT", "Uberzeugung"]] {
            assert_eq!(read(german, replied), as_named(german), "{replied:?}");
        }
        let russian = ["обзор", "язык_кода"];
        assert_eq!(read(russian, ["Обзор", "Язык кода"]), as_named(russian));
        assert_eq!(read(["Fit", "fit"], ["Fit", "fit"]), as_named(["Fit", "fit"]), "told apart to the letter");
        assert!(read(["Fit", "fit"], ["FIT", "fit"]).is_err_and(|fault| fault.contains("`FIT` is none")));
        assert!(read(german, ["klarheit", "Klarheit"]).is_err_and(|fault| fault.contains("twice")));
    }

    #[test]
    fn the_schema_bounds_every_text_of_a_reply() {
        let question = JudgeQuestion::Compare { a: String::new(), b: String::new() };
        for question in [question, JudgeQuestion::Rate { text: String::new() }] {
            let schema = schema(&question, &criteria([0.5, 0.5]));
            let texts = texts_of(&schema);
            assert!(!texts.is_empty());
            for text in texts {
                assert!(text.get("maxLength").is_some() || text.get("enum").is_some(), "{text}");
            }
        }
    }

    fn texts_of(schema: &Value) -> Vec<&Value> {
        let within = schema.as_object().into_iter().flat_map(Map::values).flat_map(texts_of);
        within.chain((schema["type"] == "string").then_some(schema)).collect()
    }

    #[test]
    fn a_rating_is_as_strict() {
        let read = |text: &str| read_rating(text, &criteria([0.75, 0.25]), &[]);
        let rated = read(r#"{"reasons": "r", "criteria": {"coverage": 8, "clarity": 4}}"#).unwrap();
        assert!((rated.score - 7.0).abs() < f64::EPSILON);
        for text in [
            r#"{"reasons": "r", "criteria": {"coverage": 0, "clarity": 4}}"#,
            r#"{"reasons": "r", "criteria": {"coverage": 11, "clarity": 4}}"#,
            r#"{"reasons": "r", "criteria": {"coverage": 7.5, "clarity": 4}}"#,
            r#"{"reasons": "r", "criteria": {"coverage": "7", "clarity": 4}}"#,
            r#"{"reasons": "r", "criteria": {"coverage": 7}}"#,
            r#"{"criteria": {"coverage": 7, "clarity": 4}}"#,
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_schema_asks_for_what_is_read_with_reasons_first_and_the_verdict_last() {
        let question = JudgeQuestion::Compare { a: String::new(), b: String::new() };
        let schema = schema(&question, &criteria([0.5, 0.5]));
        let keys: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
        assert_eq!(keys, ["reasons", "criteria", "verdict"]);
        assert_eq!(schema["required"], json!(["reasons", "criteria", "verdict"]));
        assert_eq!(schema["properties"]["criteria"]["required"], json!(["coverage", "clarity"]));
        assert_eq!(schema["properties"]["criteria"]["additionalProperties"], false);
        let form = form(&question, &criteria([0.5, 0.5]));
        assert!(
            form.contains(r#"{"reasons": "…", "criteria": {"coverage": GRADE, "clarity": GRADE}, "verdict": GRADE}"#)
        );
    }
}
