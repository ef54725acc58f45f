//! Versions of the linked solvers.
//!
//! The libraries themselves are asked, since Z3 is a shared library, whose version at run time may differ from the one at
//! build time.

/// Returns the solvers' names with their versions, such as `Z3 5.4.0`.
pub fn versions() -> Vec<String> {
    let mut versions = vec![z3()];
    #[cfg(feature = "bitwuzla")]
    versions.push(format!("Bitwuzla {}", super::bitwuzla::version()));
    #[cfg(feature = "yices2")]
    versions.push(yices());
    versions
}

fn z3() -> String {
    let (mut major, mut minor, mut build, mut revision) = (0, 0, 0, 0);
    // SAFETY: the four places outlive the call, which writes a number to each.
    unsafe { z3_sys::Z3_get_version(&mut major, &mut minor, &mut build, &mut revision) };
    format!("Z3 {major}.{minor}.{build}")
}

#[cfg(feature = "yices2")]
fn yices() -> String {
    // SAFETY: a constant of the library, set before the program starts, which nothing writes to; where it is not null, it
    // is a text that ends in zero.
    let version = unsafe {
        let version = yices2::sys::yices_version;
        (!version.is_null()).then(|| std::ffi::CStr::from_ptr(version))
    };
    let version = version.map(std::ffi::CStr::to_string_lossy);
    format!("Yices {}", version.as_deref().unwrap_or("of no version"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_solver_says_its_version() {
        let versions = versions();
        assert!(versions[0].starts_with("Z3 5."), "{versions:?}");
        for version in &versions {
            let (_, number) = version.split_once(' ').expect("a name and a number");
            let parts: Vec<_> = number.split('.').map(str::parse::<u32>).collect();
            assert_eq!(parts.len(), 3, "{version}");
            assert!(parts.iter().all(Result::is_ok), "{version}");
        }
        let linked = [cfg!(feature = "bitwuzla"), cfg!(feature = "yices2")];
        let others = linked.into_iter().filter(|&is_linked| is_linked).count();
        assert_eq!(versions.len(), 1 + others, "{versions:?}");
    }
}
