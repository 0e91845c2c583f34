//! Judgements and judge profiles in SQLite: JSON values, and the columns used to find them.
//!
//! A judgement is always read whole, so columns for each verdict would only add joins.

use rusqlite::{Connection, params};

use super::SqliteStore;
use super::failure::SqliteResult;
use super::prompts::check_finite;
use super::rows::{Columns, json, millis};
use crate::domain::{Calibration, JudgeName, JudgeProfile, Judgement, JudgementId, PromptId};
use crate::error::Error;
use crate::store::{JudgementStore, Pending};

impl JudgementStore for SqliteStore {
    fn record(&self, judgement: Judgement) -> Pending<bool> {
        self.write_finished("storing a judgement", move |connection| record(connection, &judgement))
    }

    fn judgements_of(&self, id: PromptId, limit: u32) -> Pending<Vec<Judgement>> {
        self.read("reading judgements", Vec::new(), |connection| of_prompt(connection, id, limit))
    }

    fn judgement(&self, id: JudgementId) -> Pending<Option<Judgement>> {
        self.read("reading a judgement", None, |connection| get(connection, id))
    }

    fn put_profile(&self, profile: JudgeProfile) -> Pending<()> {
        self.write_finished("storing a judge's profile", move |connection| put_profile(connection, &profile))
    }

    fn profile(&self, judge: JudgeName) -> Pending<Option<JudgeProfile>> {
        self.read("reading a judge's profile", None, |connection| profile(connection, &judge))
    }

    fn profiles(&self) -> Pending<Vec<JudgeProfile>> {
        self.read("reading judges' profiles", Vec::new(), profiles)
    }
}

/// Stores a judgement; returns false if none of its candidates is stored.
pub(super) fn record(connection: &Connection, judgement: &Judgement) -> SqliteResult<bool> {
    check_numbers(judgement)?;
    let mut stored = connection.prepare_cached("SELECT EXISTS (SELECT 1 FROM prompts WHERE id = ?)")?;
    let mut is_of_use = false;
    for candidate in &judgement.candidates {
        is_of_use = is_of_use || stored.query_row([candidate.prompt_id.0.as_bytes()], |row| row.get::<_, bool>(0))?;
    }
    if !is_of_use {
        return Ok(false);
    }
    let id = judgement.id.0.as_bytes();
    let written = connection
        .prepare_cached("INSERT INTO judgements (id, created_at, judgement) VALUES (?, ?, ?) ON CONFLICT DO NOTHING")?
        .execute(params![id, millis(judgement.created_at), json(judgement)?])?;
    if written == 0 {
        return Err(Error::Conflict(format!("judgement {} is stored already", judgement.id)).into());
    }
    let key = connection.last_insert_rowid();
    let mut candidates = connection
        .prepare_cached("INSERT INTO judgement_candidates (prompt, judgement) VALUES (?, ?) ON CONFLICT DO NOTHING")?;
    for candidate in &judgement.candidates {
        candidates.execute(params![candidate.prompt_id.0.as_bytes(), key])?;
    }
    Ok(true)
}

/// The judgements with this candidate, newest first.
pub(super) fn of_prompt(connection: &Connection, id: PromptId, limit: u32) -> SqliteResult<Vec<Judgement>> {
    let mut statement = connection.prepare_cached(
        "SELECT j.created_at, j.judgement FROM judgement_candidates c CROSS JOIN judgements j ON j.key = c.judgement
         WHERE c.prompt = ? ORDER BY j.created_at DESC, j.id DESC LIMIT ?",
    )?;
    statement.query_and_then(params![id.0.as_bytes(), limit], |row| read(Columns::of(row)))?.collect()
}

/// One judgement.
pub(super) fn get(connection: &Connection, id: JudgementId) -> SqliteResult<Option<Judgement>> {
    let mut statement = connection.prepare_cached("SELECT created_at, judgement FROM judgements WHERE id = ?")?;
    let mut rows = statement.query([id.0.as_bytes()])?;
    rows.next()?.map(|row| read(Columns::of(row))).transpose()
}

fn read(mut columns: Columns<'_, '_>) -> SqliteResult<Judgement> {
    let created_at = columns.moment()?;
    Ok(Judgement { created_at, ..columns.json()? })
}

