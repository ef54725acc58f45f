//! Headers of ours, for what a machine or its compiler lacks. The compiler reads them, so they are written to a folder of
//! the user's. It is made once and stays, so that nobody has to clean up: a run may be killed at any time.

use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

/// Headers in a folder of their own.
pub(super) struct Headers {
    /// The folder within the one that is Regatta's.
    pub folder: &'static str,
    /// Names and texts.
    pub files: &'static [(&'static str, &'static str)],
}

/// What a machine without 32-bit headers lacks: glibc's list of functions that are stubs, which says nothing to us.
pub(super) const STUBS: Headers = Headers {
    folder: "headers",
    files: &[("gnu/stubs-32.h", "")],
};

/// What C23 has and compilers of the time before do not: they go in front of the compiler's own, which they include.
pub(super) const C23: Headers = Headers {
    folder: "c23",
    files: &[
        ("stdarg.h", include_str!("headers/stdarg.h")),
        ("stdbit.h", include_str!("headers/stdbit.h")),
        ("stdckdint.h", include_str!("headers/stdckdint.h")),
        ("stddef.h", include_str!("headers/stddef.h")),
    ],
};

impl Headers {
    /// The folder with the headers, written where they are not there yet.
    pub(super) fn provide(&self) -> std::io::Result<PathBuf> {
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

    /// The folder with the headers, inside a folder of the user; files of other users in it are not read.
    pub(super) fn provide_in(&self, folder: &Path) -> std::io::Result<PathBuf> {
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
                // Others who read it find it whole.
                let mut made = tempfile::NamedTempFile::new_in(parent)?;
                made.write_all(text.as_bytes())?;
                made.persist(&file).map_err(|error| error.error)?;
            }
        }
        Ok(headers)
    }
}

/// Who runs this.
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
        // Everybody could have written there.
        let open = std::os::unix::fs::PermissionsExt::from_mode(0o777);
        std::fs::set_permissions(own.path(), open).unwrap();
        assert!(STUBS.provide_in(own.path()).is_err());
    }
}
