//! The catalogue as its callers use it, including the built-in one.

use jiff::civil::{Date, date};
use proptest::prelude::*;

use super::*;

const SHIPPED: &str = include_str!("../../../../assets/models.yaml");

fn shipped() -> Catalog {
    Catalog::parse(SHIPPED).unwrap()
}

fn of_user(text: &str) -> Catalog {
    shipped().with_user_rows(text).unwrap()
}

fn faults(text: &str) -> Vec<(usize, String, String)> {
    let faults = Catalog::default().with_user_rows(text).unwrap_err();
    faults.0.into_iter().map(|fault| (fault.line, fault.key, fault.message)).collect()
}

fn card<'a>(catalog: &'a Catalog, kind: ProviderKind, model: &str) -> Option<&'a ModelCard> {
    catalog.card(kind, kind.as_str(), model)
}

#[test]
fn what_is_compiled_in_is_what_the_file_says() {
    assert_eq!(format!("{:#?}", Catalog::builtin().unwrap()), format!("{:#?}", shipped()));
}

/// The day of the table's last release, and how long its defaults must be served from then on.
const RELEASE: Date = date(2026, 11, 21);
const DAYS: i64 = 60;

#[test]
fn every_default_is_a_row_that_is_served_for_two_months_after_the_release() {
    let catalog = shipped();
    let later = RELEASE.checked_add(jiff::Span::new().days(DAYS)).unwrap();
    let kinds = [
        (ProviderKind::OpenAi, true),
        (ProviderKind::Anthropic, false),
        (ProviderKind::Google, true),
        (ProviderKind::OpenRouter, false),
        (ProviderKind::Ollama, true),
    ];
    for (kind, embeds) in kinds {
        let chat = card(&catalog, kind, catalog.default_model(kind).unwrap()).unwrap();
        assert!(chat.is_served_on(later) && !chat.embeds(), "{kind}");
        assert_eq!(catalog.default_embedding_model(kind).is_some(), embeds, "{kind}");
        if let Some(model) = catalog.default_embedding_model(kind) {
            let card = card(&catalog, kind, model).unwrap();
            assert!(card.is_served_on(later) && card.embeds() && card.context.is_some(), "{kind}");
        }
    }
    assert_eq!(catalog.default_model(ProviderKind::Builtin), None);
    assert_eq!(catalog.default_model(ProviderKind::Sim), None);
}

#[test]
fn every_row_of_a_vendor_that_bills_by_the_token_has_limits_and_a_price() {
    let catalog = shipped();
    for kind in [ProviderKind::OpenAi, ProviderKind::Anthropic, ProviderKind::Google] {
        for (name, card) in &catalog.groups[kind.as_str()].models {
            let price = card.price.unwrap_or_else(|| panic!("{name} has no price"));
            assert!(
                price.input > 0.0 && price.cached_input <= price.input && price.cache_write >= price.input,
                "{name}"
            );
            assert!(card.context.is_some() && card.max_output.is_some() != card.embeds(), "{name}");
            assert!(card.embeds() || card.temperature != Sampling::Unknown, "{name}");
            if let Some((tokens, tier)) = price.above {
                assert!(
                    Some(tokens) < card.context && tier.input > price.input && tier.output > price.output,
                    "{name}"
                );
            }
        }
    }
}

#[test]
fn what_the_vendors_say_of_their_models_is_in_the_table() {
    let catalog = shipped();
    let luna = card(&catalog, ProviderKind::OpenAi, "gpt-6-luna").unwrap();
    assert_eq!((luna.temperature, luna.reasoning_headroom), (Sampling::Fixed, DEFAULT_HEADROOM));
    let (tokens, tier) = luna.price.unwrap().above.unwrap();
    assert_eq!((tokens, tier.output), (272_000, 0.75));
    assert!((tier.cached_input - 0.02).abs() < 1e-12 && (tier.cache_write - 0.25).abs() < 1e-12);
    let sonnet = card(&catalog, ProviderKind::Anthropic, "claude-sonnet-4-6").unwrap();
    assert_eq!((sonnet.temperature, sonnet.reasoning_headroom), (Sampling::UpTo(1.0), 0));
    let gone = card(&catalog, ProviderKind::OpenAi, "gpt-4").unwrap();
    assert!(!gone.is_served_on(RELEASE));
    assert!(gone.is_served_on(date(2026, 10, 22)) && !gone.is_served_on(date(2026, 10, 23)));
    let small = card(&catalog, ProviderKind::OpenAi, "text-embedding-3-small").unwrap();
    assert_eq!((small.dimensions, small.context), (Some(1536), Some(8191)));
}

