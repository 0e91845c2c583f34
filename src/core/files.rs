//! Atomic writes and bounded reads of the user's files.
//!
//! [`write_atomically`] writes a temporary file next to the target, syncs it and renames it, so
//! neither a crash nor a full disk leaves half a file. Links are followed, not replaced. Every
//! failure is an [`Error::File`] with the fix. Reads are bounded ([`read_up_to`], [`read_own`]),
//! because a path may be `/dev/zero`.

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use crate::error::Error;

/// The mode of private files.
pub const PRIVATE_FILE: u32 = 0o600;

/// The mode of private folders.
pub const PRIVATE_FOLDER: u32 = 0o700;

/// The most links to follow before a path counts as a loop; the same as on Linux.
const MOST_LINKS: usize = 40;

/// Writes `bytes` to `path` atomically. `mode` is the new file's mode before the umask, on Unix
/// only. Replaces an existing file unless it is read-only; follows links.
///
/// # Errors
/// `file`, with the fix: a missing folder, permissions, a full disk. Leaves nothing half-written.
pub fn write_atomically(path: &Path, bytes: &[u8], mode: u32) -> Result<(), Error> {
    let target = follow(path).map_err(|error| failure("write", path, &error))?;
    write_beside(&target, bytes, mode).map_err(|error| failure("write", path, &error))
}

/// Like [`write_atomically`], with the mode of the existing file `model`, and its owner where allowed.
/// The umask does not apply.
///
/// # Errors
/// As [`write_atomically`].
pub fn write_like(path: &Path, bytes: &[u8], model: &Path) -> Result<(), Error> {
    let write = || {
        let target = follow(path)?;
        let like = fs::metadata(model)?;
        // Private until it has the owner and the mode of the model.
        let mut file = begin_beside(&target, PRIVATE_FILE)?;
        file.write_all(bytes)?;
        take_owner(file.as_file(), &like);
        file.as_file().set_permissions(like.permissions())?;
        finish_beside(file, &target)
    };
    write().map_err(|error| failure("write", path, &error))
}

/// Gives a file the owner of another, as far as the system allows.
#[cfg(unix)]
fn take_owner(file: &File, like: &fs::Metadata) {
    use std::os::unix::fs::MetadataExt as _;
    if file.metadata().is_ok_and(|own| (own.uid(), own.gid()) != (like.uid(), like.gid())) {
        let _ = std::os::unix::fs::fchown(file, Some(like.uid()), Some(like.gid()));
    }
}

#[cfg(not(unix))]
fn take_owner(_: &File, _: &fs::Metadata) {}

/// Like [`write_atomically`], but replaces a link instead of following it, so that the file can be
/// in a folder that others can write to.
///
/// # Errors
/// As [`write_atomically`].
pub fn replace_atomically(path: &Path, bytes: &[u8], mode: u32) -> Result<(), Error> {
    write_beside(path, bytes, mode).map_err(|error| failure("write", path, &error))
}

/// A file written in pieces that gets its name at the end. Dropping it before leaves nothing.
#[derive(Debug)]
pub struct NewFile {
    path: PathBuf,
    target: PathBuf,
    beside: tempfile::NamedTempFile,
}

impl NewFile {
    /// Begins to write next to `path`; `mode` and links are as with [`write_atomically`].
    ///
    /// # Errors
    /// `file`, with the fix.
    pub fn begin(path: &Path, mode: u32) -> Result<Self, Error> {
        let begun = follow(path).and_then(|target| Ok((begin_beside(&target, mode)?, target)));
        let (beside, target) = begun.map_err(|error| failure("write", path, &error))?;
        Ok(Self { path: path.to_owned(), target, beside })
    }

    /// Writes the next piece.
    ///
    /// # Errors
    /// `file`, with the fix.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.beside.write_all(bytes).map_err(|error| failure("write", &self.path, &error))
    }

    /// Syncs the file and gives it its name.
    ///
    /// # Errors
    /// `file`, with the fix; the earlier file remains.
    pub fn finish(self) -> Result<(), Error> {
        finish_beside(self.beside, &self.target).map_err(|error| failure("write", &self.path, &error))
    }
}

/// Reads a file that the user named, which may be a pipe or a device: at most `most` bytes.
///
/// # Errors
/// The system's error; [`io::ErrorKind::FileTooLarge`] when there is more.
pub fn read_up_to(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let limit = if most >= 1 << 20 { format!("{} MiB", most >> 20) } else { format!("{} KiB", most >> 10) };
        let reason = format!("it is larger than {limit}, the maximum; name the right file, or shorten it");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, reason));
    }
    Ok(bytes)
}

