//! Changes to real-world files: hostile forms, comments, links, secrets, and what must survive.

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::config::{self, Config, Environment, Flags, Loaded, Origin, keys, table::TABLE};
use crate::error::Code;

struct Home {
    folder: tempfile::TempDir,
    paths: Paths,
}

impl Home {
    fn empty() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let flags = Flags { data_dir: Some(folder.path().join("home")), ..Flags::default() };
        let paths = Paths::resolve(&flags, &Environment::default()).unwrap();
        Self { folder, paths }
    }

    fn new(text: &str) -> Self {
        let home = Self::empty();
        fs::create_dir(&home.paths.home).unwrap();
        fs::write(&home.paths.config_file, text).unwrap();
        home
    }

    fn set(&self, key: &str, raw: &str) -> Result<(), Error> {
        set(&self.paths, key, raw)
    }

    fn text(&self) -> String {
        fs::read_to_string(&self.paths.config_file).unwrap()
    }

    fn load(&self) -> Loaded {
        self.load_with(&[]).unwrap()
    }

    fn load_with(&self, environment: &[(&str, &str)]) -> Result<Loaded, Error> {
        let flags = Flags { data_dir: Some(self.paths.home.clone()), ..Flags::default() };
        config::load(&flags, &Environment::from_pairs(environment.iter().copied()))
    }
}

/// The text after setting the key.
fn after(text: &str, key: &str, raw: &str) -> String {
    let home = Home::new(text);
    home.set(key, raw).unwrap();
    home.text()
}

#[test]
fn one_value_changes_and_everything_else_stays_to_the_letter() {
    let text = "# mine\n\ngeneration:   # the run\n    default_count: 3   # three\n    use_parallel: true\n\n\n# tail\nserver: {port: 1}  # flow\n";
    assert_eq!(after(text, "generation.default_count", "5"), text.replace("count: 3", "count: 5"));
    assert_eq!(after(text, "generation.use_parallel", "off"), text.replace("true", "false"));
    assert_eq!(after(text, "server.port", "2"), text.replace("port: 1", "port: 2"));
}

#[test]
fn a_new_key_joins_its_section_and_a_new_section_comes_last() {
    assert_eq!(
        after("generation:\n  default_count: 3 # three\n# end\n", "generation.default_persona", "code"),
        "generation:\n  default_count: 3 # three\n  default_persona: code\n# end\n"
    );
    assert_eq!(after("mode: server\n", "server.auth.issuer", "me"), "mode: server\nserver:\n  auth:\n    issuer: me\n");
    assert_eq!(after("log:\n  # level\n", "log.level", "debug"), "log:\n  level: debug\n  # level\n");
}

#[test]
fn a_file_that_is_missing_empty_or_all_comments_gets_its_first_key() {
    let home = Home::empty();
    home.set("mode", "server").unwrap();
    assert_eq!(home.text(), "mode: server\n");
    assert_eq!(after("", "run.max_concurrency", "4"), "run:\n  max_concurrency: 4\n");
    assert_eq!(after("# only this", "mode", "server"), "# only this\nmode: server\n");
    assert_eq!(after("\u{feff}# mark\n", "mode", "server"), "\u{feff}# mark\nmode: server\n");
}

