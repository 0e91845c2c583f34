//! How a prompt was made and ranked, for people.

use aludel_core::domain::{
    JudgementExplanation, ModelMetadata, Opponent, PromptId, Timestamp, Why, chance, likelihood, write_moment,
};
use aludel_core::rank::Component;

use super::page::{Page, Role};
use super::prompt::{account, by, write_facts};
use super::select::{standings, weights};
use super::words::{ago, count_of, one_line};
use crate::cli::view::symbols::{DOT, GOOD, NONE};

/// Writes everything known; ages are relative to `now`.
pub(crate) fn why(page: &mut Page, why: &Why, now: Timestamp) {
    page.rule(&format!("how {} came to be", why.prompt_id.short()));
    let made = if page.is_terminal() { ago(now, why.created_at) } else { write_moment(why.created_at) };
    let facts = [
        ("id", why.prompt_id.to_string()),
        ("input", one_line(&why.original_input)),
        ("source", format!("{}, {made}", why.source.as_str())),
        ("persona", why.persona.clone()),
        ("strategy", why.strategy.clone()),
        ("run", format!("{}, variant {}", why.session_id, why.variant + 1)),
        ("from", ancestors(why)),
        ("led to", why.children.iter().map(PromptId::short).collect::<Vec<_>>().join(", ")),
    ];
    write_facts(page, &facts);
    for step in &why.steps {
        let ModelMetadata { provider, model, .. } = &step.model_metadata;
        let told = format!("{:<9} {}{DOT}{}", "phase", step.phase, by(provider, model));
        page.paragraph(Role::Body, &format!("{told}{DOT}{}", account(&step.model_metadata)), 10);
    }
    if why.steps.len() > 1 {
        page.paragraph(Role::Faint, &format!("{:<9} {}", "in all", account(&why.model_metadata)), 10);
    }
    page.gap();
    ranking(page, why);
    for judgement in &why.judgements {
        page.gap();
        self::judgement(page, why, judgement, now);
    }
    if why.judgements.is_empty() {
        page.gap();
        page.paragraph(Role::Faint, "never judged: `aludel select ID ID` asks the judge", 2);
    }
}

fn ancestors(why: &Why) -> String {
    let told = |ancestor: &aludel_core::domain::Ancestor| match ancestor.source {
        Some(source) => format!("{} ({})", ancestor.prompt_id.short(), source.as_str()),
        None => format!("{} (no longer stored)", ancestor.prompt_id.short()),
    };
    why.ancestors.iter().map(told).collect::<Vec<_>>().join(", from ")
}

/// The components of its score.
fn ranking(page: &mut Page, why: &Why) {
    page.rule("its rank");
    match (why.score, why.rank) {
        (Some(score), Some(rank)) => {
            page.paragraph(
                Role::Body,
                &format!("{rank} of {} in its run, score {score:.2}", count_of(why.ranked.into(), "ranked prompt")),
                2,
            );
        }
        _ => page.paragraph(Role::Body, "never ranked; the current rules would give it:", 2),
    }
    let mut table = super::Table::new(vec![
        super::Column::words("component"),
        super::Column::numbers("value"),
        super::Column::numbers("weight"),
        super::Column::numbers("adds"),
    ]);
    let mut components: Vec<(&String, f64, f64)> = why
        .ranking
        .components
        .iter()
        .map(|(name, value)| (name, *value, why.ranking.weights.get(name).copied().unwrap_or_default()))
        .collect();
    components.sort_by(|a, b| (b.1 * b.2).total_cmp(&(a.1 * a.2)));
    for (name, value, weight) in components {
        let cells = [value, weight, value * weight].map(|number| format!("{number:.2}"));
        table.row(std::iter::once(name.clone()).chain(cells).collect());
    }
    table.write(page);
    for component in Component::ALL.into_iter().filter(|one| why.ranking.components.contains_key(one.as_str())) {
        page.paragraph(Role::Faint, &format!("{}: {}.", component.as_str(), component.formula()), 4);
    }
    if !why.ranking.checks.is_empty() {
        page.paragraph(Role::Body, &format!("what `{}` checks without counting it in the score:", why.persona), 2);
        for check in &why.ranking.checks {
            let (sign, role) = if check.met { (GOOD, Role::Body) } else { (NONE, Role::Faint) };
            page.paragraph(role, &format!("{sign} {}", check.label), 4);
        }
    }
    if let Some(score) = why.score.filter(|score| (score - why.ranking.score).abs() > 0.005) {
        let text = format!(
            "With the current settings it would score {:.2}, not {score:.2}: the weights, the persona or the rules changed since.",
            why.ranking.score
        );
        page.paragraph(Role::Warning, &text, 2);
    }
}