/// Deletes judgements left without a stored or trashed candidate, now that these prompts are gone.
pub(super) fn sweep(connection: &Connection, gone: &[PromptId]) -> SqliteResult<()> {
    let mut statement = connection.prepare_cached(
        "DELETE FROM judgements
         WHERE key IN (SELECT judgement FROM judgement_candidates WHERE prompt = ?)
             AND NOT EXISTS (
                 SELECT 1 FROM judgement_candidates c CROSS JOIN prompts p ON p.id = c.prompt
                 WHERE c.judgement = judgements.key
             )
             AND NOT EXISTS (
                 SELECT 1 FROM judgement_candidates c CROSS JOIN trash t ON t.id = c.prompt
                 WHERE c.judgement = judgements.key
             )",
    )?;
    for id in gone {
        statement.execute([id.0.as_bytes()])?;
    }
    Ok(())
}

/// Stores a profile unless the stored one is later.
pub(super) fn put_profile(connection: &Connection, profile: &JudgeProfile) -> SqliteResult<()> {
    let of_calibration = |figure: fn(&Calibration) -> f64| profile.calibration.as_ref().map(figure);
    for (name, number) in [
        ("position_bias", profile.position_bias),
        ("swap_consistency", profile.swap_consistency),
        ("length_slope", profile.length_slope),
        ("self_preference", profile.self_preference),
        ("stability", profile.stability),
        ("sensitivity", profile.sensitivity),
        ("robustness", profile.robustness),
        ("calibration.signal", of_calibration(|known| known.signal)),
        ("calibration.signal_error", of_calibration(|known| known.signal_error)),
        ("calibration.pair_scatter", of_calibration(|known| known.pair_scatter)),
        ("calibration.rating_scatter", of_calibration(|known| known.rating_scatter)),
        ("calibration.joint_scatter", of_calibration(|known| known.joint_scatter)),
        ("calibration.degrees", of_calibration(|known| known.degrees)),
        ("calibration.length_error", of_calibration(|known| known.length_error)),
        ("cost_usd", profile.model_metadata.cost_usd),
    ] {
        check_finite(name, number)?;
    }
    let JudgeName { provider, model } = &profile.judge;
    connection
        .prepare_cached(
            "INSERT INTO judge_profiles (provider, model, audited_at, profile) VALUES (?, ?, ?, ?)
             ON CONFLICT DO UPDATE SET audited_at = excluded.audited_at, profile = excluded.profile
             WHERE excluded.audited_at >= audited_at",
        )?
        .execute(params![provider, model, millis(profile.audited_at), json(profile)?])?;
    Ok(())
}

/// The profile of this judge.
pub(super) fn profile(connection: &Connection, judge: &JudgeName) -> SqliteResult<Option<JudgeProfile>> {
    let mut statement =
        connection.prepare_cached("SELECT audited_at, profile FROM judge_profiles WHERE provider = ? AND model = ?")?;
    let mut rows = statement.query([&judge.provider, &judge.model])?;
    rows.next()?.map(|row| read_profile(Columns::of(row))).transpose()
}

/// All profiles.
pub(super) fn profiles(connection: &Connection) -> SqliteResult<Vec<JudgeProfile>> {
    let mut statement =
        connection.prepare_cached("SELECT audited_at, profile FROM judge_profiles ORDER BY provider, model")?;
    statement.query_and_then([], |row| read_profile(Columns::of(row)))?.collect()
}

fn read_profile(mut columns: Columns<'_, '_>) -> SqliteResult<JudgeProfile> {
    let audited_at = columns.moment()?;
    Ok(JudgeProfile { audited_at, ..columns.json()? })
}

/// JSON cannot represent numbers that are not finite.
fn check_numbers(judgement: &Judgement) -> SqliteResult<()> {
    let weights = judgement.criteria.values().map(|weight| ("criteria", Some(*weight)));
    let costs = judgement.candidates.iter().map(|candidate| ("candidates.cost_usd", candidate.cost_usd));
    let ratings = judgement.ratings.iter().map(|rating| ("ratings.score", Some(rating.score)));
    let margins = judgement.verdicts.iter().map(|verdict| ("verdicts.margin", Some(verdict.margin)));
    let grades = judgement.verdicts.iter().flat_map(|verdict| verdict.criteria.values());
    let grades = grades.map(|grade| ("verdicts.criteria", Some(*grade)));
    let whole = [
        ("conclusion.confidence", Some(judgement.conclusion.confidence)),
        ("model_metadata.cost_usd", judgement.model_metadata.cost_usd),
    ];
    let all = weights.chain(costs).chain(ratings).chain(margins).chain(grades).chain(whole);
    all.into_iter().try_for_each(|(name, number)| check_finite(name, number))
}