#[test]
fn hostile_forms_are_changed_rightly_or_not_at_all() {
    let forms = [
        "generation:\r\n  default_count: 3 # three\r\nserver:\r\n  port: 1\r\n",
        "\u{feff}generation:\n  default_count: 3\n",
        "---\n# head\ngeneration:\n  default_count: 3\n...\n",
        "generation:\n  default_count:\n    # between\n    3\n",
        "'generation':\n  \"default_count\": 3\n",
        "generation:\n  default_temperature: 1",
        "generation: {}\n",
        "generation: ~ # nothing\n",
        "{generation: {default_count: 3}, mode: server}",
        "generation: &g\n  default_count: 3\nserver:\n  port: 1\n",
        "generation:\n  default_count: &n 3\nrun:\n  max_concurrency: *n\n",
        "generation:\n  default_persona: >\n    code\n  default_count: 3\n",
        "generation:\n  default_persona: |-\n    a # no comment\n  default_count: 3\n",
        "? generation\n: default_count: 3\n",
        "generation:\n  default_count: 3\n  #default_count: 4\n#generation:\n",
        "server:\n  allowed_hosts:\n  - a # first\n  - b\ngeneration:\n  default_count: 3\n",
        "generation:\n\n\n  default_count: 3\n\n\n\n",
        "generation:\n  default_count: !!int 3\n",
        "mode: \"server\" # a: b # c\n",
    ];
    let mut changed = 0;
    for form in forms {
        let home = Home::new(form);
        let comments = |text: &str| text.matches('#').count();
        match home.set("generation.default_count", "7") {
            Ok(()) => {
                let text = home.text();
                assert_eq!(home.load().config.generation.default_count, 7, "{form:?} became {text:?}");
                assert_eq!(comments(&text), comments(form), "{form:?} became {text:?}");
                changed += 1;
            }
            Err(error) => {
                assert_eq!(error.code(), Code::ConfigInvalid, "{form:?}: {error}");
                assert_eq!(home.text(), form);
            }
        }
    }
    assert!(changed >= 15, "{changed} of {} could be changed", forms.len());
}

#[test]
fn a_value_used_elsewhere_through_an_anchor_is_not_changed_behind_the_users_back() {
    let text = "generation:\n  default_count: &n 3\nrun:\n  max_concurrency: *n\n";
    let home = Home::new(text);
    match home.set("run.max_concurrency", "9") {
        Ok(()) => {
            let config = home.load().config;
            assert_eq!((config.generation.default_count, config.run.max_concurrency), (3, 9));
        }
        Err(error) => assert!(error.to_string().contains("by hand"), "{error}"),
    }
}

#[test]
fn a_wrong_key_or_value_is_refused_and_the_file_untouched() {
    let text = "mode: server\n";
    let home = Home::new(text);
    let said = |key: &str, raw: &str| {
        let error = home.set(key, raw).unwrap_err();
        assert_eq!(error.code(), Code::ConfigInvalid);
        error.to_string()
    };
    assert_eq!(
        said("generation.default_count", "many"),
        r#"generation.default_count: expected a whole number from 1 to 100, got "many""#
    );
    assert_eq!(
        said("generation.default_cuont", "3"),
        "generation.default_cuont: is not a known key; did you mean `generation.default_count`?"
    );
    assert!(said("spend", "3").contains("is a section"));
    assert!(said("phases.solutio.provider", "acme").contains("`acme` is not a provider"));
    assert!(said("providers.acme.model", "m").contains("needs a `kind`"));
    assert!(said("providers.openai.api_key", "<redacted>").contains("give the secret itself"));
    assert!(said("storage.database", "postgres://me:canary@h/d").contains("not supported yet"));
    assert_eq!(home.text(), text);
}

#[test]
fn the_whole_file_must_be_right_before_it_is_replaced() {
    let text = "mode: server\nlog:\n  lvl: info\n";
    let home = Home::new(text);
    let error = home.set("mode", "workbench").unwrap_err();
    assert!(error.to_string().contains(":3: log.lvl: is not a known key"), "{error}");
    assert_eq!(home.text(), text);
    let broken = Home::new("mode: [\n");
    assert_eq!(broken.set("mode", "server").unwrap_err().code(), Code::ConfigInvalid);
    // A wrong value can be corrected.
    assert_eq!(
        after("generation:\n  default_count: many\n", "generation.default_count", "5"),
        "generation:\n  default_count: 5\n"
    );
}

#[test]
fn references_are_written_as_they_are_and_need_not_be_set_now() {
    let home = Home::empty();
    home.set("providers.openai.api_key", "${MY_KEY}").unwrap();
    home.set("generation.default_count", "${COUNT:-4}").unwrap();
    home.set("judge.model", "$${plain}").unwrap();
    assert!(home.text().contains("${MY_KEY}"));
    let loaded = home.load_with(&[("MY_KEY", "canary")]).unwrap();
    assert_eq!(loaded.config.providers["openai"].api_key.as_ref().unwrap().expose(), "canary");
    assert_eq!((loaded.config.generation.default_count, loaded.config.judge.model.as_deref()), (4, Some("${plain}")));
    assert!(home.set("judge.model", "${broken").is_err());
    assert!(validate(&home.paths).is_ok());
}