/// Like [`read_up_to`], for files the user did not name: refuses pipes, which could block forever.
///
/// # Errors
/// As [`read_up_to`]; [`io::ErrorKind::InvalidInput`] for what is neither a file nor a folder.
pub fn read_own(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let found = fs::metadata(path)?;
    if !found.is_file() && !found.is_dir() {
        let reason = "it is a pipe or a device; replace it with a regular file";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
    }
    read_up_to(path, most)
}

fn write_beside(target: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    // Dropping the temporary file on any error below removes it.
    let mut file = begin_beside(target, mode)?;
    file.write_all(bytes)?;
    finish_beside(file, target)
}

fn begin_beside(target: &Path, mode: u32) -> io::Result<tempfile::NamedTempFile> {
    match fs::metadata(target) {
        Ok(found) if found.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        Ok(found) if found.permissions().readonly() => return Err(io::ErrorKind::PermissionDenied.into()),
        _ => {}
    }
    let mut builder = tempfile::Builder::new();
    builder.prefix(".aludel-").suffix(".tmp");
    with_mode(&mut builder, mode);
    builder.tempfile_in(folder_of(target))
}

fn finish_beside(file: tempfile::NamedTempFile, target: &Path) -> io::Result<()> {
    file.as_file().sync_all()?;
    file.persist(target).map_err(|error| error.error)?;
    // Syncing the folder makes the rename durable. Some file systems cannot, which is harmless.
    let _ = File::open(folder_of(target)).and_then(|folder| folder.sync_all());
    Ok(())
}

#[cfg(unix)]
fn with_mode(builder: &mut tempfile::Builder<'_, '_>, mode: u32) {
    use std::os::unix::fs::PermissionsExt as _;
    builder.permissions(fs::Permissions::from_mode(mode));
}

#[cfg(not(unix))]
fn with_mode(_: &mut tempfile::Builder<'_, '_>, _: u32) {}

/// Creates a private folder and its parents; leaves an existing one as it is.
///
/// # Errors
/// `file`, with the fix.
pub fn make_private_folder(path: &Path) -> Result<(), Error> {
    make_folder(path).map_err(|error| failure("create", path, &error))
}

/// Like [`make_private_folder`], with the plain error.
pub(crate) fn make_folder(path: &Path) -> io::Result<()> {
    if path.as_os_str().is_empty() || path.is_dir() {
        return Ok(());
    }
    path.parent().map_or(Ok(()), make_folder)?;
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, PRIVATE_FOLDER);
    match builder.create(path) {
        Ok(()) => restore_mode(path),
        // Another process was faster.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(io::ErrorKind::NotADirectory.into()),
        Err(error) => Err(error),
    }
}

/// Sets the mode again, in case the umask removed the owner's own permissions.
#[cfg(unix)]
fn restore_mode(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(folder, fs::Permissions::from_mode(PRIVATE_FOLDER))
}

#[cfg(not(unix))]
fn restore_mode(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Turns an I/O error into one with a fix for the user.
pub fn failure(action: &'static str, path: &Path, error: &io::Error) -> Error {
    Error::File { action, path: path.to_owned(), reason: reason(path, error) }
}

fn reason(path: &Path, error: &io::Error) -> String {
    use io::ErrorKind;
    match error.kind() {
        ErrorKind::NotFound => match folder_of(path) {
            folder if folder.is_dir() => "there is no such file".to_owned(),
            folder => format!("the folder `{}` does not exist; create it first", folder.display()),
        },
        ErrorKind::PermissionDenied => "permission denied; check who owns it and its permissions".to_owned(),
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            "the disk is full; free some space and try again".to_owned()
        }
        ErrorKind::ReadOnlyFilesystem => "the file system is read-only; choose another place".to_owned(),
        ErrorKind::IsADirectory => "it is a folder; name a file".to_owned(),
        ErrorKind::NotADirectory => "a part of the path is a file and not a folder".to_owned(),
        _ => error.to_string(),
    }
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Follows links to the final file, which need not exist.
fn follow(path: &Path) -> io::Result<PathBuf> {
    let mut at = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::symlink_metadata(&at) {
            Ok(found) if found.is_symlink() => at = folder_of(&at).join(fs::read_link(&at)?),
            _ => return Ok(at),
        }
    }
    Err(io::Error::other("its symbolic links form a loop"))
}

/// The free space for files at `path`, in bytes, whether or not it exists; `None` if unknown.
#[cfg(unix)]
pub fn free_bytes(path: &Path) -> Option<u64> {
    let existing = path.ancestors().find(|ancestor| ancestor.exists())?;
    let found = rustix::fs::statvfs(existing).ok()?;
    Some(found.f_bavail.saturating_mul(found.f_frsize))
}

