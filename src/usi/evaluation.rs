//! The evaluation that the options ask for.
//!
//! Like the book it is loaded when the engine gets ready and kept until the options,
//! or the file, change. A file that cannot be used is said once, and what was there
//! goes on.

use std::path::{Path, PathBuf};

use super::options::{Id, Options};
use crate::eval::nnue::load::{LoadError, Source, find, load};
use crate::eval::nnue::{DEFAULT_FV_SCALE, Nnue, embedded};
use crate::eval::shogi::ShogiEvaluator;

/// The word of `Evaluation` for the hand-written terms.
const HAND: &str = "Hand";
/// The words of `Evaluation`.
pub const WORDS: [&str; 2] = ["NNUE", HAND];
/// The `EvalDir` or `EvalFile` that means the network in the program.
pub const INTERNAL: &str = "<internal>";
/// The name of the file in `EvalDir`.
const FILE_NAME: &str = "nn.bin";

/// What the options say.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Wanted {
    network: Choice,
    fv_scale: i32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Choice {
    Hand,
    Internal,
    File(PathBuf),
}

impl Wanted {
    fn by(options: &Options) -> Self {
        let (file, dir) = (options.string(Id::EvalFile), options.string(Id::EvalDir));
        let internal = |text: &str| text.is_empty() || text.eq_ignore_ascii_case(INTERNAL);
        let network = if options.combo(Id::Evaluation) == HAND {
            Choice::Hand
        } else if !file.is_empty() {
            match internal(&file) {
                true => Choice::Internal,
                false => Choice::File(PathBuf::from(file)),
            }
        } else if internal(&dir) {
            Choice::Internal
        } else {
            Choice::File(Path::new(&dir).join(FILE_NAME))
        };
        Wanted {
            network,
            fv_scale: options.spin(Id::FvScale) as i32,
        }
    }
}

/// What evaluates.
#[derive(Clone)]
enum Loaded {
    Hand,
    Network(Nnue),
}

/// Holds the evaluation.
pub struct EvaluationChoice {
    /// The options that were followed last.
    wanted: Wanted,
    /// The file that was read last, whether it could be used or not.
    source: Option<Source>,
    /// Why the file is not used, as it was told.
    problem: Option<String>,
    loaded: Loaded,
}

fn internal() -> Loaded {
    Loaded::Network(embedded().clone())
}

impl Default for EvaluationChoice {
    /// The evaluation in the program, which is what the options' defaults ask for.
    fn default() -> Self {
        EvaluationChoice {
            wanted: Wanted {
                network: Choice::Internal,
                fv_scale: DEFAULT_FV_SCALE,
            },
            source: None,
            problem: None,
            loaded: internal(),
        }
    }
}

impl EvaluationChoice {
    /// Whether the options were followed already.
    pub fn is_current(&self, options: &Options) -> bool {
        self.wanted == Wanted::by(options)
    }

    /// Whether the file is no longer the one that was read, or has come into being.
    pub fn is_stale(&self) -> bool {
        match &self.wanted.network {
            Choice::File(path) => find(path).ok() != self.source,
            Choice::Hand | Choice::Internal => false,
        }
    }

    /// Gets the evaluation that the options ask for. Returns whether it is another
    /// one than before, and what the user should know.
    pub fn refresh(&mut self, options: &Options) -> (bool, Option<String>) {
        let wanted = Wanted::by(options);
        let mut changed = wanted.fv_scale != self.wanted.fv_scale;
        let told = self.problem.take();
        let same = wanted.network == self.wanted.network;
        let result = match &wanted.network {
            Choice::Hand => Ok(Some(Loaded::Hand)),
            Choice::Internal if same => Ok(None),
            Choice::Internal => Ok(Some(internal())),
            Choice::File(path) => self.read(path, same && told.is_none()),
        };
        let note = match result {
            Ok(None) => None,
            Ok(Some(loaded)) => {
                changed |= !matches!((&self.loaded, &loaded), (Loaded::Hand, Loaded::Hand));
                self.loaded = loaded;
                None
            }
            Err(error) => {
                let note = format!("warning: {error}; {} goes on", self.name());
                self.problem = Some(note.clone());
                let again = same && told.as_ref() == Some(&note);
                (!again).then_some(note)
            }
        };
        self.wanted = wanted;
        (changed, note)
    }

    /// Reads a file, unless it is the one in use.
    fn read(&mut self, path: &Path, in_use: bool) -> Result<Option<Loaded>, LoadError> {
        let before = self.source.take();
        let source = find(path)?;
        let unchanged = in_use && before.as_ref() == Some(&source);
        self.source = Some(source.clone());
        match unchanged {
            true => Ok(None),
            false => load(&source).map(|nnue| Some(Loaded::Network(nnue))),
        }
    }

    /// What evaluates, for people.
    fn name(&self) -> String {
        match &self.loaded {
            Loaded::Hand => "the hand-written evaluation".to_string(),
            Loaded::Network(nnue) => format!("the {} network", nnue.architecture().name()),
        }
    }

    /// The evaluator for a search.
    pub fn evaluator(&self) -> ShogiEvaluator {
        match &self.loaded {
            Loaded::Hand => ShogiEvaluator::HAND,
            Loaded::Network(nnue) => ShogiEvaluator::of(nnue, self.wanted.fv_scale),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_what_there_is() {
        assert!(EvaluationChoice::default().is_current(&Options::default()));
    }
}
