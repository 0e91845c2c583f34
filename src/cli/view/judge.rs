//! A judge's profile for people: whether it is usable, its faults, and the figures behind them.

use aludel_core::domain::{JudgeProfile, Timestamp};

use super::labels;
use super::page::{Page, Role};
use super::prompt::{account, by};
use super::table::{Column, Table};
use super::words::ago;
use crate::cli::view::symbols::DOT;

/// Writes the result of one test.
pub(crate) fn judge_profile(page: &mut Page, profile: &JudgeProfile) {
    page.rule(&format!("judge {}", by(&profile.judge.provider, &profile.judge.model)));
    let (role, verdict) = match (profile.usable, profile.faults.is_empty()) {
        (true, true) => (Role::Good, "It can be used; no fault was found."),
        (true, false) => (Role::Warning, "It can be used, with care:"),
        (false, _) => (Role::Bad, "Its choices say nothing about the candidates; do not use it:"),
    };
    page.paragraph(role, verdict, 0);
    for fault in &profile.faults {
        page.paragraph(Role::Body, &format!("- {fault}"), 2);
    }
    page.gap();
    figures(profile).write(page);
    page.gap();
    let missing = format!("{} of {} questions without a valid answer", profile.missing, profile.asked);
    page.paragraph(Role::Faint, &format!("{missing}{DOT}{}", account(&profile.model_metadata)), 2);
    if let Some(agreement) = &profile.labels {
        page.gap();
        labels::agreement(page, agreement);
    }
}

/// Writes the agreement of a judge with a person, without the rest of its profile.
pub(crate) fn judge_labels(page: &mut Page, profile: &JudgeProfile) {
    page.rule(&format!("judge {}", by(&profile.judge.provider, &profile.judge.model)));
    if let Some(agreement) = &profile.labels {
        labels::agreement(page, agreement);
    }
}

fn figures(profile: &JudgeProfile) -> Table {
    let mut table =
        Table::new(vec![Column::words("test"), Column::numbers("figure"), Column::words("what it is")]).wrapping();
    let rows = [
        ("position", margin(profile.position_bias), "position bias: preference for the one shown first; 0 is fair"),
        ("consistency", share(profile.swap_consistency), "order-swap agreement: pairs judged the same both ways"),
        (
            "length",
            margin(profile.length_slope),
            "preference for e times the length at equal content; above 0 is a bias",
        ),
        ("self-preference", margin(profile.self_preference), "preference for its own wording; 0 is fair"),
        ("stability", share(profile.stability), "questions answered the same when asked again"),
        ("sensitivity", share(profile.sensitivity), "deliberately worsened copies that lost"),
        ("robustness", share(profile.robustness), "appeals to the judge in a text that had no effect"),
    ];
    for (name, figure, what) in rows {
        table.row(vec![name.to_owned(), figure, what.to_owned()]);
    }
    table
}

/// A bias in margins; "-" if unknown.
fn margin(bias: Option<f64>) -> String {
    bias.map_or_else(|| "-".to_owned(), |bias| format!("{bias:+.2}"))
}

/// A share in percent; "-" if unknown.
fn share(share: Option<f64>) -> String {
    share.map_or_else(|| "-".to_owned(), |share| format!("{:.0} %", share * 100.0))
}

/// Writes a line for each tested judge; ages are relative to `now`.
pub(crate) fn judge_profiles(page: &mut Page, profiles: &[JudgeProfile], now: Timestamp) {
    let mut table = Table::new(vec![
        Column::words("judge").painted(Role::Handle),
        Column::words("usable"),
        Column::numbers("position"),
        Column::numbers("length"),
        Column::numbers("sees"),
        Column::numbers("agrees"),
        Column::words("tested"),
    ]);
    for profile in profiles {
        table.row(vec![
            by(&profile.judge.provider, &profile.judge.model),
            if profile.usable { "yes" } else { "no" }.to_owned(),
            margin(profile.position_bias),
            margin(profile.length_slope),
            share(profile.sensitivity),
            labels::agrees(profile.labels.as_ref()),
            ago(now, profile.audited_at),
        ]);
    }
    table.write(page);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::cli::view::Paint;

    fn profile(usable: bool, faults: &[&str]) -> JudgeProfile {
        serde_json::from_value(json!({
            "judge": { "provider": "openai", "model": "gpt-6" }, "audited_at": "2026-11-18T10:00:00Z",
            "position_bias": 0.25, "swap_consistency": 0.75, "length_slope": -0.1, "self_preference": null,
            "stability": 1.0, "sensitivity": 0.83, "robustness": 1.0, "missing": 1, "asked": 48, "usable": usable,
            "faults": faults,
            "model_metadata": {
                "provider": "openai", "model": "gpt-6", "input_tokens": 4000, "output_tokens": 321, "total_tokens": 4321,
                "cost_usd": 0.0123, "latency_ms": 2500, "calls": 49
            }
        }))
        .unwrap()
    }

    #[test]
    fn a_test_reads_well() {
        let mut page = Page::new(Paint::Plain, 80, true);
        judge_profile(
            &mut page,
            &profile(true, &["it prefers what is shown first; both orders agreed in 75 % of the pairs"]),
        );
        insta::assert_snapshot!(&*page.finish());
    }

    #[test]
    fn a_judge_that_cannot_be_used_is_called_so_first() {
        let mut page = Page::new(Paint::Plain, 80, true);
        judge_profile(&mut page, &profile(false, &["x"]));
        assert!(page.finish().contains("do not use it:\n- x\n"));
        let mut page = Page::new(Paint::Plain, 80, true);
        judge_profiles(&mut page, &[profile(false, &["x"])], "2026-11-21T10:00:00Z".parse().unwrap());
        assert!(page.finish().contains("no         +0.25"));
    }

    #[test]
    fn what_is_not_known_is_neither_nothing_nor_everything() {
        let unknown = JudgeProfile {
            position_bias: None,
            swap_consistency: None,
            length_slope: None,
            stability: None,
            sensitivity: None,
            robustness: None,
            ..profile(false, &["96 of 96 questions had no valid answer"])
        };
        let mut page = Page::new(Paint::Plain, 80, true);
        judge_profile(&mut page, &unknown);
        let text = (*page.finish()).to_owned();
        for name in ["position", "consistency", "length", "self-preference", "stability", "sensitivity", "robustness"] {
            let line = text.lines().find(|line| line.starts_with(name)).unwrap();
            assert_eq!(line.split_whitespace().nth(1), Some("-"), "{line}");
        }
        assert!(!text.contains(" %"), "{text}");
        let mut page = Page::new(Paint::Plain, 80, true);
        judge_profiles(&mut page, &[unknown], "2026-11-21T10:00:00Z".parse().unwrap());
        let listed = (*page.finish()).to_owned();
        let cells: Vec<&str> = listed.lines().last().unwrap().split_whitespace().collect();
        assert_eq!(cells[1..6], ["no", "-", "-", "-", "-"], "{listed}");
    }
}