/// Unknown on other systems.
#[cfg(not(unix))]
pub fn free_bytes(_path: &Path) -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Code;

    #[test]
    fn no_more_is_read_than_wanted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, b"12345").unwrap();
        assert_eq!(read_up_to(&path, 5).unwrap(), b"12345");
        assert_eq!(read_up_to(&path, 4).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        assert_eq!(read_own(folder.path(), 4).unwrap_err().kind(), io::ErrorKind::IsADirectory);
    }

    #[cfg(unix)]
    #[test]
    fn a_device_ends_at_the_limit_and_is_nothing_of_ours() {
        let zero = Path::new("/dev/zero");
        let error = failure("read", zero, &read_up_to(zero, 3 << 20).unwrap_err());
        assert!(error.to_string().contains("larger than 3 MiB"), "{error}");
        assert_eq!(read_own(zero, 1 << 20).unwrap_err().kind(), io::ErrorKind::InvalidInput);
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_written_whole_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        write_atomically(&path, b"one", PRIVATE_FILE).unwrap();
        write_atomically(&path, b"two", PRIVATE_FILE).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(names(folder.path()), ["a.txt"]);
    }

    #[cfg(unix)]
    #[test]
    fn the_mode_is_the_one_asked_for_also_when_the_file_had_another() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        write_atomically(&path, b"new", PRIVATE_FILE).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let below = folder.path().join("x/y");
        make_private_folder(&below).unwrap();
        assert_eq!(fs::metadata(&below).unwrap().permissions().mode() & 0o777, 0o700);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_followed_even_to_a_file_that_is_not_there_yet() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("real")).unwrap();
        let link = folder.path().join("link");
        symlink("real/a.txt", &link).unwrap();
        for text in ["one", "two"] {
            write_atomically(&link, text.as_bytes(), PRIVATE_FILE).unwrap();
            assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
            assert_eq!(fs::read_to_string(folder.path().join("real/a.txt")).unwrap(), text);
        }
        let circle = folder.path().join("circle");
        symlink("circle", &circle).unwrap();
        let error = write_atomically(&circle, b"x", PRIVATE_FILE).unwrap_err();
        assert!(error.to_string().contains("circle"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn a_file_takes_the_mode_of_its_model_whatever_the_umask() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let (model, copy) = (folder.path().join("model"), folder.path().join("copy"));
        fs::write(&model, "old").unwrap();
        for mode in [0o666, 0o600, 0o640] {
            fs::set_permissions(&model, fs::Permissions::from_mode(mode)).unwrap();
            write_like(&copy, b"new", &model).unwrap();
            assert_eq!(fs::metadata(&copy).unwrap().permissions().mode() & 0o777, mode);
        }
        write_like(&model, b"new", &model).unwrap();
        assert_eq!(fs::read(&model).unwrap(), b"new");
        assert_eq!(fs::metadata(&model).unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(names(folder.path()), ["copy", "model"]);
        assert!(write_like(&copy, b"x", &folder.path().join("none")).is_err());
    }

    #[test]
    fn a_failure_says_what_to_do_and_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str| write_atomically(&folder.path().join(name), b"x", PRIVATE_FILE).unwrap_err();
        let missing = write("none/a.txt");
        assert_eq!(missing.code(), Code::File);
        assert!(missing.to_string().contains("does not exist; create it first"), "{missing}");
        fs::create_dir(folder.path().join("sub")).unwrap();
        assert!(write("sub").to_string().contains("it is a folder"));
        fs::write(folder.path().join("file"), "").unwrap();
        assert!(write("file/a.txt").to_string().contains("is a file and not a folder"));
        assert_eq!(names(folder.path()), ["file", "sub"]);
    }

    #[test]
    fn a_read_only_file_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        fs::write(&path, "keep").unwrap();
        let mut permissions = fs::metadata(&path).unwrap().permissions();
        permissions.set_readonly(true);
        fs::set_permissions(&path, permissions).unwrap();
        let error = write_atomically(&path, b"new", PRIVATE_FILE).unwrap_err();
        assert!(error.to_string().contains("permission denied"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), b"keep");
    }

    #[test]
    fn a_full_disk_and_a_read_only_one_are_named() {
        let said = |kind: io::ErrorKind| failure("write", Path::new("/x/y"), &kind.into()).to_string();
        assert!(said(io::ErrorKind::StorageFull).contains("the disk is full"));
        assert!(said(io::ErrorKind::QuotaExceeded).contains("the disk is full"));
        assert!(said(io::ErrorKind::ReadOnlyFilesystem).contains("read-only"));
    }
}
