//! Tuning of many parameters at once by games: simultaneous perturbation
//! stochastic approximation (J. C. Spall, "Multivariate Stochastic Approximation
//! Using a Simultaneous Perturbation Gradient Approximation", 1992; Chess
//! Programming Wiki, "SPSA").
//!
//! The parameters are spin options of the engine (`Tune_*` of a build with the
//! feature `tune`). Each step moves all of them at once in a random direction,
//! plays a pair of games of the engine with these values against itself with the
//! opposite ones, and moves the values a little towards the winner. With the
//! number of steps `k` both the spread of the two opponents and the steps shrink,
//! by the gains that Spall recommends. Values are kept as real numbers and played
//! as integers, rounded up or down at random so that small moves count.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use serde::{Deserialize, Serialize};

use super::config::EngineConfig;
use super::engine::{Engine, EngineError};
use super::openings::Opening;
use super::play::{self, Player, Settings};
use super::referee::Referee;
use super::tally::Fault;
use crate::core::{Color, files};

/// Exponents of the gains: of the steps, and of the spread (Spall).
const ALPHA: f64 = 0.602;
const GAMMA: f64 = 0.101;
/// The stability constant, as a part of all steps.
const STABILITY: f64 = 0.1;
/// The spread at the last step, as a part of a parameter's range.
const SPREAD: f64 = 1.0 / 20.0;
/// The smallest spread at the last step: less would not change an integer.
const LEAST_SPREAD: f64 = 0.5;
/// Points of a step at the last one, in spreads for each point of a pair.
const LAST_GAIN: f64 = 0.004;

/// A parameter and what was learnt of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameter {
    /// Name of the option.
    pub name: String,
    /// The engine's value.
    pub default: i64,
    /// The option's lowest value.
    pub min: i64,
    /// The option's highest value.
    pub max: i64,
    /// The value now.
    pub value: f64,
}

impl Parameter {
    /// The integer that is best according to what was learnt.
    pub fn rounded(&self) -> i64 {
        (self.value.round() as i64).clamp(self.min, self.max)
    }

    fn last_spread(&self) -> f64 {
        ((self.max as f64 - self.min as f64) * SPREAD).max(LEAST_SPREAD)
    }

    /// Whether a value of `self`, as a state file has it, is one of `engine`'s option.
    fn is_of(&self, engine: &Parameter) -> bool {
        let (min, max) = (self.min as f64, self.max as f64);
        (&self.name, self.min, self.max) == (&engine.name, engine.min, engine.max)
            && (min..=max).contains(&self.value)
    }
}

/// How far a tuning is; what its state file holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Steps (pairs of games) done.
    pub done: u64,
    /// Steps in all: the gains depend on it.
    pub steps: u64,
    /// The parameters.
    pub parameters: Vec<Parameter>,
}

/// A tuning to be done.
pub struct Tuning<G: Referee> {
    /// The engine; its options are set before the tuned ones.
    pub engine: EngineConfig,
    /// The rules.
    pub rules: G::Rules,
    /// Openings, taken at random. At least one.
    pub openings: Vec<Opening>,
    /// How many pairs of games at a time.
    pub concurrency: usize,
    /// How games are refereed.
    pub settings: Settings,
    /// Where the state is kept.
    pub file: PathBuf,
    /// What all that is random follows from.
    pub seed: u64,
}

