//! Data files in random order.
//!
//! Files larger than memory are shuffled in two passes: each record goes to one of
//! several part files by chance, then each part is shuffled in memory and appended
//! to the output. Every order of the records is as likely as any other.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::FileError;
use super::gensfen::state_path;
use super::random::Random;
use super::record::Reader;
use crate::core::files;

/// Records that are read at a time.
const BLOCK: usize = 1 << 14;

/// The most part files, well below what systems let a program have open.
const MAX_PARTS: u64 = 500;

/// What was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shuffled {
    /// Records in the output.
    pub records: u64,
    /// Bytes left out: what followed the last whole record of a file.
    pub rest: usize,
    /// Whether it was done; when it was stopped there is no output.
    pub complete: bool,
}

/// Files that are removed when they are no longer needed, whatever happens.
struct Temporary(Vec<PathBuf>);

impl Drop for Temporary {
    fn drop(&mut self) {
        for path in &self.0 {
            // Nothing is left to be done about a file that stays.
            let _ = fs::remove_file(path);
        }
    }
}

/// Writes the records of all inputs to `output` in the random order that belongs to
/// `seed`, with about `memory` bytes for records. The output may be one of the
/// inputs: it appears when all is done. `done` counts each record twice, when it is
/// read and when it is written.
///
/// # Errors
/// When a file cannot be read or written, and for an output that is being made by
/// self-play: going on with that would cut it off where its state file says.
pub fn shuffle(
    inputs: &[PathBuf],
    output: &Path,
    seed: u64,
    memory: u64,
    stop: &AtomicBool,
    done: &AtomicU64,
) -> Result<Shuffled, FileError> {
    if state_path(output).exists() {
        let error = "`learn gensfen` goes on with this file; shuffle into another one";
        return Err(FileError::at(output)(io::Error::other(error)));
    }
    files::check(output).map_err(FileError::at(output))?;
    let mut total = 0;
    for input in inputs {
        total += fs::metadata(input).map_err(FileError::at(input))?.len();
    }
    // Parts differ in size: room for that.
    let parts = (total + total / 8)
        .div_ceil(memory.max(1))
        .clamp(1, MAX_PARTS);
    let mut temporary = Temporary(Vec::new());
    let mut writers = Vec::new();
    for part in 0..parts {
        // Never a file that is there already, least of all one of the inputs.
        let path = files::beside(output, &format!(".{}.part{part}", process::id()));
        let file = File::create_new(&path).map_err(FileError::at(&path))?;
        temporary.0.push(path);
        writers.push(BufWriter::new(file));
    }
    let parts = temporary.0.clone();
    let mut shuffled = Shuffled::default();
    let mut random = Random::new(seed);
    for input in inputs {
        let mut reader = Reader::open(input).map_err(FileError::at(input))?;
        loop {
            if stop.load(Ordering::Relaxed) {
                return Ok(shuffled);
            }
            let block = reader.read(BLOCK).map_err(FileError::at(input))?;
            if block.is_empty() {
                break;
            }
            for record in &block {
                let part = random.below(writers.len());
                writers[part]
                    .write_all(record)
                    .map_err(FileError::at(&parts[part]))?;
            }
            done.fetch_add(block.len() as u64, Ordering::Relaxed);
        }
        shuffled.rest += reader.rest();
    }
    for (mut writer, path) in writers.into_iter().zip(&parts) {
        writer.flush().map_err(FileError::at(path))?;
    }

    let write = |out: &mut BufWriter<File>| -> io::Result<()> {
        for part in &parts {
            let mut records = Reader::open(part)?.read(usize::MAX)?;
            random.shuffle(&mut records);
            for block in records.chunks(BLOCK) {
                if stop.load(Ordering::Relaxed) {
                    return Err(io::ErrorKind::Interrupted.into());
                }
                out.write_all(block.as_flattened())?;
                shuffled.records += block.len() as u64;
                done.fetch_add(block.len() as u64, Ordering::Relaxed);
            }
            // Its room on the disk may be needed.
            fs::remove_file(part)?;
        }
        Ok(())
    };
    match files::replace(output, write) {
        Ok(()) => shuffled.complete = true,
        Err(_) if stop.load(Ordering::Relaxed) => {}
        Err(error) => return Err(FileError::at(output)(error)),
    }
    Ok(shuffled)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::record::BYTES;

    fn numbers(path: &Path) -> Vec<u32> {
        let bytes = fs::read(path).unwrap();
        let (records, rest) = bytes.as_chunks::<BYTES>();
        assert!(rest.is_empty());
        let number = |record: &[u8; BYTES]| u32::from_le_bytes(*record.first_chunk().unwrap());
        records.iter().map(number).collect()
    }

    #[test]
    fn every_record_once_in_an_order_that_belongs_to_the_seed() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let file = |range: std::ops::Range<u32>| {
            let mut bytes = Vec::new();
            for number in range {
                let mut record = [0; BYTES];
                record[..4].copy_from_slice(&number.to_le_bytes());
                bytes.extend(record);
            }
            bytes
        };
        fs::write(path("a"), file(0..600)).unwrap();
        let mut cut = file(600..1000);
        cut.extend([1, 2, 3]);
        fs::write(path("b"), cut).unwrap();
        let inputs = [path("a"), path("b")];
        let go = |output: &str, seed, memory| {
            let (stop, done) = (AtomicBool::new(false), AtomicU64::new(0));
            let result = shuffle(&inputs, &path(output), seed, memory, &stop, &done).unwrap();
            assert_eq!(done.into_inner(), 2000);
            assert_eq!(
                result,
                Shuffled {
                    records: 1000,
                    rest: 3,
                    complete: true
                }
            );
            let numbers = numbers(&path(output));
            let mut sorted = numbers.clone();
            sorted.sort_unstable();
            assert!(sorted.into_iter().eq(0..1000));
            numbers
        };
        let first = go("out", 1, 1 << 30);
        assert_eq!(go("out", 1, 1 << 30), first);
        assert_ne!(go("out", 2, 1 << 30), first);
        let in_parts = go("out", 1, 5000);
        // A record's place says nothing of where it was.
        let moved = |order: &[u32]| -> f64 {
            let distances = order
                .iter()
                .zip(0u32..)
                .map(|(&n, i)| f64::from(n.abs_diff(i)));
            distances.sum::<f64>() / 1000.0
        };
        for order in [&first, &in_parts] {
            assert!((300.0..370.0).contains(&moved(order)), "{}", moved(order));
        }
        // Into one of the inputs; and nothing is left behind.
        go("a", 1, 5000);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
    }

    #[test]
    fn files_with_names_like_ours_stay() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let inputs = ["a.part0", "a.part1"].map(path);
        for (number, input) in inputs.iter().enumerate() {
            fs::write(input, [number as u8 + 1; 10 * BYTES]).unwrap();
        }
        let (stop, done) = (AtomicBool::new(false), AtomicU64::new(0));
        let shuffled = shuffle(&inputs, &path("a"), 1, 100, &stop, &done).unwrap();
        assert_eq!((shuffled.records, shuffled.complete), (20, true));
        assert_eq!(fs::read(path("a.part1")).unwrap(), [2; 10 * BYTES]);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);

        // What self-play goes on with keeps its order.
        fs::write(path("a.state"), "").unwrap();
        let error = shuffle(&inputs, &path("a"), 1, 100, &stop, &done).unwrap_err();
        assert!(error.source.to_string().contains("gensfen"), "{error:?}");
        assert_eq!(fs::metadata(path("a")).unwrap().len(), 20 * BYTES as u64);
    }

    #[test]
    fn leaves_nothing_behind_when_it_fails_or_is_stopped() {
        let folder = tempfile::tempdir().unwrap();
        let (input, output) = (folder.path().join("in"), folder.path().join("out"));
        let (go, done) = (AtomicBool::new(false), AtomicU64::new(0));
        let missing = shuffle(std::slice::from_ref(&input), &output, 1, 100, &go, &done);
        assert!(missing.unwrap_err().to_string().ends_with("in"));
        fs::write(&input, [0; 400]).unwrap();
        let stopped = shuffle(&[input], &output, 1, 100, &AtomicBool::new(true), &done);
        assert!(!stopped.unwrap().complete);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
