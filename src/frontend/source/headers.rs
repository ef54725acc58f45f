//! Headers that a machine or its compiler may lack. The compiler reads them, so they are written to a folder of the
//! user. The folder is created once and remains: a run may be killed at any time, and could not reliably remove it.

use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

/// A set of headers in a folder.
pub(crate) struct Headers {
    /// The folder within Regatta's folder.
    pub folder: &'static str,
    /// The headers' names and texts.
    pub files: &'static [(&'static str, &'static str)],
}

/// glibc's list of stub functions, which is missing without 32-bit headers; an empty one is sufficient.
pub(crate) const STUBS: Headers = Headers {
    folder: "headers",
    files: &[("gnu/stubs-32.h", "")],
};

/// The headers of C23 that older compilers lack. They are searched before the compiler's own headers, which they
/// include.
pub(crate) const C23: Headers = Headers {
    folder: "c23",
    files: &[
        ("stdarg.h", include_str!("headers/stdarg.h")),
        ("stdbit.h", include_str!("headers/stdbit.h")),
        ("stdckdint.h", include_str!("headers/stdckdint.h")),
        ("stddef.h", include_str!("headers/stddef.h")),
    ],
};

impl Headers {
    /// Returns the folder with the headers, after writing those that are missing.
    pub(crate) fn provide(&self) -> std::io::Result<PathBuf> {
        let absolute = |name: &str| {
            let folder = PathBuf::from(std::env::var_os(name)?);
            folder.is_absolute().then_some(folder)
        };
        let cache = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")));
        let user = user()?;
        let own = std::env::temp_dir().join(format!("regatta-{user}"));
        let cache = cache.map(|cache| cache.join("regatta"));
        let mut result = Err(std::io::ErrorKind::NotFound.into());
        for folder in cache.into_iter().chain([own]) {
            result = self.provide_in(&folder);
            if result.is_ok() {
                break;
            }
        }
        result
    }

    /// Returns the folder with the headers within a folder that only the user may write.
    pub(crate) fn provide_in(&self, folder: &Path) -> std::io::Result<PathBuf> {
        let headers = folder.join(self.folder);
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true).mode(0o700);
        builder.create(&headers)?;
        let metadata = std::fs::symlink_metadata(folder)?;
        if metadata.uid() != user()? || metadata.mode() & 0o022 != 0 {
            return Err(std::io::ErrorKind::PermissionDenied.into());
        }
        for (name, text) in self.files {
            let file = headers.join(name);
            let parent = file.parent().unwrap_or(&headers);
            builder.create(parent)?;
            if !std::fs::read(&file).is_ok_and(|known| known == text.as_bytes()) {
                // Concurrent readers never see a partial file.
                let mut made = tempfile::NamedTempFile::new_in(parent)?;
                made.write_all(text.as_bytes())?;
                made.persist(&file).map_err(|error| error.error)?;
            }
        }
        Ok(headers)
    }
}

/// The number of the current user.
fn user() -> std::io::Result<u32> {
    Ok(std::fs::metadata("/proc/self")?.uid())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_written_once_and_stay() {
        let own = tempfile::tempdir().unwrap();
        let headers = C23.provide_in(own.path()).unwrap();
        let file = headers.join("stdckdint.h");
        let written = std::fs::metadata(&file).unwrap().ino();
        assert_eq!(C23.provide_in(own.path()).unwrap(), headers);
        assert_eq!(std::fs::metadata(&file).unwrap().ino(), written);
        std::fs::write(&file, "/* of another version */").unwrap();
        C23.provide_in(own.path()).unwrap();
        assert_eq!(
            std::fs::read_to_string(&file).unwrap(),
            include_str!("headers/stdckdint.h")
        );
        assert!(
            STUBS
                .provide_in(own.path())
                .unwrap()
                .join("gnu/stubs-32.h")
                .is_file()
        );
        // A folder that every user may write is refused.
        let open = std::os::unix::fs::PermissionsExt::from_mode(0o777);
        std::fs::set_permissions(own.path(), open).unwrap();
        assert!(STUBS.provide_in(own.path()).is_err());
    }
}