/// Why a tuning ended before its time.
#[derive(Debug, thiserror::Error)]
pub enum TuningError {
    /// The engine cannot play.
    #[error("engine {0}")]
    Engine(String, #[source] EngineError),
    /// The engine has no such parameter.
    #[error("the engine has no spin option {0} with a default, min and max")]
    NoParameter(String),
    /// The engine has nothing to tune.
    #[error(
        "the engine declares no option Tune_*: build it with `--features tune`, or name the parameters"
    )]
    Nothing,
    /// The engine crashed, did not answer or broke the rules.
    #[error("the engine lost a game by a fault ({0}) with {1}")]
    Fault(&'static str, String),
    /// The state cannot be stored or read.
    #[error("{0}")]
    File(PathBuf, #[source] std::io::Error),
    /// The state file is something else.
    #[error("{0} is not the state of this tuning: {1}")]
    Format(PathBuf, String),
    /// An opening is not playable.
    #[error("the opening `{0}` cannot be played: {1}")]
    Opening(String, String),
}

impl State {
    /// The beginning of a tuning of `steps` steps: of the parameters named, or of
    /// all options of the engine that begin with `Tune_`.
    pub fn begin(
        engine: &EngineConfig,
        names: &[String],
        steps: u64,
        stop: &AtomicBool,
    ) -> Result<State, TuningError> {
        let error = |error| TuningError::Engine(engine.name.clone(), error);
        let running = Engine::start(engine, &[], stop).map_err(error)?;
        let spins: Vec<Parameter> = running
            .spins()
            .map(|(name, [default, min, max])| Parameter {
                name: name.to_string(),
                default,
                min,
                max,
                value: default as f64,
            })
            .collect();
        let parameters: Vec<Parameter> = if names.is_empty() {
            let tunable = |spin: &Parameter| spin.name.starts_with("Tune_");
            spins.into_iter().filter(tunable).collect()
        } else {
            let find = |name: &String| {
                let spin = spins.iter().find(|spin| spin.name == *name);
                spin.cloned()
                    .ok_or_else(|| TuningError::NoParameter(name.clone()))
            };
            names.iter().map(find).collect::<Result<_, _>>()?
        };
        if parameters.is_empty() {
            return Err(TuningError::Nothing);
        }
        Ok(State {
            done: 0,
            steps,
            parameters,
        })
    }

    /// Reads the state of an earlier run; `None` when there is no such file. It
    /// must be of the same parameters and number of steps as `self`.
    pub fn resume(&self, path: &Path) -> Result<Option<State>, TuningError> {
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(TuningError::File(path.to_path_buf(), error)),
        };
        let other = |message: String| TuningError::Format(path.to_path_buf(), message);
        let state: State = serde_json::from_str(&text).map_err(|error| other(error.to_string()))?;
        if state.steps != self.steps {
            return Err(other(format!("it is one of {} steps", state.steps)));
        }
        if state.names() != self.names() {
            return Err(other("its parameters are others".to_string()));
        }
        let both = state.parameters.iter().zip(&self.parameters);
        for (old, new) in both {
            if !old.is_of(new) {
                let Parameter { name, min, max, .. } = new;
                return Err(other(format!(
                    "the engine's {name} goes from {min} to {max}, in it from {} to {} and is {}",
                    old.min, old.max, old.value
                )));
            }
        }
        Ok(Some(state))
    }

    fn names(&self) -> Vec<String> {
        let names = self.parameters.iter();
        names.map(|parameter| parameter.name.clone()).collect()
    }

    fn save(&self, path: &Path) -> Result<(), TuningError> {
        files::replace(path, |out| {
            serde_json::to_writer_pretty(&mut *out, self)?;
            out.write_all(b"\n")
        })
        .map_err(|error| TuningError::File(path.to_path_buf(), error))
    }

    /// The spread of each parameter at step `k`, from 1.
    fn spread(&self, parameter: &Parameter, k: u64) -> f64 {
        parameter.last_spread() * (self.steps as f64 / k as f64).powf(GAMMA)
    }

    /// How far a parameter moves at step `k` for a point won.
    fn gain(&self, parameter: &Parameter, k: u64) -> f64 {
        let stability = STABILITY * self.steps as f64;
        let last = LAST_GAIN * parameter.last_spread().powi(2);
        let scale = (stability + self.steps as f64) / (stability + k as f64);
        last * scale.powf(ALPHA) / self.spread(parameter, k)
    }
}

/// A direction: for each parameter, what it adds to the value and what the two
/// opponents play.
struct Step {
    number: u64,
    signs: Vec<f64>,
    /// Names of the parameters.
    names: Vec<String>,
    values: [Vec<i64>; 2],
}

