//! Tests of assets as callers use them: the built-in ones, the user's changes, and faults.
//!
//! The formats are tested with their parsers.

use std::fs;

use super::*;
use crate::domain::ProviderKind;

/// A user's folder with these files.
fn with_files(files: &[(&str, &str)]) -> (tempfile::TempDir, Assets) {
    let home = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = home.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let assets = Assets::new(Some(AssetDirs::below(home.path())));
    (home, assets)
}

const TERSE: &str = "---\nname: direct\ndescription: Mine.\n---\nBe terse.\n";

#[test]
fn everything_compiled_in_can_be_used() {
    let assets = Assets::default();
    for info in assets.personas().into_iter().chain(assets.templates()) {
        assert_eq!(info.problem, None, "{}", info.name);
        assert!(!info.description.is_empty() && info.origin == Origin::Builtin, "{}", info.name);
    }
    for phase in Phase::ALL {
        assets.phase(phase).unwrap().try_out(AssetKind::Phase).unwrap();
    }
    for told in [assets.comparing(), assets.rating()] {
        told.unwrap().try_out(AssetKind::Judge).unwrap();
    }
}

#[test]
fn the_four_personas_and_eight_strategies_are_there() {
    let assets = Assets::default();
    assert_eq!(assets.persona_names(), ["code", "writing", "analysis", "generic"]);
    let strategies: Vec<String> =
        assets.templates().into_iter().filter(|info| info.kind == AssetKind::Strategy).map(|info| info.name).collect();
    assert_eq!(strategies, STRATEGIES);
}

#[test]
fn variants_take_the_strategies_in_turn() {
    assert_eq!((strategy_for(0), strategy_for(7), strategy_for(8)), ("direct", "minimal", "direct"));
}

#[test]
fn a_users_file_wins_and_an_edit_counts_at_once() {
    let (home, assets) = with_files(&[("strategies/direct.md", TERSE)]);
    assert_eq!(assets.strategy("direct").unwrap().text, "Be terse.");
    fs::write(home.path().join("strategies/direct.md"), TERSE.replace("terse", "brief")).unwrap();
    assert_eq!(assets.strategy("direct").unwrap().text, "Be brief.");
    fs::remove_file(home.path().join("strategies/direct.md")).unwrap();
    assert!(assets.strategy("direct").unwrap().text.starts_with("Shape: direct"));
}

#[test]
fn a_new_persona_is_added_by_a_file() {
    let text =
        Assets::default().text(AssetKind::Persona, "code").unwrap().text.replace("name: code", "name: rust-code");
    let (home, assets) = with_files(&[("personas/rust-code.md", &text)]);
    assert_eq!(assets.persona_names().last().unwrap(), "rust-code");
    assert_eq!(assets.persona("rust-code").unwrap().name, "rust-code");
    let info = assets.personas().pop().unwrap();
    assert_eq!(info.origin, Origin::User(home.path().join("personas/rust-code.md")));
}

#[test]
fn an_unknown_persona_is_a_fault_of_its_field_with_a_suggestion() {
    let error = Assets::default().persona("wriitng").unwrap_err();
    assert_eq!(error.faults()[0].field, "persona");
    assert!(error.faults()[0].message.contains("did you mean `writing`"), "{error}");
}

#[test]
fn a_name_never_leads_out_of_the_users_folder() {
    let text = Assets::default().text(AssetKind::Persona, "code").unwrap().text;
    let (_home, assets) = with_files(&[("personas/x.md", &text), ("secret.md", &text)]);
    for name in ["../secret", "..", "", "a/b", "CODE", "x.md", "-x", "x--y", "ü"] {
        assert!(matches!(assets.persona(name), Err(Error::Value(_))), "{name}");
    }
}