#[test]
fn a_row_holds_for_its_name_and_for_dated_snapshots_and_for_nothing_else() {
    let catalog = shipped();
    let found = |kind, model: &str| card(&catalog, kind, model).is_some();
    for (kind, model) in [
        (ProviderKind::OpenAi, "gpt-6-luna"),
        (ProviderKind::OpenAi, "gpt-6-luna-2026-08-01"),
        (ProviderKind::Anthropic, "claude-haiku-4-5-20251001"),
        (ProviderKind::Google, "models/gemini-3.8-flash"),
        (ProviderKind::Google, "models/gemini-embedding-2"),
        (ProviderKind::OpenRouter, "google/gemini-3.8-flash:nitro"),
        (ProviderKind::OpenRouter, "openai/gpt-6-luna-20260922:floor"),
        (ProviderKind::Ollama, "qwen3:8b"),
        (ProviderKind::Ollama, "nomic-embed-text:latest"),
    ] {
        assert!(found(kind, model), "{kind} {model}");
    }
    for (kind, model) in [
        (ProviderKind::OpenAi, "gpt-6-luna-pro"),
        (ProviderKind::OpenAi, "gpt-6-luna-"),
        (ProviderKind::OpenAi, "gpt-6"),
        (ProviderKind::OpenAi, "GPT-6-luna"),
        (ProviderKind::OpenAi, "gpt-6-luna-2026-13-01"),
        (ProviderKind::OpenAi, "gpt-6-luna-2026-02-30"),
        (ProviderKind::OpenAi, "gpt-6-luna-2026-08"),
        (ProviderKind::OpenAi, "gpt-6-luna-10260801"),
        (ProviderKind::OpenAi, "gpt-6-luna-0801"),
        (ProviderKind::OpenAi, "gpt-6-luna2026-08-01"),
        (ProviderKind::OpenAi, "gpt-6-luna-2026-08-01-20260801"),
        (ProviderKind::OpenAi, "gpt-6-luna:nitro"),
        (ProviderKind::OpenAi, "openai/gpt-6-luna"),
        (ProviderKind::Anthropic, "gpt-6-luna"),
        (ProviderKind::Ollama, "qwen3-coder:8b"),
        (ProviderKind::OpenAi, ""),
        (ProviderKind::OpenAi, "models/"),
    ] {
        assert!(!found(kind, model), "{kind} {model}");
    }
}

#[test]
fn a_snapshot_with_a_row_of_its_own_is_not_the_others() {
    let catalog = shipped();
    let price = |model| card(&catalog, ProviderKind::OpenAi, model).unwrap().price.unwrap();
    assert!(price("gpt-4o-2024-05-13").input > 4.9);
    assert!(price("gpt-4o-2024-11-20").input < 2.6);
}

#[test]
fn a_users_row_is_taken_whole_and_all_others_stay() {
    let catalog = of_user("openai:\n  models:\n    gpt-6-luna: {price: {input: 7, output: 8}}\n");
    let luna = card(&catalog, ProviderKind::OpenAi, "gpt-6-luna").unwrap();
    assert_eq!(
        luna.price.unwrap(),
        Price { input: 7.0, output: 8.0, cached_input: 7.0, cache_write: 7.0, above: None }
    );
    assert_eq!((luna.temperature, luna.max_output), (Sampling::Unknown, None));
    assert!(card(&catalog, ProviderKind::OpenAi, "gpt-6-astra").unwrap().price.is_some());
    assert_eq!(catalog.len(), shipped().len());
    assert_eq!(catalog.default_model(ProviderKind::OpenAi), Some("gpt-6-luna"));
}

#[test]
fn a_users_default_wins_and_may_be_a_row_of_the_users() {
    let catalog = of_user("google: {default: gemini-9, models: {gemini-9: {}}}\nopenai: {default: gpt-6.1-sol}\n");
    assert_eq!(catalog.default_model(ProviderKind::Google), Some("gemini-9"));
    assert_eq!(catalog.default_embedding_model(ProviderKind::Google), Some("gemini-embedding-2"));
    assert_eq!(catalog.default_model(ProviderKind::OpenAi), Some("gpt-6.1-sol"));
}

#[test]
fn rows_of_a_providers_name_go_before_those_of_its_kind_and_reach_no_other() {
    let catalog = of_user("groq:\n  models:\n    llama-4: {price: {input: 0.1, output: 0.2}}\n    gpt-6-luna: {}\n");
    let found = |name, model| catalog.card(ProviderKind::OpenAi, name, model);
    assert!(found("groq", "llama-4").is_some());
    assert!(found("openai", "llama-4").is_none() && found("vllm", "llama-4").is_none());
    assert_eq!(found("groq", "gpt-6-luna"), Some(&ModelCard::UNKNOWN));
    assert!(found("groq", "gpt-6-astra").is_some_and(|card| card.price.is_some()));
    assert_eq!(catalog.provider_names().collect::<Vec<_>>(), ["groq"]);
}

