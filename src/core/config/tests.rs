//! Tests of loading: precedence, origins, faults.

use std::path::PathBuf;

use super::*;
use crate::domain::{Phase, ProviderKind};
use crate::error::Code;

/// A data folder with this configuration file.
struct Home {
    folder: tempfile::TempDir,
}

impl Home {
    fn new(text: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("config.yaml"), text).unwrap();
        Self { folder }
    }

    fn empty() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("config.yaml")
    }

    fn flags(&self) -> Flags {
        Flags { data_dir: Some(self.folder.path().into()), ..Flags::default() }
    }

    fn load(&self, environment: &[(&str, &str)]) -> Result<Loaded, Error> {
        load(&self.flags(), &Environment::from_pairs(environment.iter().copied()))
    }

    fn faults(&self, environment: &[(&str, &str)]) -> Vec<String> {
        match self.load(environment) {
            Err(Error::Config(error)) => {
                let folder = format!("{}/", self.folder.path().display());
                error.faults.iter().map(|fault| fault.to_string().replace(&folder, "")).collect()
            }
            other => panic!("expected faults, got {other:?}"),
        }
    }
}

#[test]
fn nothing_at_all_is_the_default() {
    let loaded = Home::empty().load(&[]).unwrap();
    assert_eq!(loaded.config, Config::default());
    assert_eq!(loaded.origins.of("generation.default_count"), Origin::Default);
    assert_eq!(loaded.origins.file(), None);
}

#[test]
fn each_source_wins_over_the_ones_below_it() {
    let home = Home::new("# mine\ngeneration:\n  default_count: 4\n");
    let count = |environment: &[(&str, &str)], flags: Flags| {
        let environment = Environment::from_pairs(environment.iter().copied());
        let loaded = load(&flags, &environment).unwrap();
        (loaded.config.generation.default_count, loaded.origins.of("generation.default_count"))
    };
    let variable = ("ALUDEL_GENERATION__DEFAULT_COUNT", "5");
    assert_eq!(count(&[], Home::empty().flags()), (3, Origin::Default));
    assert_eq!(count(&[], home.flags()), (4, Origin::File { path: home.file(), line: 3 }));
    assert_eq!(count(&[variable], home.flags()), (5, Origin::Environment { name: variable.0.into() }));
    assert_eq!(
        count(&[variable], home.flags().with_flag("--count", "generation.default_count", "6")),
        (6, Origin::Flag { name: "--count".into() })
    );
}

#[test]
fn short_variables_lose_to_long_ones_and_both_to_flags() {
    let home = Home::new("log:\n  level: error\n");
    let level = |environment: &[(&str, &str)]| home.load(environment).unwrap().config.log.level;
    assert_eq!(level(&[]), "error");
    assert_eq!(level(&[("ALUDEL_LOG_LEVEL", "info")]), "info");
    assert_eq!(level(&[("ALUDEL_LOG_LEVEL", "info"), ("ALUDEL_LOG__LEVEL", "debug")]), "debug");
    let flags = home.flags().with("log.level", "trace").with("learning.enabled", "true");
    let loaded = load(&flags, &Environment::from_pairs([("ALUDEL_LOG_LEVEL", "info")])).unwrap();
    assert_eq!(loaded.config.log.level, "trace");
    assert_eq!(loaded.origins.of("log.level"), Origin::Flag { name: "--log-level".into() });
    assert!(loaded.config.learning.enabled);
    let loaded = home.load(&[("ALUDEL_MODE", "server"), ("ALUDEL_LEARNING_ENABLED", "1")]).unwrap();
    assert_eq!((loaded.config.mode, loaded.config.learning.enabled), (Mode::Server, true));
}