#[test]
fn a_broken_file_is_an_error_with_file_and_line_and_is_listed_with_its_problem() {
    let phase = "---\nname: solutio\ndescription: d\ntask: t\n---\none\n{{ persona.rule }}\n";
    let (home, assets) = with_files(&[("phases/solutio.md", phase), ("personas/code.md", "no front matter")]);
    let error = assets.phase(Phase::Solutio).unwrap_err();
    let path = home.path().join("phases/solutio.md");
    assert!(matches!(&error, Error::File { path: named, .. } if *named == path), "{error}");
    assert!(error.to_string().contains("line 7"), "{error}");
    assert!(assets.persona("code").unwrap_err().to_string().contains("line 1"));
    let listed = assets.personas().into_iter().find(|info| info.name == "code").unwrap();
    assert!(listed.problem.unwrap().contains("front matter"));
    assert_eq!(assets.problems().len(), 2);
}

#[test]
fn a_misspelt_variable_is_found_in_any_branch() {
    for body in ["{% if first %}{{ nme }}{% endif %}", "{% if not has_context %}{{ x }}{% endif %}", "{{ persona.x }}"]
    {
        let text = format!("---\nname: solutio\ndescription: d\ntask: t\n---\n{body}\n");
        let (_home, assets) = with_files(&[("phases/solutio.md", &text)]);
        assert!(assets.phase(Phase::Solutio).unwrap_err().to_string().contains("line 6"), "{body}");
    }
}

#[test]
fn files_that_nothing_reads_are_problems_and_backups_are_not() {
    let (_home, assets) = with_files(&[
        ("phases/prima.md", "x"),
        ("personas/Code.md", "x"),
        ("personas/code.txt", "x"),
        ("personas/code.md~", "x"),
        ("personas/.code.md.swp", "x"),
    ]);
    let problems: Vec<String> = assets.problems().iter().map(ToString::to_string).collect();
    let all = problems.join("\n");
    assert!(all.contains("coagulatio") && all.contains("kebab-case") && all.contains("`.md`"), "{all}");
    assert!(!all.contains('~') && !all.contains("swp"), "{all}");
}

#[test]
fn text_that_is_not_utf_8_and_files_too_large_are_refused() {
    let (home, assets) = with_files(&[("forms/gpt.md", "x")]);
    fs::write(home.path().join("forms/gpt.md"), b"---\nname: \xff\n").unwrap();
    assert!(assets.form(TargetFamily::Gpt).unwrap_err().to_string().contains("line 2"));
    fs::write(home.path().join("forms/gpt.md"), vec![b'x'; 300 * 1024]).unwrap();
    assert!(assets.form(TargetFamily::Gpt).unwrap_err().to_string().contains("256 KiB"));
}

#[test]
fn a_copy_is_made_once_and_then_edited_in_place() {
    let (home, assets) = with_files(&[]);
    let path = assets.copy_to_user(AssetKind::Persona, "code").unwrap();
    assert_eq!(path, home.path().join("personas/code.md"));
    assert_eq!(fs::read_to_string(&path).unwrap(), table::text(AssetKind::Persona, "code").unwrap());
    assert!(matches!(assets.copy_to_user(AssetKind::Persona, "code"), Err(Error::Conflict(_))));
    assert!(matches!(Assets::default().copy_to_user(AssetKind::Persona, "code"), Err(Error::Conflict(_))));
}

#[test]
fn templates_are_found_by_name_or_by_kind_and_name() {
    let assets = Assets::default();
    assert_eq!(assets.template("coagulatio").unwrap().kind, AssetKind::Phase);
    assert_eq!(assets.template("rubric/default").unwrap().kind, AssetKind::Rubric);
    assert!(matches!(assets.template("nothing"), Err(Error::NotFound { .. })));
    assert!(matches!(assets.template("nothing/default"), Err(Error::NotFound { .. })));
}

#[test]
fn a_persona_is_judged_by_the_rubric_of_its_name_else_by_the_default() {
    let assets = Assets::default();
    for persona in assets.persona_names() {
        assert_eq!(assets.rubric_for(&persona).unwrap().name, persona);
    }
    assert_eq!(assets.rubric_for("rust-code").unwrap().name, "default");
    assert_eq!(assets.rubric_for("../code").unwrap().name, "default");
    let own = assets.text(AssetKind::Rubric, "default").unwrap().text.replace("name: default", "name: rust-code");
    let (_home, assets) = with_files(&[("judge/rust-code.yaml", &own)]);
    assert_eq!(assets.rubric_for("rust-code").unwrap().name, "rust-code");
}