#[cfg(unix)]
#[test]
fn the_file_is_for_the_user_alone_and_a_link_stays_a_link() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let home = Home::empty();
    home.set("mode", "server").unwrap();
    assert_eq!((mode(&home.paths.config_file), mode(&home.paths.home)), (0o600, 0o700));

    let home = Home::new("");
    let real = home.folder.path().join("dotfiles.yaml");
    fs::write(&real, "mode: server\n").unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o644)).unwrap();
    fs::remove_file(&home.paths.config_file).unwrap();
    symlink(&real, &home.paths.config_file).unwrap();
    home.set("mode", "workbench").unwrap();
    assert!(fs::symlink_metadata(&home.paths.config_file).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(&real).unwrap(), "mode: workbench\n");
    assert_eq!(mode(&real), 0o600);
}

#[test]
fn a_named_file_in_a_missing_folder_is_not_made() {
    let folder = tempfile::tempdir().unwrap();
    let flags = Flags {
        data_dir: Some(folder.path().into()),
        config: Some(folder.path().join("none/c.yaml")),
        ..Flags::default()
    };
    let paths = Paths::resolve(&flags, &Environment::default()).unwrap();
    for error in [set(&paths, "mode", "server").unwrap_err(), init(&paths, false).unwrap_err()] {
        assert_eq!(error.code(), Code::File);
        assert!(error.to_string().contains("does not exist; create it first"), "{error}");
    }
}

#[test]
fn the_first_file_explains_every_key_and_changes_nothing() {
    let home = Home::empty();
    init(&home.paths, false).unwrap();
    let text = home.text();
    insta::assert_snapshot!(text);
    assert!(text.lines().all(|line| line.chars().count() <= 120));
    for row in TABLE {
        let leaf = row.pattern.rsplit('.').find(|leaf| *leaf != "*").unwrap();
        assert!(text.contains(&format!("{leaf}:")), "{}", row.pattern);
    }
    validate(&home.paths).unwrap();
    assert_eq!(home.load().config, Config::default());
}

#[test]
fn every_key_of_the_first_file_can_be_set_in_it() {
    let home = Home::empty();
    init(&home.paths, false).unwrap();
    home.set("generation.default_count", "5").unwrap();
    home.set("server.auth.issuer", "me").unwrap();
    home.set("phases.solutio.provider", "ollama").unwrap();
    home.set("providers.anthropic.model", "m").unwrap();
    home.set("ranking.weights.coverage", "0.5").unwrap();
    let loaded = home.load();
    assert_eq!(loaded.config.generation.default_count, 5);
    assert_eq!(loaded.config.phases.solutio.provider.as_deref(), Some("ollama"));
    assert_eq!(loaded.config.default_provider(), "anthropic");
    assert!(home.text().starts_with("# The configuration of aludel."));
}

#[test]
fn uncommenting_the_defaults_of_the_first_file_gives_the_defaults() {
    let mut is_list_open = false;
    let lines: Vec<String> = starter::starter()
        .lines()
        .map(|line| {
            let bare = line.trim_start();
            let indent = &line[..line.len() - bare.len()];
            if is_list_open {
                is_list_open = !bare.ends_with(']');
                return format!("{indent}{}", bare.strip_prefix("# ").unwrap());
            }
            match bare.strip_prefix("# ").and_then(|rest| rest.split_once(':').map(|(key, _)| (rest, key))) {
                Some((rest, key))
                    if indent.len() + key.len() > 0
                        && TABLE.iter().any(|row| row.pattern.rsplit('.').next() == Some(key)) =>
                {
                    is_list_open = rest.contains(": [") && !rest.ends_with(']');
                    format!("{indent}{rest}")
                }
                _ => line.to_owned(),
            }
        })
        .collect();
    let home = Home::new(&lines.join("\n"));
    let mut loaded = home.load();
    assert!(home.text().contains("\n  default_count: 3\n"));
    // Those of the phases are an example.
    let bound: Vec<_> = loaded.config.phases.iter().filter_map(|(_, phase)| phase.provider.clone()).collect();
    assert_eq!(bound, ["ollama", "openai", "anthropic"]);
    loaded.config.phases = Config::default().phases;
    assert_eq!(loaded.config, Config::default());
}

