//! Which engines play, and how they are started: from words on the command line
//! or from a TOML file.
//!
//! Words: `name=A cmd=./tsuru option.Threads=1 nodes=5000`; a value with blanks is
//! put in quotes. A TOML file has the same keys:
//!
//! ```toml
//! byoyomi = 100              # for engines that have no limits of their own
//!
//! [[engine]]
//! name = "A"
//! cmd = "./tsuru"
//! args = []
//! dir = "."                  # working directory
//! init = []                  # lines to send after usiok
//! drop = "*"                 # sign of a drop in moves, as in P*5e
//! nodes = 5000
//! options = { Threads = 1, USI_Hash = 64 }
//! ```

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::limits::Limits;

/// An engine and what it may spend.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineConfig {
    /// Its name in tables and records.
    pub name: String,
    /// The program.
    pub cmd: String,
    /// Its arguments.
    #[serde(default)]
    pub args: Vec<String>,
    /// Its working directory.
    #[serde(default)]
    pub dir: Option<PathBuf>,
    /// Lines to send after `usiok`, before anything else, to engines that need
    /// them to know the game.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub init: Vec<String>,
    /// What the engine wants instead of `*` in drops (`P@5e`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drop: Option<char>,
    /// Options in the order in which they are sent.
    #[serde(default)]
    pub options: Vec<(String, String)>,
    /// Its limits; empty for those of the match.
    #[serde(default)]
    pub limits: Limits,
}

/// Why engines could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A word of an engine that is not `key=value` with a known key.
    #[error(
        "`{0}` in an engine is not one of name=, cmd=, arg=, dir=, init=, drop=, option.NAME=, time=, inc=, byoyomi=, movetime=, nodes=, depth= with a proper value"
    )]
    Word(String),
    /// A quotation mark without its partner.
    #[error("a quotation mark in `{0}` is not closed")]
    Quote(String),
    /// No program.
    #[error("the engine `{0}` has no cmd=PROGRAM")]
    NoCommand(String),
    /// Not two engines.
    #[error("a match needs two engines, not {0}")]
    Count(usize),
    /// The file cannot be read.
    #[error("cannot read {0}")]
    Read(PathBuf, #[source] std::io::Error),
    /// The file is no proper TOML, or has unknown keys.
    #[error("{0}: {1}")]
    Toml(PathBuf, String),
}

impl EngineConfig {
    /// An engine that is no more than a program.
    pub fn from_program(cmd: &str) -> EngineConfig {
        EngineConfig {
            cmd: cmd.to_string(),
            ..EngineConfig::default()
        }
    }

    /// Reads `name=A cmd=./a option.X=1 nodes=100`.
    pub fn from_words(text: &str) -> Result<EngineConfig, ConfigError> {
        let mut engine = EngineConfig::default();
        for word in split_words(text)? {
            let error = || ConfigError::Word(word.clone());
            let (key, value) = word.split_once('=').ok_or_else(error)?;
            let value = value.to_string();
            match key {
                "name" => engine.name = value,
                "cmd" => engine.cmd = value,
                "arg" => engine.args.push(value),
                "dir" => engine.dir = Some(value.into()),
                "init" => engine.init.push(value),
                "drop" => engine.drop = Some(value.parse().map_err(|_| error())?),
                _ => match key.strip_prefix("option.") {
                    Some(name) if !name.is_empty() => {
                        engine.options.push((name.to_string(), value));
                    }
                    _ if engine.limits.set(key, &value) => {}
                    _ => return Err(error()),
                },
            }
        }
        if engine.cmd.is_empty() {
            return Err(ConfigError::NoCommand(text.to_string()));
        }
        Ok(engine)
    }
}

/// Splits at blanks outside of quotation marks, which are removed.
fn split_words(text: &str) -> Result<Vec<String>, ConfigError> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut in_word = false;
    let mut quote = None;
    for c in text.chars() {
        match quote {
            Some(mark) if c == mark => quote = None,
            Some(_) => word.push(c),
            None if c == '"' || c == '\'' => {
                quote = Some(c);
                in_word = true;
            }
            None if c.is_whitespace() => {
                if in_word {
                    words.push(std::mem::take(&mut word));
                }
                in_word = false;
            }
            None => {
                word.push(c);
                in_word = true;
            }
        }
    }
    if quote.is_some() {
        return Err(ConfigError::Quote(text.to_string()));
    }
    if in_word {
        words.push(word);
    }
    Ok(words)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EngineToml {
    #[serde(default)]
    name: String,
    cmd: String,
    #[serde(default)]
    args: Vec<String>,
    dir: Option<PathBuf>,
    #[serde(default)]
    init: Vec<String>,
    drop: Option<char>,
    #[serde(default)]
    options: toml::Table,
    time: Option<u64>,
    inc: Option<u64>,
    byoyomi: Option<u64>,
    movetime: Option<u64>,
    nodes: Option<u64>,
    depth: Option<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileToml {
    engine: Vec<EngineToml>,
    time: Option<u64>,
    inc: Option<u64>,
    byoyomi: Option<u64>,
    movetime: Option<u64>,
    nodes: Option<u64>,
    depth: Option<u32>,
}

/// The limits among the fields of a table.
macro_rules! limits {
    ($table:expr) => {
        Limits {
            time: $table.time,
            inc: $table.inc,
            byoyomi: $table.byoyomi,
            movetime: $table.movetime,
            nodes: $table.nodes,
            depth: $table.depth,
        }
    };
}

/// Reads engines from a TOML file, and the limits for those without their own.
pub fn read_file(path: &Path) -> Result<(Vec<EngineConfig>, Limits), ConfigError> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| ConfigError::Read(path.to_path_buf(), error))?;
    parse_toml(&text).map_err(|message| ConfigError::Toml(path.to_path_buf(), message))
}