impl<G: Referee> Tuning<G> {
    /// Goes on from `state` until all steps are done or `stop` is set; calls
    /// `observe` after each step.
    pub fn run(
        &self,
        state: State,
        stop: &AtomicBool,
        observe: &(dyn Fn(&State) + Sync),
    ) -> Result<State, TuningError> {
        let taken = Mutex::new(state.done);
        let state = Mutex::new(state);
        let failure = Mutex::new(None);
        let halt = AtomicBool::new(false);
        thread::scope(|scope| {
            for _ in 0..self.concurrency {
                scope.spawn(|| {
                    let mut engines = [None, None];
                    while !halt.load(Ordering::Relaxed) && !stop.load(Ordering::Relaxed) {
                        match self.step(&state, &taken, &mut engines, stop, observe) {
                            Ok(true) => {}
                            Ok(false) => break,
                            Err(error) => {
                                halt.store(true, Ordering::Relaxed);
                                failure.lock().expect("no panic").get_or_insert(error);
                            }
                        }
                    }
                });
            }
        });
        match failure.into_inner().expect("no panic") {
            Some(error) => Err(error),
            None => Ok(state.into_inner().expect("no panic")),
        }
    }

    /// One step; false when there is none left or the work was stopped.
    fn step(
        &self,
        state: &Mutex<State>,
        taken: &Mutex<u64>,
        engines: &mut [Option<Engine>; 2],
        stop: &AtomicBool,
        observe: &(dyn Fn(&State) + Sync),
    ) -> Result<bool, TuningError> {
        let number = {
            let mut taken = taken.lock().expect("no panic");
            *taken += 1;
            *taken
        };
        let mut random = SmallRng::seed_from_u64(self.seed ^ number.wrapping_mul(0x9e37_79b9));
        let step = {
            let state = state.lock().expect("no panic");
            if number > state.steps {
                return Ok(false);
            }
            perturb(&state, number, &mut random)
        };
        let opening = &self.openings[random.random_range(0..self.openings.len())];
        let Some(points) = self.pair(&step, opening, engines, stop)? else {
            return Ok(false);
        };
        let mut state = state.lock().expect("no panic");
        learn(&mut state, &step, points);
        state.save(&self.file)?;
        observe(&state);
        Ok(true)
    }

    /// Plays a pair of games; the points of the first opponent less those of the
    /// second, a win of a game counting 1. `None` when stopped.
    fn pair(
        &self,
        step: &Step,
        opening: &Opening,
        engines: &mut [Option<Engine>; 2],
        stop: &AtomicBool,
    ) -> Result<Option<f64>, TuningError> {
        let mut points = 0.0;
        for plus in Color::ALL {
            let [first, second] = &mut *engines;
            let mut players = Vec::new();
            for (slot, values) in [first, second].into_iter().zip(&step.values) {
                match self.ready(slot, &step.names, values, stop) {
                    Ok(engine) => players.push(Player {
                        engine,
                        name: &self.engine.name,
                        limits: self.engine.limits,
                    }),
                    Err(EngineError::Stopped) => return Ok(None),
                    Err(error) => return Err(TuningError::Engine(self.engine.name.clone(), error)),
                }
            }
            if plus == Color::White {
                players.swap(0, 1);
            }
            let Ok(mut players) = <[Player<'_>; 2]>::try_from(players) else {
                unreachable!("two engines");
            };
            let position: G = opening
                .position(&self.rules)
                .map_err(|error| TuningError::Opening(opening.to_string(), error))?;
            let Some(played) = play::play(&mut players, opening, position, &self.settings, stop)
            else {
                return Ok(None);
            };
            let winner = played.record.result.winner();
            if let Some(fault) = Fault::of(played.record.ending) {
                let loser = usize::from(winner == Some(plus));
                let values = step.names.iter().zip(&step.values[loser]);
                let values: Vec<String> = values
                    .map(|(name, value)| format!("{name}={value}"))
                    .collect();
                return Err(TuningError::Fault(fault.text(), values.join(" ")));
            }
            points += match winner {
                None => 0.0,
                Some(winner) if winner == plus => 1.0,
                Some(_) => -1.0,
            };
        }
        Ok(Some(points))
    }

    /// An engine with these values, ready for a game.
    fn ready<'a>(
        &self,
        slot: &'a mut Option<Engine>,
        names: &[String],
        values: &[i64],
        stop: &AtomicBool,
    ) -> Result<&'a mut Engine, EngineError> {
        let mut engine = match slot.take() {
            Some(engine) => engine,
            None => Engine::start(&self.engine, &G::settings(&self.rules), stop)?,
        };
        for (name, value) in names.iter().zip(values) {
            engine.send(&format!("setoption name {name} value {value}"));
        }
        engine.new_game(stop)?;
        Ok(slot.insert(engine))
    }
}