/// The first file with the examples of one provider, or all, uncommented, and the providers' names.
fn with_examples(wanted: Option<&str>) -> (String, Vec<String>) {
    let (mut lines, mut names, mut is_open) = (Vec::new(), Vec::new(), false);
    let mut section = "";
    let starter = starter::starter();
    for line in starter.lines() {
        if !line.starts_with([' ', '#']) {
            section = line;
        }
        if section != "providers:" {
            lines.push(line.to_owned());
            continue;
        }
        let example = line.strip_prefix("  # ").unwrap_or_default();
        let is_name = |name: &&str| name.bytes().all(|byte| byte.is_ascii_lowercase());
        let name = example.strip_suffix(':').filter(is_name).map(str::to_owned);
        is_open = match &name {
            Some(name) => wanted.is_none_or(|wanted| wanted == name),
            // A provider's lines are indented below it, up to a line of prose.
            None => is_open && example.starts_with("  "),
        };
        names.extend(name);
        lines.push(if is_open { format!("  {example}") } else { line.to_owned() });
    }
    (lines.join("\n"), names)
}

#[test]
fn every_example_of_a_provider_is_right_alone_and_all_are_right_together() {
    let (all, names) = with_examples(None);
    assert_eq!(names, ["anthropic", "openai", "google", "openrouter", "ollama", "local", "groq"]);
    let catalog = crate::assets::Assets::new(None).catalog().unwrap();
    let today = "2026-11-21".parse().unwrap();
    for name in &names {
        let (text, _) = with_examples(Some(name));
        let home = Home::new(&text);
        validate(&home.paths).unwrap();
        let keys = [("OPENAI_API_KEY", "canary-a"), ("GROQ_API_KEY", "canary-b")];
        let config = home.load_with(&keys).unwrap().config;
        assert_eq!(config.default_provider(), name);
        let provider = &config.providers[name.as_str()];
        let model = provider.model.as_deref().unwrap();
        if name != "local" && name != "groq" {
            let card = catalog.card(provider.kind, name, model);
            assert!(card.is_some_and(|card| card.is_served_on(today)), "{name}: {model}");
        }
    }
    let home = Home::new(&all);
    validate(&home.paths).unwrap();
    let config = home.load_with(&[("OPENAI_API_KEY", "canary-a"), ("GROQ_API_KEY", "canary-b")]).unwrap().config;
    assert_eq!(config.providers.keys().collect::<Vec<_>>(), names.iter().collect::<Vec<_>>());
    assert_eq!(config.providers["openrouter"].headers.len(), 1);
}

#[test]
fn an_existing_file_is_not_overwritten_unless_asked() {
    let home = Home::new("mode: server\n");
    let error = init(&home.paths, false).unwrap_err();
    assert_eq!(error.code(), Code::Conflict);
    assert_eq!(home.text(), "mode: server\n");
    init(&home.paths, true).unwrap();
    assert!(home.text().starts_with("# The configuration"));
}

#[test]
fn showing_lists_every_key_with_its_origin_and_no_secret() {
    let home = Home::new(
        "providers:\n  openai:\n    api_key: canary-a\n    headers: {X-A: canary-b}\nserver:\n  auth:\n    secret: canary-c\nranking:\n  weights: {coverage: 0.5}\n",
    );
    let loaded = home.load_with(&[("ALUDEL_LOG_LEVEL", "debug")]).unwrap();
    let settings = show(&loaded).unwrap();
    let shown = format!("{settings:?} {} {}", export(&loaded).unwrap(), get(&loaded, "providers").unwrap());
    assert!(!shown.contains("canary"), "{shown}");
    let of =
        |key: &str| settings.iter().find(|setting| setting.key == key).unwrap_or_else(|| panic!("{key} is missing"));
    assert_eq!(of("providers.openai.api_key").value, json!("<redacted>"));
    assert_eq!(of("providers.openai.headers.X-A").value, json!("<redacted>"));
    assert_eq!(of("ranking.weights.coverage").value, json!(0.5));
    assert_eq!(of("log.level").origin, Origin::Environment { name: "ALUDEL_LOG_LEVEL".into() });
    assert_eq!(of("server.auth.secret").origin, Origin::File { path: home.paths.config_file.clone(), line: 7 });
    assert_eq!((&of("mode").value, &of("mode").origin), (&json!("workbench"), &Origin::Default));
    assert_eq!(of("phases.solutio.provider").value, json!(null));
    for setting in &settings {
        assert!(keys::find(&setting.key).is_some(), "{}", setting.key);
    }
}

