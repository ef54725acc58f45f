//! Atomic writes: a file is complete or not there at all.

use std::fs::Permissions;
use std::io::{Error, ErrorKind, Write};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::Path;

/// The mode of a new file before the user's mask is applied.
const READABLE: u32 = 0o666;

/// Writes the text to a temporary file and renames it. Character devices and pipes (`/dev/stdout`) are written to
/// directly.
///
/// # Errors
/// When the system refuses; then a regular file is unchanged.
pub fn write(file: &Path, text: &[u8]) -> std::io::Result<()> {
    if let Ok(there) = std::fs::metadata(file) {
        let kind = there.file_type();
        if kind.is_char_device() || kind.is_fifo() {
            return std::fs::OpenOptions::new()
                .write(true)
                .open(file)?
                .write_all(text);
        }
        if kind.is_dir() {
            return Err(Error::from(ErrorKind::IsADirectory));
        }
    }
    let mut aside = tempfile::Builder::new()
        .permissions(Permissions::from_mode(READABLE))
        .tempfile_in(folder_of(file))?;
    aside.write_all(text)?;
    aside.persist(file)?;
    Ok(())
}

/// Returns the folder that contains the file or folder.
pub fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_or_left_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("report");
        for text in ["first", "second"] {
            write(&file, text.as_bytes()).expect("written");
            assert_eq!(std::fs::read_to_string(&file).expect("text"), text);
        }
        assert_eq!(std::fs::read_dir(folder.path()).expect("files").count(), 1);
        assert!(write(folder.path(), b"text").is_err());
        assert!(write(&file.join("below"), b"text").is_err());
        assert!(write(&folder.path().join("missing/file"), b"text").is_err());
        assert_eq!(std::fs::read_to_string(&file).expect("text"), "second");
        let mode = std::fs::metadata(&file).expect("a file").permissions();
        assert_eq!(mode.mode() & 0o400, 0o400);
    }
}