#[test]
fn a_kinds_name_means_the_kind_whatever_a_provider_is_called() {
    let catalog = shipped();
    assert!(catalog.card(ProviderKind::OpenAi, "google", "gemini-3.8-flash").is_none());
    assert!(catalog.card(ProviderKind::OpenAi, "google", "gpt-6-luna").is_some());
}

#[test]
fn chat_models_are_those_still_served_in_the_order_of_the_file() {
    let catalog = of_user("corp: {models: {house-1: {}, e: {dimensions: 3}, gpt-6-sol: {}}}\n");
    let models = |group, day| catalog.chat_models(group, day).collect::<Vec<_>>();
    assert_eq!(models("corp", RELEASE), ["house-1", "gpt-6-sol"]);
    assert_eq!(models("openai", RELEASE)[..2], ["gpt-6-luna", "gpt-6.1-terra"]);
    for absent in ["text-embedding-3-small", "gpt-4", "o1"] {
        assert!(!models("openai", RELEASE).contains(&absent), "{absent}");
    }
    assert!(models("openai", RELEASE).contains(&"gpt-4.1"));
    assert!(!models("openai", date(2027, 2, 1)).contains(&"gpt-4.1"));
    assert!(models("sim", RELEASE).is_empty());
}

#[test]
fn a_price_is_that_of_the_row_or_nothing_where_nobody_is_paid_or_unknown() {
    let catalog = of_user(
        "ollama: {models: {rented: {price: {input: 1, output: 2}}}}\nsuite: {models: {m: {price: {input: 3, output: 4}}}}\n",
    );
    let input = |kind, name, url, model| catalog.price(kind, name, url, model).map(|price| price.input);
    assert_eq!(input(ProviderKind::OpenAi, "openai", None, "gpt-6-luna"), Some(0.1));
    assert_eq!(input(ProviderKind::OpenAi, "gateway", Some("https://gateway.example/v1"), "gpt-6-luna"), Some(0.1));
    assert_eq!(input(ProviderKind::OpenAi, "openai", None, "gpt-7"), None);
    assert_eq!(input(ProviderKind::OpenAi, "local", Some("http://127.0.0.1:8000/v1"), "llama"), None);
    assert_eq!(input(ProviderKind::OpenRouter, "openrouter", None, "openai/gpt-6-luna"), None);
    assert_eq!(input(ProviderKind::Ollama, "ollama", None, "qwen3:8b"), Some(0.0));
    assert_eq!(input(ProviderKind::Ollama, "ollama", Some("https://ollama.com"), "qwen3:8b"), None);
    assert_eq!(input(ProviderKind::Ollama, "ollama", None, "rented:1b"), Some(1.0));
    assert_eq!(input(ProviderKind::Builtin, "builtin", None, "any"), Some(0.0));
    assert_eq!(input(ProviderKind::Sim, "sim", None, "m"), None);
    assert_eq!(input(ProviderKind::Sim, "suite", None, "m"), Some(3.0));
}

#[test]
fn the_example_in_the_header_is_as_the_program_reads_it() {
    let header = SHIPPED.lines().take_while(|line| line.starts_with('#'));
    let example: String =
        header.filter_map(|line| line.strip_prefix("#   ")).fold(String::new(), |text, line| text + line + "\n");
    let catalog = of_user(&example);
    let luna = |catalog: &Catalog| card(catalog, ProviderKind::OpenAi, "gpt-6-luna").unwrap().clone();
    assert_eq!(ModelCard { ends: None, ..luna(&catalog) }, luna(&shipped()));
    assert!(card(&catalog, ProviderKind::Ollama, "my-embedder").unwrap().embeds());
    assert!(catalog.card(ProviderKind::OpenAi, "groq", "llama-4-scout").unwrap().price.is_some());
}

