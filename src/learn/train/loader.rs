//! Groups of samples, one after the other: the next one is read while one is in use.

use std::sync::Arc;
use std::thread::JoinHandle;

use crate::learn::FileError;
use crate::learn::train::dataset::{self, Part, Samples};

/// Reads groups of samples, the next one while one is in use. One that is all there
/// is stays in memory.
pub struct Loader {
    /// Where the groups are.
    pub groups: Vec<Vec<Part>>,
    present: Option<(usize, Arc<Samples>)>,
    next: Option<(usize, JoinHandle<Result<Samples, FileError>>)>,
}

impl Loader {
    /// Nothing is read yet.
    pub fn new(groups: Vec<Vec<Part>>) -> Loader {
        Loader {
            groups,
            present: None,
            next: None,
        }
    }

    /// The samples of a group, by number; read before or now.
    pub fn take(&mut self, group: usize) -> Result<Arc<Samples>, FileError> {
        if let Some((present, samples)) = &self.present
            && *present == group
        {
            return Ok(samples.clone());
        }
        self.present = None;
        let loaded = match self.next.take() {
            Some((next, handle)) if next == group => match handle.join() {
                Ok(loaded) => loaded?,
                Err(panic) => std::panic::resume_unwind(panic),
            },
            _ => dataset::load(&self.groups[group])?,
        };
        let loaded = Arc::new(loaded);
        self.present = Some((group, loaded.clone()));
        let next = (group + 1) % self.groups.len();
        if next != group {
            let parts = self.groups[next].clone();
            self.next = Some((next, std::thread::spawn(move || dataset::load(&parts))));
        }
        Ok(loaded)
    }
}
