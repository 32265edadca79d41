//! The evaluation that the options ask for.
//!
//! Like the book it is loaded when the engine gets ready and kept until the options,
//! or the file, change. Not earlier: `usi` is answered at once, and a network that the
//! options replace is never unpacked. A file that cannot be used is said once, and
//! what was there goes on.

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

impl Loaded {
    /// What evaluates, for people.
    fn name(&self) -> String {
        match self {
            Loaded::Hand => "the hand-written evaluation".to_string(),
            Loaded::Network(nnue) => format!("the {} network", nnue.architecture().name()),
        }
    }
}

/// Holds the evaluation; none to begin with.
#[derive(Default)]
pub struct EvaluationChoice {
    /// The options that were followed last.
    wanted: Option<Wanted>,
    /// The file that was read last, whether it could be used or not.
    source: Option<Source>,
    /// Why the file is not used, as it was told.
    problem: Option<String>,
    loaded: Option<Loaded>,
}

fn internal() -> Loaded {
    Loaded::Network(embedded().clone())
}

impl EvaluationChoice {
    /// Whether the options were followed already.
    pub fn is_current(&self, options: &Options) -> bool {
        self.wanted == Some(Wanted::by(options))
    }

    /// Whether the file is no longer the one that was read, or has come into being.
    pub fn is_stale(&self) -> bool {
        match &self.wanted {
            Some(Wanted {
                network: Choice::File(path),
                ..
            }) => find(path).ok() != self.source,
            _ => false,
        }
    }

    /// Gets the evaluation that the options ask for. Returns whether it is another
    /// one than before, and what the user should know.
    pub fn refresh(&mut self, options: &Options) -> (bool, Option<String>) {
        let wanted = Wanted::by(options);
        let before = self.wanted.as_ref();
        let mut changed = before.is_none_or(|before| wanted.fv_scale != before.fv_scale);
        let told = self.problem.take();
        let same = before.is_some_and(|before| wanted.network == before.network);
        let result = match &wanted.network {
            Choice::Hand => Ok(Some(Loaded::Hand)),
            Choice::Internal if same => Ok(None),
            Choice::Internal => Ok(Some(internal())),
            Choice::File(path) => self.read(path, same && told.is_none()),
        };
        let note = match result {
            Ok(None) => None,
            Ok(Some(loaded)) => {
                changed |= !matches!((&self.loaded, &loaded), (Some(Loaded::Hand), Loaded::Hand));
                self.loaded = Some(loaded);
                None
            }
            Err(error) => {
                let goes_on = self.loaded.get_or_insert_with(internal).name();
                let note = format!("warning: {error}; {goes_on} goes on");
                self.problem = Some(note.clone());
                let again = same && told.as_ref() == Some(&note);
                (!again).then_some(note)
            }
        };
        self.wanted = Some(wanted);
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

    /// The evaluator for a search. Before the first [`EvaluationChoice::refresh`] it
    /// is one that costs nothing: nobody searches or evaluates yet.
    pub fn evaluator(&self) -> ShogiEvaluator {
        let fv_scale = self.wanted.as_ref().map(|wanted| wanted.fv_scale);
        match &self.loaded {
            None | Some(Loaded::Hand) => ShogiEvaluator::HAND,
            Some(Loaded::Network(nnue)) => {
                ShogiEvaluator::of(nnue, fv_scale.unwrap_or(DEFAULT_FV_SCALE))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_network(choice: &EvaluationChoice) -> bool {
        matches!(choice.evaluator(), ShogiEvaluator::Nnue(_))
    }

    #[test]
    fn nothing_is_loaded_before_it_is_needed() {
        let options = Options::default();
        let mut choice = EvaluationChoice::default();
        assert!(choice.loaded.is_none() && !choice.is_current(&options) && !choice.is_stale());
        assert_eq!(choice.refresh(&options), (true, None));
        assert!(is_network(&choice) && choice.is_current(&options));
        assert_eq!(choice.refresh(&options), (false, None));
    }

    #[test]
    fn a_first_file_that_cannot_be_used_leaves_the_built_in_network() {
        let mut options = Options::default();
        options.set("EvalFile", Some("/no/such/file")).unwrap();
        let mut choice = EvaluationChoice::default();
        let (changed, note) = choice.refresh(&options);
        assert!(changed && is_network(&choice));
        assert!(
            note.unwrap()
                .ends_with("the K-P 256x2-32-32 network goes on")
        );
        assert_eq!(choice.refresh(&options), (false, None));
    }
}