fn judgement(page: &mut Page, why: &Why, told: &JudgementExplanation, now: Timestamp) {
    let made = if page.is_terminal() { ago(now, told.created_at) } else { write_moment(told.created_at) };
    page.rule(&format!("judged by {}, {made}", told.operation));
    let judges: Vec<String> = told
        .judges
        .iter()
        .map(|judge| {
            let tested = match (judge.audit_age_days, judge.usable) {
                (Some(days), Some(false)) => format!("failed its own test {days:.0} days ago"),
                (Some(days), _) => format!("tested {days:.0} days ago"),
                (None, _) => "never tested".to_owned(),
            };
            format!("{}, {tested}", by(&judge.name.provider, &judge.name.model))
        })
        .collect();
    let facts = [
        ("task", one_line(&told.task)),
        ("judge", judges.join("; ")),
        ("criteria", format!("{} ({})", weights(&told.criteria), told.rubric)),
        ("took", account(&told.model_metadata)),
    ];
    write_facts(page, &facts);
    let winner = if told.recomputed.winner == why.prompt_id {
        "it was chosen".to_owned()
    } else {
        format!("{} was chosen", told.recomputed.winner.short())
    };
    page.paragraph(
        Role::Body,
        &format!(
            "Place {} of {}; {winner}, {}.",
            told.place,
            told.candidates,
            likelihood(told.recomputed.confidence, told.recomputed.confident, told.judges.len())
        ),
        2,
    );
    if told.winner_changed {
        let text = format!(
            "Then {} was chosen ({}): the test results of the judge have changed since.",
            told.recorded.winner.short(),
            chance(told.recorded.confidence)
        );
        page.paragraph(Role::Warning, &text, 2);
    }
    standings(std::slice::from_ref(&told.standing)).write(page);
    for rating in &told.ratings {
        page.paragraph(Role::Body, &format!("by itself {:.1} of 10: {}", rating.score, one_line(&rating.reasoning)), 2);
    }
    for opponent in &told.opponents {
        self::opponent(page, told, opponent);
    }
    if told.missing > 0 {
        let questions = count_of(told.missing.into(), "question");
        page.paragraph(
            Role::Faint,
            &format!("{questions} of this judgement had no valid answer and are not counted"),
            2,
        );
    }
}

fn opponent(page: &mut Page, told: &JudgementExplanation, opponent: &Opponent) {
    let (verb, role) = match opponent.margin {
        margin if margin > 0.0 => ("beat", Role::Good),
        margin if margin < 0.0 => ("lost to", Role::Bad),
        _ => ("tied with", Role::Warning),
    };
    let agreed = if opponent.agreed { "" } else { ", the orders disagreed" };
    let text = format!("{} ({:+.2}{agreed})", opponent.prompt_id.short(), opponent.margin);
    page.marked(role, verb, &text, 2);
    for verdict in &opponent.verdicts {
        let place = if verdict.shown_first { "first" } else { "second" };
        let judge = match told.judges.get(verdict.judge as usize) {
            Some(judge) if told.judges.len() > 1 => format!(" by {}", by(&judge.name.provider, &judge.name.model)),
            _ => String::new(),
        };
        let text = format!("  shown {place}{judge}: {:+.2}{DOT}{}", verdict.margin, one_line(&verdict.reasoning));
        page.paragraph(Role::Faint, &text, 4);
    }
}
