//! Training of networks on the processor.
//!
//! | file | what it holds |
//! |---|---|
//! | `dataset` | positions as lists of inputs, from files of any size |
//! | `model` | the network in `f32`, forward and backward |
//! | `kernels` | the arithmetic below it |
//! | `optimizer` | Adam, by rows |
//! | `settings` | how a network is trained |
//! | `trainer` | the training: its passes, and going on after an interruption |
//! | `step` | mini-batches, and what a step does with one |
//! | `loader` | data that does not fit the memory |
//! | `schedule` | the learning rate over time |
//! | `metrics` | losses and targets |
//! | `export` | the integers of a network file |
//! | `checkpoint` | to go on later |
//! | `report` | logs and the loss curve |
//!
//! A step takes a mini-batch: each thread goes forward and backward through its share
//! of the positions, block by block, and sums a gradient of its own; the sums are
//! added, and Adam moves all parameters whose inputs occurred. With the same number
//! of threads a training gives the same network again, interrupted or not.

pub mod checkpoint;
pub mod dataset;
pub mod export;
pub mod kernels;
mod loader;
pub mod metrics;
pub mod model;
pub mod optimizer;
pub mod report;
pub mod schedule;
mod settings;
mod step;
#[cfg(test)]
mod testing;
mod trainer;

pub use settings::{Settings, TrainError};
pub use trainer::{Epoch, MAX_GROUP, Trainer, Watched};
