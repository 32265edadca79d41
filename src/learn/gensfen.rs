//! Many games of self-play into a data file, on many threads.
//!
//! Games have numbers and are written in their order, so a file holds the same
//! whatever the number of threads and however often the work was interrupted. Beside
//! it lies `FILE.state`: how and by which evaluation the games are played, and how many
//! are in the file. It is brought up to date about once a second, after the data; what
//! the file has beyond it when the work begins again (after a crash) is cut off and
//! played again.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::FileError;
use super::games::{GameRecord, SelfPlay};
use super::selfplay::{Player, Settings};
use crate::arena::openings::{self, Opening};
use crate::core::files;
use crate::game::Evaluator;

/// Time between two savings of the state.
const SAVE_INTERVAL: Duration = Duration::from_secs(1);

/// Bytes after a crash that no state counts, at most; a second's games are a small
/// part of that. Whatever is longer came from elsewhere and is not cut off.
const MAX_UNCOUNTED: u64 = 1 << 24;

/// How often it looks whether it should stop.
const POLL: Duration = Duration::from_millis(50);

/// What the state file says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// How games are played.
    pub settings: Settings,
    /// Fingerprint of the openings.
    pub openings: String,
    /// What evaluates, in words that another evaluation would not have. Empty in the
    /// states of older versions, which did not note it.
    #[serde(default)]
    pub evaluation: String,
    /// Games in the file; the next one has this number.
    pub games: u64,
    /// Positions in the file.
    pub positions: u64,
}

/// When to stop: as soon as the file has either.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Games in the file.
    pub games: u64,
    /// Positions in the file.
    pub positions: u64,
}

/// How far the file is, for those who watch.
#[derive(Debug, Default)]
pub struct Progress {
    /// Games in the file.
    pub games: AtomicU64,
    /// Positions in the file.
    pub positions: AtomicU64,
}

/// Why a file cannot be begun or gone on with.
#[derive(Debug, thiserror::Error)]
pub enum GensfenError {
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// There is data, but nothing tells how it was made.
    #[error("{} has data, but there is no {} to go on from", .0.display(), .1.display())]
    NoState(PathBuf, PathBuf),
    /// The state file cannot be read as one.
    #[error("{} is no state of gensfen", .0.display())]
    Damaged(PathBuf, #[source] serde_json::Error),
    /// Another process is writing the file.
    #[error("{} is being written by another process", .0.display())]
    Busy(PathBuf),
    /// The data file lacks games that the state file counts.
    #[error("{} is shorter than {} says", .0.display(), .1.display())]
    Short(PathBuf, PathBuf),
    /// The data file has much that the state file does not count.
    #[error(
        "{} is much longer than {} says: what else came into it would be lost",
        .0.display(), .1.display()
    )]
    Long(PathBuf, PathBuf),
    /// The file was begun with other settings.
    #[error("{} was begun with `{key}` = {old}, not {new}", path.display())]
    Settings {
        /// The data file.
        path: PathBuf,
        /// What differs.
        key: String,
        /// The value in the state.
        old: String,
        /// The value now.
        new: String,
    },
}

/// A data file in the making.
pub struct DataFile<'a, G: SelfPlay> {
    path: PathBuf,
    state_path: PathBuf,
    file: File,
    state: State,
    openings: &'a [Opening],
    game: PhantomData<G>,
}

/// Where the state of a data file is.
pub fn state_path(path: &Path) -> PathBuf {
    files::beside(path, ".state")
}

/// The first value in which two states differ in how games are played.
fn difference(path: &Path, old: &State, new: &State) -> Option<GensfenError> {
    let error = |key: &str, old: &str, new: &str| GensfenError::Settings {
        path: path.to_path_buf(),
        key: key.to_string(),
        old: old.to_string(),
        new: new.to_string(),
    };
    if old.openings != new.openings {
        return Some(error("openings", &old.openings, &new.openings));
    }
    if !old.evaluation.is_empty() && old.evaluation != new.evaluation {
        return Some(error("evaluation", &old.evaluation, &new.evaluation));
    }
    let json = |state: &State| serde_json::to_value(&state.settings).unwrap_or_default();
    let (old, new) = (json(old), json(new));
    let new = new.as_object()?;
    let (key, value) = new.iter().find(|&(key, value)| old[key] != *value)?;
    Some(error(key, &old[key].to_string(), &value.to_string()))
}