/// Chooses a direction and the values of both opponents.
fn perturb(state: &State, number: u64, random: &mut SmallRng) -> Step {
    let signs: Vec<f64> = (0..state.parameters.len())
        .map(|_| if random.random() { 1.0 } else { -1.0 })
        .collect();
    let values = [1.0, -1.0].map(|side| {
        let both = state.parameters.iter().zip(&signs);
        both.map(|(parameter, sign)| {
            let value = parameter.value + side * sign * state.spread(parameter, number);
            let whole = (value + random.random::<f64>()).floor() as i64;
            whole.clamp(parameter.min, parameter.max)
        })
        .collect()
    });
    Step {
        number,
        signs,
        names: state.names(),
        values,
    }
}

/// Moves the values towards the opponent that won `points` more.
fn learn(state: &mut State, step: &Step, points: f64) {
    let moves: Vec<f64> = state
        .parameters
        .iter()
        .zip(&step.signs)
        .map(|(parameter, sign)| state.gain(parameter, step.number) * sign * points)
        .collect();
    for (parameter, by) in state.parameters.iter_mut().zip(moves) {
        let (min, max) = (parameter.min as f64, parameter.max as f64);
        parameter.value = (parameter.value + by).clamp(min, max);
    }
    state.done += 1;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(steps: u64) -> State {
        let parameter = |name: &str, default: i64| Parameter {
            name: name.to_string(),
            default,
            min: 0,
            max: 200,
            value: default as f64,
        };
        State {
            done: 0,
            steps,
            parameters: vec![parameter("a", 40), parameter("b", 150)],
        }
    }

    /// Games whose winner is the one nearer to a hidden optimum, with luck.
    #[test]
    fn finds_a_hidden_optimum() {
        let mut state = state(20_000);
        let mut random = SmallRng::seed_from_u64(7);
        let optimum = [110.0, 60.0];
        for number in 1..=state.steps {
            let step = perturb(&state, number, &mut random);
            let loss = step.values.clone().map(|values| {
                let both = values.iter().zip(optimum);
                both.map(|(&value, best)| (value as f64 - best).powi(2))
                    .sum::<f64>()
            });
            let chance = 1.0 / (1.0 + ((loss[0] - loss[1]) / 4000.0).exp());
            let points = (0..2)
                .map(|_| {
                    if random.random::<f64>() < chance {
                        1.0
                    } else {
                        -1.0
                    }
                })
                .sum();
            learn(&mut state, &step, points);
        }
        for (parameter, best) in state.parameters.iter().zip(optimum) {
            assert!((parameter.value - best).abs() < 15.0, "{parameter:?}");
        }
    }

    #[test]
    fn values_stay_in_range() {
        let mut state = state(10);
        let mut random = SmallRng::seed_from_u64(1);
        for number in 1..=10 {
            let step = perturb(&state, number, &mut random);
            assert!(step.values.iter().flatten().all(|v| (0..=200).contains(v)));
            learn(&mut state, &step, 2e6);
        }
        let inside = |p: &Parameter| (0.0..=200.0).contains(&p.value);
        assert!(state.parameters.iter().all(inside));
    }

    #[test]
    fn resumes_only_its_own_state() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("tune.json");
        let mut first = state(100);
        assert_eq!(first.resume(&path).unwrap(), None);
        first.done = 7;
        first.parameters[0].value = 41.5;
        first.save(&path).unwrap();
        assert_eq!(state(100).resume(&path).unwrap(), Some(first));
        let error = state(99).resume(&path).unwrap_err().to_string();
        assert!(error.contains("100 steps"), "{error}");
        let text = fs::read_to_string(&path).unwrap();
        // Another range, a range upside down, and a value that is none of it.
        for (old, new) in [
            ("200", "300"),
            ("\"min\": 0", "\"min\": 500"),
            ("41.5", "-1.0"),
        ] {
            fs::write(&path, text.replace(old, new)).unwrap();
            let error = state(100).resume(&path).unwrap_err().to_string();
            assert!(error.contains("a goes from 0 to 200"), "{error}");
        }
        fs::write(&path, "{").unwrap();
        assert!(state(100).resume(&path).is_err());
    }
}
