//! Themes of the workbench: the colours and modifiers of each role, read from a file.
//!
//! A theme is a YAML file: `description`, `extends` and the roles of [`Role`], each a colour or a
//! section with `fg`, `bg` and `modifiers`. Missing parts come from the theme it extends, field by
//! field; a file that extends none must have every role. The top of each file of `assets/themes/`
//! explains the format. Mapping colours to a terminal is up to the workbench.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{AssetFault, AssetKind, AssetText, Assets, Origin, table};
use crate::domain::Phase;
use crate::error::Result;
use crate::text::yaml::{Node, Reader};

/// Values of `tui.theme` that no file can have: `auto` follows the terminal, and `mono`, which
/// `NO_COLOR` also selects, never has colours.
pub const THEMES_WITHOUT_FILE: [&str; 2] = ["auto", "mono"];

/// A part of the screen with its own look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the files of `assets/themes/` say of each what it is")]
pub enum Role {
    Ground,
    Text,
    Muted,
    Brand,
    Strong,
    Border,
    BorderFocused,
    Key,
    Live,
    Good,
    Bad,
    Warning,
    Gold,
    Marked,
    Found,
    Gone,
    Came,
    /// The name of a phase.
    Phase(Phase),
}

/// The top-level roles of a file, by name.
const ROLES: [(&str, Role); 17] = [
    ("ground", Role::Ground),
    ("text", Role::Text),
    ("muted", Role::Muted),
    ("brand", Role::Brand),
    ("strong", Role::Strong),
    ("border", Role::Border),
    ("border-focused", Role::BorderFocused),
    ("key", Role::Key),
    ("live", Role::Live),
    ("good", Role::Good),
    ("bad", Role::Bad),
    ("warning", Role::Warning),
    ("gold", Role::Gold),
    ("marked", Role::Marked),
    ("found", Role::Found),
    ("gone", Role::Gone),
    ("came", Role::Came),
];

impl Role {
    /// Every role.
    pub fn all() -> impl Iterator<Item = Self> {
        ROLES.into_iter().map(|(_, role)| role).chain(Phase::ALL.map(Self::Phase))
    }

    /// Its dotted key in a file.
    fn name(self) -> String {
        match (self, ROLES.iter().find(|(_, role)| *role == self)) {
            (Self::Phase(phase), _) => format!("{PHASES}.{phase}"),
            (_, known) => known.map_or_else(String::new, |(name, _)| (*name).to_owned()),
        }
    }
}

/// A colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    /// The terminal's own foreground or background.
    Default,
    /// One of the 256 numbered colours. The first sixteen look as the user has set them.
    Numbered(u8),
    /// Red, green and blue.
    Exact([u8; 3]),
}

/// The names of the first sixteen colours, in order.
const ANSI_COLOURS: [&str; 16] = [
    "black",
    "red",
    "green",
    "yellow",
    "blue",
    "magenta",
    "cyan",
    "white",
    "bright-black",
    "bright-red",
    "bright-green",
    "bright-yellow",
    "bright-blue",
    "bright-magenta",
    "bright-cyan",
    "bright-white",
];

/// A text attribute other than colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each says what it is")]
pub enum Modifier {
    Bold,
    Dim,
    Italic,
    Underlined,
    Reversed,
    CrossedOut,
}

const MODIFIERS: [(&str, Modifier); 6] = [
    ("bold", Modifier::Bold),
    ("dim", Modifier::Dim),
    ("italic", Modifier::Italic),
    ("underlined", Modifier::Underlined),
    ("reversed", Modifier::Reversed),
    ("crossed-out", Modifier::CrossedOut),
];

/// The look of a role. Unset parts leave what is beneath unchanged.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RoleStyle {
    /// The foreground colour.
    pub fg: Option<Colour>,
    /// The background colour.
    pub bg: Option<Colour>,
    /// Modifiers; `None` in a file that leaves them to the theme it extends.
    pub modifiers: Option<Vec<Modifier>>,
}

impl RoleStyle {
    /// This look over `base`.
    fn over(self, base: &Self) -> Self {
        Self {
            fg: self.fg.or(base.fg),
            bg: self.bg.or(base.bg),
            modifiers: self.modifiers.or_else(|| base.modifiers.clone()),
        }
    }
}

/// A theme with every role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Theme {
    looks: BTreeMap<Role, RoleStyle>,
}