#[test]
fn getting_takes_keys_and_sections_and_names_what_is_unknown() {
    let home = Home::new("providers:\n  openai: {model: m}\n");
    let loaded = home.load();
    assert_eq!(get(&loaded, "generation.default_count").unwrap(), json!(3));
    assert_eq!(get(&loaded, "spend").unwrap(), json!({"daily_budget_usd": null, "preflight_usd": null}));
    assert_eq!(get(&loaded, "providers.openai.model").unwrap(), json!("m"));
    assert_eq!(get(&loaded, "providers.openai.headers.X-A").unwrap(), json!(null));
    assert!(get(&loaded, "genration").unwrap_err().to_string().contains("did you mean `generation`?"));
    assert!(get(&loaded, "providers.acme.model").unwrap_err().to_string().contains("there is no provider `acme`"));
}

#[test]
fn what_is_exported_loads_to_the_same_minus_secrets() {
    let home = Home::new(
        "providers:\n  zeta: {kind: sim, script: s.yaml}\n  openai: {api_key: canary, headers: {X-A: canary}, model: 'a $${b}'}\n\
         phases:\n  solutio: {provider: zeta, temperature: 1.5, fallback: [builtin]}\nserver:\n  port: 1\n  allowed_hosts: [a, 'b c']\n\
         storage: {database: d.db}\nranking: {weights: {clarity: 0.25}}\nspend: {daily_budget_usd: 1.5}\n",
    );
    let loaded = home.load_with(&[("ALUDEL_PROVIDERS__OLLAMA__MODEL", "m"), ("ALUDEL_MODE", "server")]).unwrap();
    let again = Home::new(&export(&loaded).unwrap()).load();
    let mut expected = loaded.config.clone();
    for provider in expected.providers.values_mut() {
        provider.api_key = None;
        for header in provider.headers.values_mut() {
            *header = config::REDACTED.into();
        }
    }
    let mut found = again.config.clone();
    found.providers["openai"].headers.clone_from(&expected.providers["openai"].headers);
    expected.first_of_file.clone_from(&found.first_of_file);
    expected.in_file = found.in_file;
    assert_eq!(found, expected);
    assert_eq!(again.config.default_provider(), loaded.config.default_provider());
}

#[test]
fn the_arguments_of_a_command_are_shown_nowhere_and_an_export_does_not_run_what_stands_for_them() {
    let home =
        Home::new("providers:\n  openai: {api_key_cmd: 'curl -H \"X-Vault-Token: canary\" https://vault/v1/x'}\n");
    let loaded = home.load();
    let exported = export(&loaded).unwrap();
    let shown = format!(
        "{exported} {:?} {:?} {} {}",
        show(&loaded).unwrap(),
        loaded.config,
        get(&loaded, "providers.openai.api_key_cmd").unwrap(),
        get(&loaded, "").unwrap()
    );
    assert!(shown.contains("curl <redacted>") && !shown.contains("canary"), "{shown}");
    let again = Home::new(&exported).load();
    assert_eq!(again.config.providers["openai"].api_key_cmd, None);
    let refused = home.set("providers.openai.api_key_cmd", "curl <redacted>").unwrap_err();
    assert!(refused.to_string().contains("placeholder for a hidden secret"), "{refused}");
}

#[test]
fn an_export_does_not_bind_what_was_not_bound() {
    let loaded = Home::empty().load_with(&[("ALUDEL_PROVIDERS__OPENAI__API_KEY", "canary")]).unwrap();
    let again = Home::new(&export(&loaded).unwrap()).load();
    for phase in crate::domain::Phase::ALL {
        assert_eq!(again.config.provider_of(phase), "builtin");
    }
}