#[test]
fn every_fault_is_listed_with_its_line_and_a_suggestion() {
    let home = Home::new(
        "generation:\n  default_count: many\n  default_temprature: 1\n  default_temperature: 3\nservr: {}\n\
         server:\n  port: 99999\n  port: 1\nphases:\n  solutio:\n    provider: acme\n",
    );
    let variable = ("ALUDEL_CACHE__TTL", "soon");
    assert_eq!(
        home.faults(&[variable, ("ALUDEL_FOO__BAR", "1")]),
        [
            r#"config.yaml:2: generation.default_count: expected a whole number from 1 to 100, got "many""#,
            "config.yaml:3: generation.default_temprature: is not a known key; did you mean `generation.default_temperature`?",
            "config.yaml:4: generation.default_temperature: expected a number from 0 to 2, got 3",
            "config.yaml:5: servr: is not a known key; did you mean `server`?",
            "config.yaml:7: server.port: expected a whole number from 0 to 65535, got 99999",
            "config.yaml:8: server.port: is given twice; keep one of the two",
            "config.yaml:11: phases.solutio.provider: `acme` is not a provider; add `providers.acme`, or name one of openai, anthropic, google, openrouter, ollama, builtin, sim",
            r#"environment variable ALUDEL_CACHE__TTL: cache.ttl: expected a whole number from 1 to 31536000, got "soon""#,
            "environment variable ALUDEL_FOO__BAR: sets no known key; `aludel config show` lists them all",
        ]
    );
}

#[test]
fn a_fault_has_the_code_of_the_contract() {
    let error = Home::new("mode: sideways\n").load(&[]).unwrap_err();
    assert_eq!(error.code(), Code::ConfigInvalid);
    assert_eq!(error.code().row().exit, 3);
}

#[test]
fn broken_yaml_has_line_and_column() {
    let faults = Home::new("generation:\n  default_count: [1, 2\nserver: {}\n").faults(&[]);
    assert_eq!(faults.len(), 1);
    assert!(faults[0].starts_with("config.yaml:3:") && faults[0].contains("not valid YAML"), "{faults:?}");
}

#[test]
fn a_file_that_is_no_section_or_no_utf8_is_refused() {
    assert!(Home::new("- a\n- b\n").faults(&[])[0].starts_with("config.yaml:1: expected sections"));
    let home = Home::empty();
    std::fs::write(home.file(), b"mode: server\nlog:\n  file: \xff\n").unwrap();
    assert_eq!(home.faults(&[]), ["config.yaml:3: not valid UTF-8; save the file as UTF-8"]);
}

#[test]
fn a_section_without_keys_and_a_key_without_value_count_as_not_given() {
    let loaded = Home::new("generation:\nserver:\n  port:\n  auth: ~\n").load(&[]).unwrap();
    assert_eq!(loaded.config, Config::default());
}

#[test]
fn a_value_where_a_section_belongs_is_refused() {
    let faults = Home::new("spend: 5\ngeneration:\n  default_count: {a: 1}\n").faults(&[]);
    assert_eq!(
        faults,
        [
            "config.yaml:1: spend: expected a section with keys below it (daily_budget_usd, preflight_usd)",
            "config.yaml:3: generation.default_count: expected a whole number from 1 to 100, got a section",
        ]
    );
}

#[test]
fn providers_keep_the_order_of_the_file_and_the_first_is_the_default() {
    let home = Home::new(
        "providers:\n  zeta: {kind: openai, base_url: 'http://127.0.0.1:1/v1'}\n  anthropic:\n  alpha: {kind: sim}\n",
    );
    let loaded = home.load(&[("ALUDEL_PROVIDERS__OLLAMA__MODEL", "m")]).unwrap();
    let names: Vec<&String> = loaded.config.providers.keys().collect();
    assert_eq!(names, ["zeta", "anthropic", "alpha", "ollama"]);
    assert_eq!(loaded.config.default_provider(), "zeta");
    assert_eq!(loaded.config.providers["anthropic"], ProviderConfig::of_kind(ProviderKind::Anthropic));
    assert_eq!(loaded.config.providers["zeta"].kind, ProviderKind::OpenAi);
}

#[test]
fn a_provider_of_the_environment_alone_binds_nothing() {
    let loaded = Home::empty().load(&[("ALUDEL_PROVIDERS__OPENAI__API_KEY", "sk-canary")]).unwrap();
    assert_eq!(loaded.config.default_provider(), "builtin");
    assert_eq!(loaded.config.provider_of(Phase::Solutio), "builtin");
    let key = loaded.config.providers["openai"].api_key.as_ref().unwrap();
    assert_eq!(key.expose(), "sk-canary");
}

#[test]
fn a_variable_reaches_a_provider_however_the_file_spells_it() {
    let home = Home::new("providers:\n  My-Server: {kind: openai, headers: {X-Team: a}}\n");
    let loaded = home
        .load(&[("ALUDEL_PROVIDERS__MY_SERVER__MODEL", "m"), ("ALUDEL_PROVIDERS__MY_SERVER__HEADERS__X_TEAM", "b")])
        .unwrap();
    assert_eq!(loaded.config.providers.len(), 1);
    let provider = &loaded.config.providers["My-Server"];
    assert_eq!(provider.model.as_deref(), Some("m"));
    assert_eq!(provider.headers.len(), 1);
    assert_eq!(provider.headers["X-Team"].expose(), "b");
}