impl<'a, G: SelfPlay> DataFile<'a, G> {
    /// Begins a file, or opens one to go on; `evaluation` names what the games will
    /// be played with ([`State::evaluation`]).
    pub fn open(
        path: &Path,
        settings: Settings,
        openings: &'a [Opening],
        evaluation: &str,
    ) -> Result<Self, GensfenError> {
        let state_path = state_path(path);
        let mut state = State {
            settings,
            openings: openings::fingerprint(openings),
            evaluation: evaluation.to_string(),
            games: 0,
            positions: 0,
        };
        let known = match fs::read(&state_path) {
            Ok(text) => Some(
                serde_json::from_slice::<State>(&text)
                    .map_err(|error| GensfenError::Damaged(state_path.clone(), error))?,
            ),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(FileError::at(&state_path)(error).into()),
        };
        if let Some(known) = &known {
            if let Some(error) = difference(path, known, &state) {
                return Err(error);
            }
            (state.games, state.positions) = (known.games, known.positions);
        }
        let at = || FileError::at(path);
        let mut file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(at())?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(GensfenError::Busy(path.to_path_buf())),
            Err(TryLockError::Error(error)) => return Err(at()(error).into()),
        }
        let length = file.metadata().map_err(at())?.len();
        let expected = state.positions.saturating_mul(G::Record::BYTES as u64);
        if known.is_none() && length > 0 {
            return Err(GensfenError::NoState(path.to_path_buf(), state_path));
        }
        if length < expected {
            return Err(GensfenError::Short(path.to_path_buf(), state_path));
        }
        if length - expected > MAX_UNCOUNTED {
            return Err(GensfenError::Long(path.to_path_buf(), state_path));
        }
        file.set_len(expected).map_err(at())?;
        file.seek(SeekFrom::Start(expected)).map_err(at())?;
        let data_file = DataFile {
            path: path.to_path_buf(),
            state_path,
            file,
            state,
            openings,
            game: PhantomData,
        };
        data_file.save()?;
        Ok(data_file)
    }

    /// What the file has.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Writes the state; a reader finds the old one or the new one whole.
    fn save(&self) -> Result<(), GensfenError> {
        self.file.sync_data().map_err(FileError::at(&self.path))?;
        files::replace(&self.state_path, |out| {
            serde_json::to_writer_pretty(&mut *out, &self.state)?;
            out.write_all(b"\n")
        })
        .map_err(FileError::at(&self.state_path))?;
        Ok(())
    }

    fn append(&mut self, records: &[G::Record]) -> Result<(), GensfenError> {
        let mut bytes = Vec::with_capacity(records.len() * G::Record::BYTES);
        for record in records {
            record.append_to(&mut bytes);
        }
        self.file
            .write_all(&bytes)
            .map_err(FileError::at(&self.path))?;
        self.state.games += 1;
        self.state.positions += records.len() as u64;
        Ok(())
    }

    fn is_complete(&self, target: Target) -> bool {
        self.state.games >= target.games || self.state.positions >= target.positions
    }

    /// Plays games on `threads` threads and appends them until the target is
    /// reached or `stop` becomes true. Games that are not over then are lost, and
    /// so are those that wait for one with a smaller number; going on later plays
    /// them again.
    pub fn run<E: Evaluator<G> + Sync>(
        &mut self,
        evaluator: &E,
        threads: usize,
        target: Target,
        stop: &AtomicBool,
        progress: &Progress,
    ) -> Result<(), GensfenError> {
        let publish = |state: &State| {
            progress.games.store(state.games, Ordering::Relaxed);
            progress.positions.store(state.positions, Ordering::Relaxed);
        };
        publish(&self.state);
        if self.is_complete(target) {
            return Ok(());
        }
        let settings = self.state.settings.clone();
        let openings = self.openings;
        let next = AtomicU64::new(self.state.games);
        // Ends the games that nobody waits for any more.
        let halt = AtomicBool::new(false);
        let result = thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel();
            for _ in 0..threads.max(1) {
                let sender = sender.clone();
                let evaluator = evaluator.clone();
                let (settings, next, halt) = (&settings, &next, &halt);
                scope.spawn(move || {
                    let mut player = Player::<G, E>::new(evaluator, settings, openings);
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        let Some(records) = player.play(number, halt) else {
                            break;
                        };
                        if sender.send((number, records)).is_err() {
                            break;
                        }
                    }
                });
            }
            drop(sender);
            let result = self.collect(&receiver, target, stop, publish);
            halt.store(true, Ordering::Relaxed);
            result
        });
        result.and_then(|()| self.save())
    }

    /// Writes the games that arrive, in the order of their numbers, until the target
    /// is reached or `stop` is true.
    fn collect(
        &mut self,
        games: &Receiver<(u64, Vec<G::Record>)>,
        target: Target,
        stop: &AtomicBool,
        publish: impl Fn(&State),
    ) -> Result<(), GensfenError> {
        let mut waiting: BTreeMap<u64, Vec<G::Record>> = BTreeMap::new();
        let mut saved = Instant::now();
        while !stop.load(Ordering::Relaxed) {
            match games.recv_timeout(POLL) {
                Ok((number, records)) => waiting.insert(number, records),
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => break,
            };
            while let Some(records) = waiting.remove(&self.state.games) {
                self.append(&records)?;
                publish(&self.state);
                if self.is_complete(target) {
                    return Ok(());
                }
            }
            if saved.elapsed() >= SAVE_INTERVAL {
                self.save()?;
                saved = Instant::now();
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::hand::HandEvaluator;
    use crate::learn::record::BYTES;
    use crate::shogi::Position;

    fn settings() -> Settings {
        Settings {
            nodes: Some(60),
            balance_nodes: 60,
            hash_mb: 1,
            decisive: 1000,
            max_plies: 60,
            ..Settings::default()
        }
    }

    /// Goes on with a file up to this number of games; the state afterwards.
    fn run(path: &Path, games: u64, threads: usize) -> Result<State, GensfenError> {
        let mut file = DataFile::<Position>::open(path, settings(), &[], "hand")?;
        let target = Target {
            games,
            positions: u64::MAX,
        };
        let stop = AtomicBool::new(false);
        let progress = Progress::default();
        file.run(&HandEvaluator, threads, target, &stop, &progress)?;
        assert_eq!(progress.games.load(Ordering::Relaxed), file.state.games);
        Ok(file.state.clone())
    }

    #[test]
    fn the_file_is_the_same_in_one_go_in_parts_and_on_threads() {
        let folder = tempfile::tempdir().unwrap();
        let [whole, parts, threads] = ["a", "b", "c"].map(|name| folder.path().join(name));
        let state = run(&whole, 6, 1).unwrap();
        assert_eq!(state.games, 6);
        let expected = fs::read(&whole).unwrap();
        assert_eq!(expected.len() as u64, state.positions * BYTES as u64);

        run(&parts, 2, 1).unwrap();
        // A crash after the next game was written, but not the state.
        let mut file = OpenOptions::new().append(true).open(&parts).unwrap();
        file.write_all(&[7; 123]).unwrap();
        drop(file);
        assert_eq!(run(&parts, 6, 1).unwrap(), state);
        assert_eq!(fs::read(&parts).unwrap(), expected);
        assert_eq!(run(&threads, 6, 3).unwrap(), state);
        assert_eq!(fs::read(&threads).unwrap(), expected);
        // Nothing is left to do.
        assert_eq!(run(&whole, 6, 1).unwrap(), state);
    }

    #[test]
    fn stops_with_what_it_has() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data");
        let mut file = DataFile::<Position>::open(&path, settings(), &[], "hand").unwrap();
        let target = Target {
            games: u64::MAX,
            positions: u64::MAX,
        };
        let (stop, progress) = (AtomicBool::new(false), Progress::default());
        thread::scope(|scope| {
            scope.spawn(|| {
                while progress.games.load(Ordering::Relaxed) < 2 {
                    thread::sleep(Duration::from_millis(5));
                }
                stop.store(true, Ordering::Relaxed);
            });
            file.run(&HandEvaluator, 2, target, &stop, &progress)
                .unwrap();
        });
        let state = file.state.clone();
        assert!(state.games >= 2);
        assert!(matches!(
            DataFile::<Position>::open(&path, settings(), &[], "hand"),
            Err(GensfenError::Busy(_))
        ));
        drop(file);
        assert_eq!(run(&path, 0, 1).unwrap(), state);
    }

    #[test]
    fn refuses_what_it_cannot_go_on_with() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data");
        let state_path = folder.path().join("data.state");
        fs::write(&path, [0; 40]).unwrap();
        assert!(matches!(run(&path, 1, 1), Err(GensfenError::NoState(..))));
        fs::remove_file(&path).unwrap();
        let state = run(&path, 2, 1).unwrap();
        let other = Settings {
            seed: 2,
            ..settings()
        };
        let error = DataFile::<Position>::open(&path, other, &[], "hand")
            .err()
            .unwrap()
            .to_string();
        assert!(
            error.ends_with("was begun with `seed` = 1, not 2"),
            "{error}"
        );
        let openings = [Opening::default()];
        let error = DataFile::<Position>::open(&path, settings(), &openings, "hand")
            .err()
            .unwrap();
        assert!(matches!(error, GensfenError::Settings { .. }));
        let by = |evaluation| DataFile::<Position>::open(&path, settings(), &[], evaluation);
        let error = by("net").err().unwrap().to_string();
        assert!(error.ends_with("`evaluation` = hand, not net"), "{error}");
        assert!(state.positions > 0);
        // A state from before evaluations were noted is brought up to date.
        let text = fs::read_to_string(&state_path).unwrap();
        fs::write(&state_path, text.replace("\"hand\"", "\"\"")).unwrap();
        assert_eq!(by("net").unwrap().state().games, 2);
        let text = fs::read_to_string(&state_path).unwrap();
        assert!(text.contains("\"evaluation\": \"net\""), "{text}");
        fs::write(&state_path, text.replace("\"net\"", "\"hand\"")).unwrap();
        let length = MAX_UNCOUNTED + 41 * BYTES as u64 + state.positions * BYTES as u64;
        OpenOptions::new()
            .write(true)
            .open(&path)
            .and_then(|file| file.set_len(length))
            .unwrap();
        assert!(matches!(run(&path, 2, 1), Err(GensfenError::Long(..))));
        assert_eq!(fs::metadata(&path).unwrap().len(), length);
        fs::write(&path, []).unwrap();
        assert!(matches!(run(&path, 2, 1), Err(GensfenError::Short(..))));
        fs::write(&state_path, "{}").unwrap();
        assert!(matches!(run(&path, 2, 1), Err(GensfenError::Damaged(..))));
    }
}