impl Theme {
    /// The look of `role`.
    pub fn look(&self, role: Role) -> RoleStyle {
        // A theme always has every role.
        self.looks.get(&role).cloned().unwrap_or_default()
    }
}

/// A single file, not yet extended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct ThemeFile {
    description: Option<String>,
    /// The theme it extends, and the line of that key.
    extends: Option<(String, usize)>,
    looks: BTreeMap<Role, RoleStyle>,
}

const DESCRIPTION: &str = "description";
const EXTENDS: &str = "extends";
const PHASES: &str = "phases";
const LOOK: &[&str] = &["fg", "bg", "modifiers"];

/// Parses a file.
pub(super) fn parse(text: &str) -> Result<ThemeFile, AssetFault> {
    let (mut reader, root) = Reader::open(text).map_err(|faults| AssetFault::of_yaml(&faults))?;
    let known: Vec<&str> =
        [DESCRIPTION, EXTENDS].into_iter().chain(ROLES.iter().map(|(name, _)| *name)).chain([PHASES]).collect();
    let mut file = ThemeFile::default();
    for (key, node) in reader.section(&root, &known) {
        reader.within(key, |reader| match (key, ROLES.iter().find(|(name, _)| *name == key)) {
            (DESCRIPTION, _) => file.description = reader.text(node),
            (EXTENDS, _) => file.extends = reader.text(node).map(|base| (base, reader.line())),
            (_, Some((_, role))) => _ = file.looks.insert(*role, look(reader, node)),
            (_, None) => {
                let names = Phase::ALL.map(Phase::as_str);
                for (name, node) in reader.section(node, &names) {
                    let phase = Phase::ALL.into_iter().find(|phase| phase.as_str() == name);
                    let look = reader.within(name, |reader| look(reader, node));
                    file.looks.extend(phase.map(|phase| (Role::Phase(phase), look)));
                }
            }
        });
    }
    reader.finish().map_err(|faults| AssetFault::of_yaml(&faults))?;
    Ok(file)
}

/// A single colour is the foreground.
fn look(reader: &mut Reader<'_>, node: &Node) -> RoleStyle {
    let mut look = RoleStyle::default();
    if !matches!(node, Node::Section(_)) {
        look.fg = colour(reader, node);
        return look;
    }
    for (key, node) in reader.section(node, LOOK) {
        reader.within(key, |reader| match key {
            "fg" => look.fg = colour(reader, node),
            "bg" => look.bg = colour(reader, node),
            _ => look.modifiers = modifiers(reader, node),
        });
    }
    look
}

fn colour(reader: &mut Reader<'_>, node: &Node) -> Option<Colour> {
    let colour = match node {
        Node::Scalar(Value::Number(number)) => {
            number.as_u64().and_then(|number| u8::try_from(number).ok()).map(Colour::Numbered)
        }
        Node::Scalar(Value::String(text)) => named(text),
        Node::Scalar(Value::Null) => {
            // In YAML a `#` after a blank begins a comment.
            reader.fault("expected a colour, got nothing; one such as \"#ff8700\" needs its quotes");
            return None;
        }
        _ => None,
    };
    if colour.is_none() {
        let names = ANSI_COLOURS[..8].join(", ");
        let expected = format!("a colour ({names}, each also with bright- before it; 0 to 255; \"#rrggbb\"; default)");
        reader.refuse(&expected, node);
    }
    colour
}

fn named(text: &str) -> Option<Colour> {
    if text == "default" {
        return Some(Colour::Default);
    }
    if let Some(digits) = text.strip_prefix('#') {
        let is_exact = digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        let value = u32::from_str_radix(digits, 16).ok().filter(|_| is_exact)?;
        let [_, red, green, blue] = value.to_be_bytes();
        return Some(Colour::Exact([red, green, blue]));
    }
    let number = ANSI_COLOURS.iter().position(|name| *name == text)?;
    u8::try_from(number).ok().map(Colour::Numbered)
}

fn modifiers(reader: &mut Reader<'_>, node: &Node) -> Option<Vec<Modifier>> {
    let words = MODIFIERS.map(|(word, _)| word);
    let Node::List(items) = node else {
        reader.refuse(&format!("a list of {}, such as [bold]", words.join(", ")), node);
        return None;
    };
    let known = |word: &str| MODIFIERS.iter().find(|(known, _)| *known == word).map(|(_, modifier)| *modifier);
    Some(items.iter().filter_map(|item| reader.word(item, &words).and_then(known)).collect())
}