#[test]
fn keys_fall_back_to_the_environment() {
    let environment =
        Environment::from_pairs([("OPENAI_API_KEY", "a"), ("GEMINI_API_KEY", "b"), ("MY_LLM_API_KEY", "c")]);
    let key = |name: &str, kind| {
        let provider = ProviderConfig::of_kind(kind);
        provider.key(name, &environment).map(|key| key.expose().to_owned())
    };
    assert_eq!(key("openai", ProviderKind::OpenAi).as_deref(), Some("a"));
    assert_eq!(key("google", ProviderKind::Google).as_deref(), Some("b"));
    assert_eq!(key("my-llm", ProviderKind::OpenAi).as_deref(), Some("c"));
    assert_eq!(key("anthropic", ProviderKind::Anthropic), None);
    let mut provider = ProviderConfig::of_kind(ProviderKind::OpenAi);
    provider.api_key = Some("own".into());
    assert_eq!(provider.key("openai", &environment).unwrap().expose(), "own");
    provider = ProviderConfig::of_kind(ProviderKind::OpenAi);
    provider.api_key_cmd = Some("pass show openai".into());
    assert_eq!(provider.key("openai", &environment), None);
}

#[test]
fn a_command_for_a_key_is_not_given_the_secrets_of_others() {
    let home = Home::new(
        "providers:\n  lab: {kind: openai, api_key_cmd: pass show lab}\n  acme:\n    kind: openai\n    api_key: '${ACME_SECRET}'\n    \
         headers: {Authorization: 'Bearer ${GATEWAY}', X-Team: '${TEAM}'}\n",
    );
    let environment = [
        ("PATH", "/bin"),
        ("HOME", "/nowhere/me"),
        ("VAULT_TOKEN", "needed-by-the-command"),
        ("TEAM", "blue"),
        ("LAB_API_KEY", "own-key"),
        ("OPENAI_API_KEY", "k1"),
        ("mistral_api_key", "k2"),
        ("GEMINI_API_KEY", "k3"),
        ("ACME_SECRET", "acme-secret"),
        ("GATEWAY", "gateway-token"),
        ("ALUDEL_SERVER__AUTH__SECRET", "0123456789abcdef0123456789abcdef"),
        ("ALUDEL_PROVIDERS__ACME__HEADERS__X_TOKEN", "t"),
        ("ALUDEL_LOG_LEVEL", "info"),
    ];
    let loaded = home.load(&environment).unwrap();
    let withheld = loaded.environment.secrets_of_others(&loaded.config, "lab", ProviderKind::OpenAi);
    assert_eq!(
        withheld.iter().map(String::as_str).collect::<Vec<_>>(),
        [
            "ACME_SECRET",
            "ALUDEL_PROVIDERS__ACME__HEADERS__X_TOKEN",
            "ALUDEL_SERVER__AUTH__SECRET",
            "GATEWAY",
            "GEMINI_API_KEY",
            "OPENAI_API_KEY",
            "mistral_api_key"
        ]
    );
    let of_google = loaded.environment.secrets_of_others(&loaded.config, "google", ProviderKind::Google);
    assert!(!of_google.contains("GEMINI_API_KEY") && of_google.contains("LAB_API_KEY"), "{of_google:?}");
}

#[test]
fn references_are_filled_in_and_read_as_the_type_of_their_key() {
    let home = Home::new(
        "providers:\n  openai:\n    api_key: ${MY_KEY}\n    model: ${MODEL:-small}\ngeneration:\n  default_count: ${COUNT}\n\
         server:\n  allowed_hosts: ['${HOST_A}', b]\n",
    );
    let loaded = home.load(&[("MY_KEY", "sk-canary"), ("COUNT", "7"), ("HOST_A", "a")]).unwrap();
    assert_eq!(loaded.config.providers["openai"].api_key.as_ref().unwrap().expose(), "sk-canary");
    assert_eq!(loaded.config.providers["openai"].model.as_deref(), Some("small"));
    assert_eq!(loaded.config.generation.default_count, 7);
    assert_eq!(loaded.config.server.allowed_hosts, ["a", "b"]);
    assert_eq!(
        home.faults(&[("COUNT", "sk-canary"), ("HOST_A", "a")]),
        [
            "config.yaml:3: providers.openai.api_key: the environment variable `MY_KEY` is not set; set it, or give a default with ${MY_KEY:-…}",
            r#"config.yaml:6: generation.default_count: expected a whole number from 1 to 100, which "${COUNT}" is not"#,
        ]
    );
}

