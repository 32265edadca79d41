//! Files that are replaced as a whole: whoever reads one finds the old content or the
//! new one, whatever happens on the way (a full disk, Ctrl-C, a crash).
//!
//! The new content is written beside the file and then takes its name, which is one
//! step for the system (POSIX `rename`). A link stays one, and what it leads to is
//! replaced; devices and pipes are written to, never replaced.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// The path with something at the end of its name.
pub fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    PathBuf::from(name)
}

/// The file that a path leads to; `None` for what is no file and is written to itself.
fn target(path: &Path) -> Option<PathBuf> {
    if fs::metadata(path).is_ok_and(|there| !there.is_file()) {
        return None;
    }
    // A link that leads to nothing yet says where the file shall be.
    let linked = || {
        let target = fs::read_link(path).ok()?;
        Some(path.parent()?.join(target))
    };
    let path = fs::canonicalize(path)
        .ok()
        .or_else(linked)
        .unwrap_or_else(|| path.to_path_buf());
    Some(path)
}

/// A new file beside another one, for its next content. No file that exists is touched.
fn create_beside(path: &Path) -> io::Result<(PathBuf, File)> {
    let mut number = 0;
    loop {
        let new = beside(path, &format!(".{}-{number}.new", std::process::id()));
        match File::create_new(&new) {
            Ok(file) => return Ok((new, file)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists && number < 100 => number += 1,
            Err(error) => return Err(error),
        }
    }
}

/// Replaces a file, which keeps its permissions, or makes it.
///
/// # Errors
/// When writing fails; the old file, if there was one, is then still there.
pub fn replace(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    let Some(path) = target(path) else {
        let mut out = BufWriter::new(OpenOptions::new().write(true).open(path)?);
        write(&mut out)?;
        return out.flush();
    };
    let (new, file) = create_beside(&path)?;
    let finish = || {
        let mut out = BufWriter::new(file);
        write(&mut out)?;
        out.into_inner()?.sync_all()?;
        if let Ok(old) = fs::metadata(&path) {
            fs::set_permissions(&new, old.permissions())?;
        }
        fs::rename(&new, &path)
    };
    finish().inspect_err(|_| {
        // The error that matters is the first one.
        let _ = fs::remove_file(&new);
    })
}

/// Whether [`replace`] has a chance: for work that takes long before it writes.
///
/// # Errors
/// What [`replace`] would meet: no such folder, no permission, a folder of that name.
pub fn check(path: &Path) -> io::Result<()> {
    match target(path) {
        None => OpenOptions::new().write(true).open(path).map(drop),
        Some(path) => create_beside(&path).and_then(|(new, _)| fs::remove_file(new)),
    }
}

/// A text for bytes that others would hardly have (FNV-1a, Fowler, Noll and Vo).
pub fn fingerprint(bytes: impl IntoIterator<Item = u8>) -> String {
    let hash = bytes
        .into_iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
    format!("{hash:016x}")
}

/// Whether both paths lead to one file that exists.
pub fn is_same(a: &Path, b: &Path) -> bool {
    match (fs::canonicalize(a), fs::canonicalize(b)) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let names = || fs::read_dir(folder.path()).unwrap().count();
        check(&path).unwrap();
        assert_eq!(names(), 0);
        replace(&path, |out| out.write_all(b"one")).unwrap();
        let failed = replace(&path, |out| {
            out.write_all(b"two")?;
            Err(io::Error::other("full"))
        });
        assert_eq!(failed.unwrap_err().to_string(), "full");
        assert_eq!(fs::read(&path).unwrap(), b"one");
        assert_eq!(names(), 1);
        // What lies beside it is somebody's.
        let other = beside(&path, &format!(".{}-0.new", std::process::id()));
        fs::write(&other, b"mine").unwrap();
        check(&path).unwrap();
        replace(&path, |out| out.write_all(b"three")).unwrap();
        assert_eq!(fs::read(&other).unwrap(), b"mine");
        fs::remove_file(&other).unwrap();
        assert!(is_same(&path, &folder.path().join(".").join("a")));
        assert!(!is_same(&path, folder.path()));

        for refused in [folder.path(), &folder.path().join("no/b")] {
            assert!(check(refused).is_err());
            assert!(replace(refused, |_| Ok(())).is_err());
        }
        assert_eq!(names(), 1);
    }

    #[test]
    fn fingerprints_are_published_ones() {
        assert_eq!(fingerprint([]), "cbf29ce484222325");
        assert_eq!(fingerprint(*b"foobar"), "85944171f73967e8");
    }

    #[cfg(unix)]
    #[test]
    fn links_and_devices_stay() {
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("a"), folder.path().join("link"));
        fs::write(&path, "one").unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        replace(&link, |out| out.write_all(b"two")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());

        let early = folder.path().join("early");
        std::os::unix::fs::symlink("later", &early).unwrap();
        replace(&early, |out| out.write_all(b"three")).unwrap();
        assert_eq!(fs::read(folder.path().join("later")).unwrap(), b"three");
        assert!(fs::symlink_metadata(&early).unwrap().is_symlink());

        let null = Path::new("/dev/null");
        check(null).unwrap();
        replace(null, |out| out.write_all(b"gone")).unwrap();
        assert!(!fs::metadata(null).unwrap().is_file());
    }
}