impl Assets {
    /// Loads a theme and those it extends.
    ///
    /// # Errors
    /// `validation_failed` for field `theme` if there is none of this name; `file` if it, or a
    /// user's file it extends, is unusable.
    pub fn theme(&self, name: &str) -> Result<Theme> {
        let text = self.text(AssetKind::Theme, name)?;
        let looks = self.looks(&text, &mut vec![name.to_owned()])?;
        Ok(Theme { looks })
    }

    /// A theme's description. Loads it whole, so that a fault anywhere in it shows.
    pub(super) fn theme_description(&self, name: &str) -> Result<String> {
        self.theme(name)?;
        let text = self.text(AssetKind::Theme, name)?;
        let ThemeFile { description, extends, .. } = parse(&text.text).map_err(|fault| fault.in_asset(&text))?;
        let like = |(base, _)| format!("As `{base}`, with some colours of its own.");
        Ok(description.or_else(|| extends.map(like)).unwrap_or_default())
    }

    /// The looks of a file over those it extends. `names` are the files that led here.
    fn looks(&self, text: &AssetText, names: &mut Vec<String>) -> Result<BTreeMap<Role, RoleStyle>> {
        let file = parse(&text.text).map_err(|fault| fault.in_asset(text))?;
        let Some((base, line)) = file.extends else {
            return whole(file.looks).map_err(|fault| fault.in_asset(text));
        };
        let refuse = |message: String| Err(AssetFault::new(line, format!("{EXTENDS}: {message}")).in_asset(text));
        // A user's file can extend the built-in theme it overrides.
        let ours = table::text(AssetKind::Theme, &base).filter(|_| base == text.name && text.origin != Origin::Builtin);
        let below = match ours {
            Some(ours) => {
                AssetText { name: base, kind: AssetKind::Theme, origin: Origin::Builtin, text: ours.to_owned() }
            }
            None if names.contains(&base) => {
                return refuse(format!(
                    "{} is a cycle through `{base}`; let one of them extend another theme",
                    names.join(" > ")
                ));
            }
            None if !self.names(AssetKind::Theme).contains(&base) => {
                let known = self.names(AssetKind::Theme).join(", ");
                return refuse(format!("`{base}` is not a theme file; the theme files are {known}"));
            }
            None => {
                let below = self.text(AssetKind::Theme, &base)?;
                names.push(base);
                below
            }
        };
        let mut looks = self.looks(&below, names)?;
        for (role, look) in file.looks {
            let beneath = looks.remove(&role).unwrap_or_default();
            looks.insert(role, look.over(&beneath));
        }
        Ok(looks)
    }
}