#[test]
fn secrets_never_show_in_debug_serialisation_errors_or_origins() {
    let text = "providers:\n  openai:\n    api_key: ${KEY}\n    headers: {X-Pass: canary-two}\nserver:\n  auth: {secret: canary-three}\n";
    let home = Home::new(text);
    let loaded = home.load(&[("KEY", "canary-one")]).unwrap();
    let shown = format!("{loaded:?} {}", serde_json::to_string(&loaded.config).unwrap());
    assert!(!shown.contains("canary"), "{shown}");
    let broken = Home::new(&format!(
        "{text}  port: x\n  auth: {{enabled: true, secret: canary-four}}\n  max_connections: ${{KEY}}\n"
    ));
    let faults = broken.faults(&[("KEY", "canary-one")]);
    assert!(!faults.is_empty() && !faults.join(" ").contains("canary"), "{faults:?}");
}

#[test]
fn bindings_must_name_a_provider() {
    let home = Home::new(
        "providers:\n  acme: {kind: openai}\nphases:\n  prima-materia: {provider: acme}\n  solutio:\n    provider: openai\n    fallback: [acme/a/b, builtin, acne, ollama/]\n\
         judge:\n  provider: antropic\n",
    );
    assert_eq!(
        home.faults(&[]),
        [
            "config.yaml:7: phases.solutio.fallback: `ollama/` names no model; remove the slash, or add the model",
            "config.yaml:7: phases.solutio.fallback: `acne` is not a provider; did you mean `acme`?",
            "config.yaml:9: judge.provider: `antropic` is not a provider; did you mean `anthropic`?",
        ]
    );
}

#[test]
fn fallbacks_are_taken_apart_at_the_first_slash() {
    let home = Home::new("phases:\n  solutio:\n    fallback: [openrouter/meta/llama, builtin]\n");
    let loaded = home.load(&[]).unwrap();
    let solutio = loaded.config.phases.get(Phase::Solutio);
    assert_eq!(solutio.fallbacks().collect::<Vec<_>>(), [("openrouter", Some("meta/llama")), ("builtin", None)]);
}

#[test]
fn a_name_that_is_no_kind_needs_one_and_a_key_has_one_source() {
    let home = Home::new("providers:\n  acme: {}\n  openai: {api_key: a, api_key_cmd: b}\n");
    assert_eq!(
        home.faults(&[]),
        [
            "config.yaml:2: providers.acme: `acme` is not a kind of provider, so it needs a `kind` (openai, anthropic, google, openrouter, ollama, builtin, sim)",
            "config.yaml:3: providers.openai.api_key_cmd: is set together with `api_key`; keep one of the two",
        ]
    );
}

#[test]
fn enabled_tokens_need_a_long_secret() {
    let missing = Home::new("server:\n  auth:\n    enabled: true\n").faults(&[]);
    assert!(missing[0].contains("server.auth.secret: is needed"), "{missing:?}");
    let short = Home::new("server:\n  auth:\n    enabled: true\n    secret: tiny\n").faults(&[]);
    assert_eq!(short, ["config.yaml:4: server.auth.secret: expected 32 bytes or more, got 4"]);
    let secret = "s".repeat(32);
    assert!(Home::new(&format!("server:\n  auth:\n    enabled: true\n    secret: {secret}\n")).load(&[]).is_ok());
    assert!(Home::new("server:\n  auth:\n    secret: tiny\n").load(&[]).is_ok());
}

#[test]
fn postgres_is_refused_until_it_is_there() {
    let faults = Home::new("storage:\n  database: postgres://me:canary@host/db\n").faults(&[]);
    assert!(faults[0].starts_with("config.yaml:2: storage.database: PostgreSQL is not supported yet"), "{faults:?}");
    assert!(!faults[0].contains("canary"));
}