#[test]
fn every_fault_is_told_at_once_with_line_key_and_what_was_expected() {
    let text = "\
openai:
  models:
    a:
      context: many
      prcie: {input: 1}
      price: {output: -1}
      headroom: 5
      temperature: 3
    b b: {ends: soon, reasoning: much}
    c: [1]
    a: {}
  default: nobody
  default_embedding: a
groq:
  default: x
  models:
";
    let told = faults(text);
    let expected = [
        (4, "openai.models.a.context", "expected a whole number from 1 to 1000000000, got \"many\""),
        (5, "openai.models.a.prcie", "did you mean `price`?"),
        (6, "openai.models.a.price", "expected `input`"),
        (6, "openai.models.a.price.output", "expected a number from 0 to 100000, got -1"),
        (7, "openai.models.a.headroom", "goes with `reasoning: default`"),
        (8, "openai.models.a.temperature", "expected a number from 0 to 2, got 3"),
        (9, "openai.models.b b", "expected the name of a model"),
        (9, "openai.models.b b.ends", "expected a day such as 2026-12-31, got \"soon\""),
        (9, "openai.models.b b.reasoning", "expected one of none, default, always"),
        (10, "openai.models.c", "got a list"),
        (11, "openai.models.a", "is given twice"),
        (12, "openai.default", "`nobody` is not the row of a chat model"),
        (13, "openai.default_embedding", "`a` is not the row of an embedding model"),
        (15, "groq.default", "set `model`"),
    ];
    for (line, key, says) in expected {
        let found = told.iter().any(|fault| fault.0 == line && fault.1 == key && fault.2.contains(says));
        assert!(found, "line {line}: {key}: {says}\nin {told:#?}");
    }
    assert_eq!(told.len(), expected.len(), "{told:#?}");
}

#[test]
fn prices_say_what_is_missing_and_tiers_too() {
    let told = faults("x: {models: {a: {price: {input: 1, output: 1, above: {input: 2}}}}}\n");
    let says: Vec<&str> = told.iter().map(|(_, _, message)| message.as_str()).collect();
    assert!(says.iter().any(|message| message.contains("expected `tokens`")), "{says:?}");
    assert!(says.iter().any(|message| message.contains("expected `output`")), "{says:?}");
    assert_eq!(faults("x: {models: {a: {price: 3}}}\n").len(), 1);
}

#[test]
fn a_text_of_nothing_is_no_fault_and_broken_yaml_is_one() {
    for text in ["", "# nothing\n", "openai:\n", "openai:\n  models:\n", "openai: {models: {}}"] {
        assert!(Catalog::default().with_user_rows(text).is_ok_and(|catalog| catalog.is_empty()), "{text:?}");
    }
    let told = faults("openai:\n  models: [\n");
    assert!(told.len() == 1 && told[0].2.contains("not valid YAML"), "{told:?}");
    assert_eq!(faults("- a\n").len(), 1);
}

#[test]
fn a_row_of_ours_without_source_or_day_is_a_fault() {
    let row = "openai:\n  models:\n    m: {context: 1}\n";
    assert!(Catalog::parse(row).unwrap_err().to_string().starts_with("line 3: openai.models.m: expected `source`"));
    for text in [row.replace("openai:", "openai:\n  source: s"), row.replace('{', "{read: 2026-11-20, ")] {
        assert!(Catalog::parse(&text).is_err(), "{text}");
    }
    for text in [
        row.replace("openai:", "openai:\n  source: s\n  read: 2026-11-20"),
        row.replace('{', "{source: s, read: 2026-11-20, "),
    ] {
        assert!(Catalog::parse(&text).is_ok(), "{text}");
    }
    assert!(Catalog::default().with_user_rows(row).is_ok());
}

#[test]
fn a_secret_in_the_wrong_place_is_not_echoed() {
    let told = faults("openai: {models: {m: {context: sk-proj-canarycanarycanary}}}\n");
    assert!(!told[0].2.contains("canary"), "{told:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn looking_a_model_up_never_panics(name in "\\PC{0,24}", tail in "(-?[0-9]{0,9}|-20[0-9]{2}-[01][0-9]-[0-3][0-9]|:\\PC{0,4})?") {
        let catalog = shipped_once();
        for base in ["", "gpt-6-luna", "models/", "é"] {
            let model = format!("{base}{name}{tail}");
            for kind in ProviderKind::ALL {
                let known = catalog.card(kind, &name, &model);
                prop_assert!(catalog.price(kind, &name, Some(&name), &model).is_some() || known.is_none_or(|card| card.price.is_none()));
            }
        }
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in "(openai|a|models|price|input|above|ends|[:{}\\[\\], \n#0-9.-]){0,24}") {
        if let Err(crate::text::yaml::Faults(faults)) = Catalog::default().with_user_rows(&text) {
            prop_assert!(!faults.is_empty());
            prop_assert!(faults.iter().all(|fault| fault.line >= 1 && fault.line <= text.lines().count() + 1));
        }
    }
}

fn shipped_once() -> &'static Catalog {
    static CATALOG: std::sync::OnceLock<Catalog> = std::sync::OnceLock::new();
    CATALOG.get_or_init(shipped)
}