/// The looks of a file that extends none, if complete.
fn whole(looks: BTreeMap<Role, RoleStyle>) -> Result<BTreeMap<Role, RoleStyle>, AssetFault> {
    let missing: Vec<String> =
        Role::all().filter(|role| !looks.contains_key(role)).map(|role| format!("`{}`", role.name())).collect();
    if missing.is_empty() {
        return Ok(looks);
    }
    let message =
        format!("{} left out; say `extends: dark`, or another theme, to have all you leave out", missing.join(", "));
    Err(AssetFault::new(1, message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assets::AssetDirs;

    /// The theme `mine` of a user with these files.
    fn mine(files: &[(&str, &str)]) -> Result<Theme> {
        let home = tempfile::tempdir().unwrap();
        std::fs::create_dir(home.path().join("themes")).unwrap();
        for (name, text) in files {
            std::fs::write(home.path().join(format!("themes/{name}.yaml")), text).unwrap();
        }
        Assets::new(Some(AssetDirs::below(home.path()))).theme("mine")
    }

    fn fault(text: &str) -> String {
        let error = mine(&[("mine", text)]).unwrap_err().to_string();
        assert!(error.contains("mine.yaml"), "{error}");
        error
    }

    #[test]
    fn colours_are_named_numbered_or_exact() {
        let text = "extends: dark\ntext: bright-cyan\nmuted: 7\nbad: {fg: \"#ff8700\", bg: default}\n";
        let theme = mine(&[("mine", text)]).unwrap();
        assert_eq!(theme.look(Role::Text).fg, Some(Colour::Numbered(14)));
        assert_eq!(theme.look(Role::Muted).fg, Some(Colour::Numbered(7)));
        let bad = theme.look(Role::Bad);
        assert_eq!((bad.fg, bad.bg), (Some(Colour::Exact([255, 135, 0])), Some(Colour::Default)));
    }

    #[test]
    fn what_is_left_out_is_that_of_the_theme_it_extends_field_by_field() {
        let text = "extends: dark\nbrand: red\nkey: {modifiers: []}\nphases: {solutio: 5}\n";
        let (theme, dark) = (mine(&[("mine", text)]).unwrap(), Assets::default().theme("dark").unwrap());
        let brand = theme.look(Role::Brand);
        assert_eq!((brand.fg, brand.modifiers), (Some(Colour::Numbered(1)), Some(vec![Modifier::Bold])));
        let key = theme.look(Role::Key);
        assert_eq!((key.fg, key.modifiers), (dark.look(Role::Key).fg, Some(vec![])));
        assert_eq!(theme.look(Role::Phase(Phase::Solutio)).fg, Some(Colour::Numbered(5)));
        for same in [Role::Ground, Role::Text, Role::Came, Role::Phase(Phase::Coagulatio)] {
            assert_eq!(theme.look(same), dark.look(same));
        }
    }

    #[test]
    fn themes_extend_each_other_and_one_of_ours_its_own_built_in() {
        let files = [("mine", "extends: light\nbad: red\n"), ("light", "extends: light\ngood: 2\nbad: 3\n")];
        let theme = mine(&files).unwrap();
        let number = |role| theme.look(role).fg;
        assert_eq!([number(Role::Bad), number(Role::Good)], [1, 2].map(|number| Some(Colour::Numbered(number))));
        assert_eq!(theme.look(Role::Ground), Assets::default().theme("light").unwrap().look(Role::Ground));
    }

    #[test]
    fn a_circle_is_told_with_its_way() {
        let error = mine(&[("mine", "extends: a\n"), ("a", "\nextends: b\n"), ("b", "extends: a\n")]).unwrap_err();
        let told = error.to_string();
        assert!(
            told.contains("b.yaml") && told.contains("line 1: extends: mine > a > b is a cycle through `a`"),
            "{told}"
        );
        assert!(fault("extends: mine\n").contains("mine is a cycle through `mine`"));
    }

    #[test]
    fn every_fault_is_told_with_its_line_its_role_and_what_may_stand_there() {
        let told = fault(
            "extends: dark\ntext: grren\nmuted: 256\nbrand: #ff8700\nkey: {fg: \"#ff87\", modifiers: bold}\n\
             good: {fg: red, modifiers: [bold, loud]}\nhints: red\nphases: {solution: 3}\nbad: {colour: 3}\n",
        );
        for part in [
            "line 2: text: expected a colour (black, red,",
            "0 to 255; \"#rrggbb\"; default), got \"grren\"",
            "line 3: muted: expected a colour",
            "got 256",
            "line 4: brand: expected a colour, got nothing; one such as \"#ff8700\" needs its quotes",
            "line 5: key.fg: expected a colour",
            "line 5: key.modifiers: expected a list of bold, dim,",
            "line 6: good.modifiers: expected one of bold, dim,",
            "line 7: hints: is not a key here; choose one of description, extends, ground, text,",
            "line 8: phases.solution: is not a key here; choose one of prima-materia, solutio, coagulatio; did you mean `solutio`?",
            "line 9: bad.colour: is not a key here; choose one of fg, bg, modifiers",
        ] {
            assert!(told.contains(part), "{part}\n{told}");
        }
    }

    #[test]
    fn a_theme_that_extends_none_says_all() {
        let told = fault("text: red\n");
        assert!(told.contains("`ground`, `muted`") && told.contains("`phases.coagulatio` left out"), "{told}");
        assert!(!told.contains("`text`") && told.contains("extends: dark"), "{told}");
        assert!(
            fault("extends: drak\n").contains("`drak` is not a theme file; the theme files are ansi16, dark, light")
        );
        assert!(fault("extends: mono\n").contains("`mono` is not a theme file"));
    }

    #[test]
    fn every_role_has_a_name_of_its_own() {
        let names: std::collections::BTreeSet<String> = Role::all().map(Role::name).collect();
        assert_eq!((names.len(), names.contains("")), (20, false));
    }

    #[test]
    fn what_cannot_be_a_theme_is_no_panic() {
        for text in
            ["- a\n", "text", "text: [1]\n", "extends: [dark]\n", "extends: dark\nphases: 3\n", "{", "text: -1\n"]
        {
            fault(text);
        }
    }
}