#[test]
fn a_rubric_is_read_from_any_file_and_its_faults_name_file_and_line() {
    let good = "name: mine\ndescription: d\ncriteria:\n  - name: a\n    weight: 2\n    question: A?\n";
    let (home, _assets) = with_files(&[("x/any.yaml", good), ("bad.yaml", &good.replace("weight: 2", "weight: 0"))]);
    assert_eq!(Assets::rubric_file(&home.path().join("x/any.yaml")).unwrap().name, "mine");
    let error = Assets::rubric_file(&home.path().join("bad.yaml")).unwrap_err().to_string();
    assert!(error.contains("bad.yaml") && error.contains("line 5") && error.contains("above 0"), "{error}");
    let error = Assets::rubric_file(&home.path().join("none.yaml")).unwrap_err();
    assert_eq!(error.code(), crate::error::Code::File);
    assert!(error.to_string().contains("no such file"), "{error}");
}

#[test]
fn the_template_of_ratings_is_listed_and_may_be_overridden() {
    let own = "---\nname: rate\ndescription: Mine.\ntask: t\n---\nRate it by {{ criteria[0].name }}.\n";
    let (_home, assets) = with_files(&[("judge/rate.md", own)]);
    let listed = assets.templates().into_iter().find(|info| info.name == "rate").unwrap();
    assert_eq!((listed.kind, listed.description.as_str()), (AssetKind::Judge, "Mine."));
    assert_eq!(assets.rating().unwrap().task, "t");
}

#[test]
fn the_catalogue_is_ours_until_the_user_has_rows_and_an_edit_counts_at_once() {
    let (home, assets) = with_files(&[]);
    let luna = || assets.catalog().map(|catalog| catalog.card(ProviderKind::OpenAi, "openai", "gpt-6-luna").cloned());
    let ours = luna().unwrap().unwrap();
    assert!(ours.price.is_some_and(|price| price.input > 0.0));
    let file = home.path().join("models.yaml");
    fs::write(&file, "openai: {models: {gpt-6-luna: {price: {input: 9, output: 9}}}}\n").unwrap();
    assert!(luna().unwrap().unwrap().price.is_some_and(|price| price.input > 8.0));
    fs::remove_file(&file).unwrap();
    assert_eq!(luna().unwrap(), Some(ours));
}

#[test]
fn a_broken_catalogue_is_an_error_with_every_fault_and_a_problem_and_never_passed_over() {
    let text = "openai:\n  models:\n    gpt-6-luna: {context: 0}\n    x: {prise: 1}\n";
    let (home, assets) = with_files(&[("models.yaml", text)]);
    let error = assets.catalog().unwrap_err();
    assert!(matches!(&error, Error::File { path, .. } if *path == home.path().join("models.yaml")), "{error}");
    let told = error.to_string();
    assert!(told.contains("line 3: openai.models.gpt-6-luna.context") && told.contains("line 4: "), "{told}");
    assert_eq!(assets.problems().len(), 1);
    let listed = assets.templates().into_iter().find(|info| info.kind == AssetKind::Catalog).unwrap();
    assert!(listed.problem.unwrap().contains("line 3"));
}

#[test]
fn other_files_of_the_users_folder_are_no_catalogue() {
    let (_home, assets) = with_files(&[("config.yaml", "mode: server\n"), ("other.yaml", "x"), ("aludel.db", "x")]);
    assert_eq!(assets.problems().len(), 0);
}

#[test]
fn a_copy_of_the_catalogue_explains_it_and_holds_no_rows() {
    let (home, assets) = with_files(&[]);
    let path = assets.copy_to_user(AssetKind::Catalog, "models").unwrap();
    assert_eq!(path, home.path().join("models.yaml"));
    let copy = fs::read_to_string(&path).unwrap();
    assert!(copy.contains("cache_write") && copy.lines().all(|line| line.starts_with('#')), "{copy}");
    let ours = Assets::default().catalog().unwrap();
    assert_eq!(assets.catalog().unwrap().len(), ours.len());
}