#[test]
fn paths_start_at_the_folder_of_the_file() {
    let home = Home::new("storage:\n  database: data/a.db\njudge:\n  criteria: ~/c.yaml\n");
    let loaded = home.load(&[("HOME", "/nowhere/me")]).unwrap();
    assert_eq!(loaded.paths.database, home.folder.path().join("data/a.db"));
    assert_eq!(loaded.config.judge.criteria.as_deref(), Some(Path::new("/nowhere/me/c.yaml")));
}

#[test]
fn a_named_file_must_exist_and_a_folder_is_no_file() {
    let home = Home::empty();
    let flags = Flags { config: Some(home.folder.path().join("none.yaml")), ..home.flags() };
    let error = load(&flags, &Environment::default()).unwrap_err();
    assert_eq!(error.code(), Code::File);
    assert!(error.to_string().contains("config init"), "{error}");
    std::fs::create_dir(home.file()).unwrap();
    let error = home.load(&[]).unwrap_err();
    assert_eq!(error.code(), Code::File);
    assert!(error.to_string().contains("it is a folder"), "{error}");
}

#[test]
fn a_base_url_that_is_none_is_a_fault_of_its_line() {
    let home = Home::new("providers:\n  lab:\n    kind: openai\n    base_url: 'http://[::1'\n");
    assert_eq!(
        home.faults(&[]),
        [
            "config.yaml:4: providers.lab.base_url: expected a URL that begins with http:// or https://; this one has an \
             invalid IPv6 address"
        ]
    );
    let variable = [("ALUDEL_PROVIDERS__OPENAI__BASE_URL", "http://[::1")];
    assert!(Home::empty().faults(&variable)[0].contains("ALUDEL_PROVIDERS__OPENAI__BASE_URL"));
}

#[test]
fn a_key_over_plain_http_beyond_this_machine_asks_for_allow_http() {
    let keys = ["api_key: canary-key", "api_key_cmd: pass x", "headers: {X-Auth-Token: canary-key}"];
    let places = ["http://gpu-box:8000/v1", "http://10.0.0.2", "http://[fe80::1]/v1", "http://localhost.example.com"];
    for key in keys {
        for place in places {
            let text = |more: &str| {
                format!("providers:\n  lab:\n    kind: openai\n    base_url: {place:?}\n    {key}\n{more}")
            };
            let faults = Home::new(&text("")).faults(&[]);
            assert_eq!(faults.len(), 1, "{faults:?}");
            assert!(faults[0].starts_with("config.yaml:4: providers.lab.base_url: "), "{faults:?}");
            assert!(
                faults[0].contains("`providers.lab.allow_http: true`") && !faults[0].contains("canary"),
                "{faults:?}"
            );
            assert!(Home::new(&text("    allow_http: true\n")).load(&[]).is_ok(), "{key} {place}");
            assert_eq!(Home::new(&text("    allow_http: false\n")).faults(&[]).len(), 1, "{key} {place}");
        }
        for place in
            ["https://gpu-box/v1", "http://127.0.0.1:8000/v1", "http://localhost.", "http://127.1", "http://[::1]"]
        {
            let text = format!("providers:\n  lab:\n    kind: openai\n    base_url: {place:?}\n    {key}\n");
            assert!(Home::new(&text).load(&[]).is_ok(), "{key} {place}");
        }
    }
    let keyless = "providers:\n  lab: {kind: openai, base_url: 'http://gpu-box', headers: {X-Title: mine}}\n";
    assert!(Home::new(keyless).load(&[]).is_ok());
    let of_the_environment = [("ALUDEL_PROVIDERS__LAB__API_KEY", "canary-key")];
    assert_eq!(Home::new(keyless).faults(&of_the_environment).len(), 1, "wherever the key comes from");
}

#[test]
fn a_redacted_secret_counts_as_not_given() {
    let loaded = Home::new("providers:\n  openai:\n    api_key: <redacted>\n").load(&[]).unwrap();
    assert_eq!(loaded.config.providers["openai"].api_key, None);
}

#[test]
fn an_unknown_key_of_a_flag_is_a_fault_of_the_flag() {
    let home = Home::empty();
    let error = load(&home.flags().with("log.lvl", "info"), &Environment::default()).unwrap_err();
    assert_eq!(error.to_string(), "--log-lvl: log.lvl: sets no known key; did you mean `log.level`?");
}