fn parse_toml(text: &str) -> Result<(Vec<EngineConfig>, Limits), String> {
    let file: FileToml = toml::from_str(text).map_err(|error| error.to_string())?;
    let limits = limits!(file);
    let engines = file.engine.into_iter().map(|engine| {
        let limits = limits!(engine);
        let options = engine
            .options
            .into_iter()
            .map(|(name, value)| match value {
                toml::Value::String(text) => Ok((name, text)),
                toml::Value::Integer(number) => Ok((name, number.to_string())),
                toml::Value::Boolean(value) => Ok((name, value.to_string())),
                _ => Err(format!(
                    "the option {name} is neither a text, a whole number nor true or false"
                )),
            })
            .collect::<Result<_, _>>()?;
        Ok(EngineConfig {
            name: engine.name,
            cmd: engine.cmd,
            args: engine.args,
            dir: engine.dir,
            init: engine.init,
            drop: engine.drop,
            options,
            limits,
        })
    });
    Ok((engines.collect::<Result<_, String>>()?, limits))
}

/// Makes of some engines the two of a match: limits for those without, names
/// that differ.
pub fn pair(engines: Vec<EngineConfig>, limits: Limits) -> Result<[EngineConfig; 2], ConfigError> {
    let mut pair = <[EngineConfig; 2]>::try_from(engines)
        .map_err(|engines| ConfigError::Count(engines.len()))?;
    complete(&mut pair, limits);
    Ok(pair)
}

/// Gives limits to engines without, and names that differ.
pub fn complete(engines: &mut [EngineConfig], limits: Limits) {
    for engine in engines.iter_mut() {
        if engine.limits.is_empty() {
            engine.limits = limits;
        }
        if engine.name.is_empty() {
            let stem = Path::new(&engine.cmd).file_stem();
            engine.name = stem.map_or_else(
                || engine.cmd.clone(),
                |stem| stem.to_string_lossy().into_owned(),
            );
        }
    }
    let names: Vec<String> = engines.iter().map(|engine| engine.name.clone()).collect();
    for (number, engine) in (1..).zip(engines.iter_mut()) {
        if names.iter().filter(|&name| *name == engine.name).count() > 1 {
            engine.name = format!("{}-{number}", engine.name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_in_words() {
        let engine = EngineConfig::from_words(
            "name='my engine' cmd=\"./a b/tsuru\" arg=--x option.EvalDir= option.Threads=1 nodes=5",
        )
        .unwrap();
        assert_eq!(engine.name, "my engine");
        assert_eq!(engine.cmd, "./a b/tsuru");
        assert_eq!(engine.args, ["--x"]);
        let option = |name: &str, value: &str| (name.to_string(), value.to_string());
        assert_eq!(
            engine.options,
            [option("EvalDir", ""), option("Threads", "1")]
        );
        assert_eq!(engine.limits.nodes, Some(5));
        for bad in [
            "",
            "name=A",
            "cmd=a x",
            "cmd=a speed=1",
            "cmd=a nodes=x",
            "cmd=a option.=1",
            "cmd='a",
        ] {
            assert!(EngineConfig::from_words(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn engines_in_toml() {
        let text = "byoyomi = 100\n\
            [[engine]]\ncmd = \"./a\"\noptions = { USI_Hash = 64, Ponder = false, X = \"y z\" }\n\
            [[engine]]\nname = \"B\"\ncmd = \"./b\"\nargs = [\"-q\"]\nnodes = 7\n";
        let (engines, limits) = parse_toml(text).unwrap();
        let [a, b] = pair(engines, limits).unwrap();
        assert_eq!((a.name.as_str(), a.limits.byoyomi), ("a", Some(100)));
        assert_eq!(a.options.len(), 3);
        assert!(
            a.options
                .contains(&("USI_Hash".to_string(), "64".to_string()))
        );
        assert_eq!((b.name.as_str(), b.limits.byoyomi), ("B", None));
        for bad in [
            "",
            "[[engine]]\n",
            "[[engine]]\ncmd = \"a\"\nspeed = 1\n",
            "[[engine]]\ncmd = \"a\"\noptions = { X = [1] }\n",
            "[[engine]]\ncmd = \"a\"\nnodes = -1\n",
        ] {
            assert!(parse_toml(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn names_differ() {
        let engine = EngineConfig::from_program("./x/tsuru");
        let [a, b] = pair(vec![engine.clone(), engine.clone()], Limits::default()).unwrap();
        assert_eq!([a.name.as_str(), b.name.as_str()], ["tsuru-1", "tsuru-2"]);
        assert!(pair(vec![engine], Limits::default()).is_err());
    }
}