#[test]
fn validating_looks_at_the_file_alone() {
    assert!(validate(&Home::empty().paths).is_ok());
    assert!(validate(&Home::new("providers:\n  openai: {api_key: '${NOT_SET_HERE}'}\nserver:\n  auth: {enabled: true, secret: '${NOT_SET}'}\n").paths).is_ok());
    let error = validate(&Home::new("mode: x\nlog: {level: '${A'}\n").paths).unwrap_err();
    assert_eq!(error.code(), Code::ConfigInvalid);
    assert_eq!(error.to_string().lines().count(), 2);
}

/// A raw text the kind accepts, as `config set` would get it.
fn raw_for(kind: config::Kind) -> BoxedStrategy<String> {
    use config::Kind;
    match kind {
        Kind::Text | Kind::Secret | Kind::Command | Kind::Path | Kind::Database => "[ -~é☃]{1,24}".boxed(),
        Kind::Choice(words) => proptest::sample::select(words).prop_map(str::to_owned).boxed(),
        Kind::Flag => proptest::sample::select(vec!["true", "off", "yes", "0"]).prop_map(str::to_owned).boxed(),
        Kind::Whole(min, max) => (min..=max).prop_map(|whole| whole.to_string()).boxed(),
        Kind::Number(min, max) => (min..=max.min(1e9)).prop_map(|number| number.to_string()).boxed(),
        Kind::Url => "https?://[a-z]{1,8}(:[1-9][0-9]{0,3})?(/[a-z]{0,5}){0,2}".boxed(),
        Kind::List => proptest::collection::vec("[ -+--~]{1,8}", 0..4).prop_map(|items| items.join(",")).boxed(),
        Kind::LogLevel => "(info|debug)(,[a-z]{1,6}=trace)?".boxed(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn what_was_set_is_what_is_read((row, raw) in (0..TABLE.len()).prop_flat_map(|row| (Just(row), raw_for(TABLE[row].kind)))) {
        let row = &TABLE[row];
        let key = row.pattern.replace("providers.*", "providers.openai").replace("<phase>", "solutio").replace('*', "X-A");
        let home = Home::new("# kept\nmode: server # kept too\nserver:\n  # and this\n  cors:\n    enabled: false\n");
        let before = home.text();
        match home.set(&key, &raw) {
            Ok(()) => {
                let given = match config::expand::expand(&raw, VariableLookup::Unknown).unwrap() {
                    config::expand::Expanded::Plain(plain) => row.kind.parse(&plain).unwrap(),
                    _ => return Ok(()),
                };
                let mut config = home.load().config;
                let found = match (row.kind, row.pattern) {
                    (config::Kind::Command, _) => config.providers["openai"].api_key_cmd.as_ref().unwrap().expose().into(),
                    (config::Kind::Secret, "server.auth.secret") => config.server.auth.secret.unwrap().expose().into(),
                    (config::Kind::Secret, pattern) => {
                        let provider = config.providers.swap_remove("openai").unwrap();
                        if pattern.ends_with("api_key") { provider.api_key.unwrap().expose().into() } else { provider.headers["X-A"].expose().into() }
                    }
                    _ => get(&home.load(), &key).unwrap(),
                };
                match row.kind {
                    config::Kind::Path | config::Kind::Database => {
                        let resolved = home.paths.absolute_of(given.as_str().unwrap(), Some(&home.paths.home));
                        prop_assert_eq!(found, json!(resolved));
                    }
                    _ => prop_assert_eq!(found, given),
                }
                let text = home.text();
                prop_assert!(text.starts_with("# kept\n") && text.contains("# kept too") && text.contains("# and this"), "{}", text);
            }
            Err(error) => {
                prop_assert_eq!(error.code(), Code::ConfigInvalid);
                prop_assert_eq!(home.text(), before);
            }
        }
    }

    #[test]
    fn no_text_makes_a_change_panic_or_break_the_file(text in "[a-c:{}\\[\\]\\-#&*!|>'\"%@ \nmode]{0,40}") {
        let home = Home::new(&text);
        if home.set("mode", "server").is_ok() {
            prop_assert!(validate(&home.paths).is_ok());
            prop_assert_eq!(home.load().config.mode, config::Mode::Server);
        } else {
            prop_assert_eq!(home.text(), text);
        }
    }
}