#[test]
fn origins_of_sections_and_of_headers_are_known() {
    let home = Home::new("providers:\n  acme:\n    kind: openai\n    headers:\n      X.Y: a\n");
    let origins = home.load(&[]).unwrap().origins;
    let at = |line| Origin::File { path: home.file(), line };
    assert_eq!(origins.of("providers.acme.headers.X.Y"), at(5));
    assert_eq!(origins.of("providers.acme"), at(2));
    assert_eq!(origins.of("providers.acme.model"), Origin::Default);
}

/// Three distinct raw texts that the kind accepts. They are provider names, as some keys need one.
fn samples(kind: Kind) -> [String; 3] {
    let texts = |texts: [&str; 3]| texts.map(str::to_owned);
    match kind {
        Kind::Text | Kind::Command | Kind::List => texts(["openai", "google", "ollama"]),
        Kind::Path | Kind::Database => texts(["/nowhere/a", "/nowhere/b", "/nowhere/c"]),
        Kind::Url => texts(["http://a", "http://b", "http://c"]),
        Kind::Secret => ["a", "b", "c"].map(|letter| letter.repeat(40)),
        Kind::Choice(words) => [0, 1, 2].map(|word| words[word % words.len()].to_owned()),
        Kind::Flag => texts(["true", "false", "true"]),
        Kind::Whole(min, _) => [1, 2, 3].map(|step| (min + step).to_string()),
        Kind::Number(min, _) => [0.25, 0.5, 0.75].map(|step| (min + step).to_string()),
        Kind::LogLevel => texts(["error", "debug", "trace"]),
    }
}

/// The value of a key, with secrets exposed.
fn value(loaded: &Loaded, key: &str) -> serde_json::Value {
    match key {
        "server.auth.secret" => loaded.config.server.auth.secret.as_ref().map(Secret::expose).into(),
        "providers.openai.api_key" => loaded.config.providers["openai"].api_key.as_ref().map(Secret::expose).into(),
        "providers.openai.api_key_cmd" => {
            loaded.config.providers["openai"].api_key_cmd.as_ref().map(CommandLine::expose).into()
        }
        "providers.openai.headers.x-a" => loaded.config.providers["openai"].headers["x-a"].expose().into(),
        key => edit::get(loaded, key).unwrap(),
    }
}

#[test]
fn every_key_can_be_set_at_every_level_and_each_wins_over_the_ones_below() {
    for row in TABLE.iter().filter(|row| row.pattern != "ranking.weights.*") {
        let key =
            row.pattern.replace("providers.*", "providers.openai").replace("<phase>", "solutio").replace('*', "x-a");
        let raw = samples(row.kind);
        let expected = raw.each_ref().map(|raw| row.kind.parse(raw).unwrap());
        // Enabling tokens requires a secret.
        let home = Home::new(&format!("server:\n  auth:\n    secret: {}\n", "s".repeat(40)));
        let paths = Paths::resolve(&home.flags(), &Environment::default()).unwrap();
        edit::set(&paths, &key, &raw[0]).unwrap_or_else(|error| panic!("{key}: {error}"));
        let variable = keys::variable_of(&key);
        let environment = Environment::from_pairs([(variable.as_str(), raw[1].as_str())]);
        let flags = home.flags().with_flag("--it", &key, &raw[2]);

        let by_file = load(&home.flags(), &Environment::default()).unwrap();
        assert_eq!(value(&by_file, &key), expected[0], "{key}");
        assert!(matches!(by_file.origins.of(&key), Origin::File { line, .. } if line > 0), "{key}");
        let by_variable = load(&home.flags(), &environment).unwrap();
        assert_eq!(value(&by_variable, &key), expected[1], "{key}");
        assert_eq!(by_variable.origins.of(&key), Origin::Environment { name: variable }, "{key}");
        let by_flag = load(&flags, &environment).unwrap();
        assert_eq!(value(&by_flag, &key), expected[2], "{key}");
        assert_eq!(by_flag.origins.of(&key), Origin::Flag { name: "--it".into() }, "{key}");
    }
}

#[test]
fn a_header_that_carries_no_credential_is_not_masked_everywhere() {
    let text =
        "providers:\n  openai:\n    headers: {X-Title: 'ordinary words', X-Api-Token: 'canary of the header test'}\n";
    let loaded = Home::new(text).load(&[]).unwrap();
    assert_eq!(redact::mask("ordinary words"), "ordinary words");
    assert_eq!(redact::mask("canary of the header test"), "***");
    let plain = [("X-Title".to_owned(), "ordinary words".to_owned())];
    assert_eq!(loaded.config.providers["openai"].plain_headers(), plain);
}
