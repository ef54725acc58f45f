//! The files of the program: which names each of them keeps to itself, and which of several definitions counts.
//!
//! Functions and objects of the program have unique names. A name with external linkage is that name; one with internal
//! linkage has its file behind it (`counter@list.c`) if another file contains the word, or if the library knows it. The
//! same holds for the bodies of inline definitions, and for weak definitions that another file overrides. In a program of
//! one file, all names are as in the text.

use std::rc::Rc;

use lang_c::ast;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::library;
use crate::lower::declarations::declarator::declarator_name;
use crate::parse::ParsedUnit;
use regatta_base::Span;
use regatta_program::FILE_MARK;

/// The files of the program.
#[derive(Debug, Default)]
pub(in crate::lower) struct Files {
    files: Vec<FileNames>,
    /// The file that is being lowered; `None` in the verifier's own text, if there are several files.
    current: Option<usize>,
}

/// The names of a file that differ from those in its text.
#[derive(Debug, Default)]
struct FileNames {
    /// What stands behind the names.
    label: String,
    /// The names with internal linkage.
    internal: FxHashMap<Rc<str>, Rc<str>>,
    /// The bodies that are not the definitions of their names.
    bodies: FxHashMap<Rc<str>, Rc<str>>,
    /// The names of which another file has the definition.
    overridden: FxHashSet<Rc<str>>,
}

impl Files {
    pub fn new(units: &[ParsedUnit]) -> Self {
        let labels = labels(units);
        let mut files: Vec<FileNames> = labels
            .into_iter()
            .map(|label| FileNames {
                label,
                ..FileNames::default()
            })
            .collect();
        if units.len() > 1 {
            let words: Vec<FxHashSet<&[u8]>> = units.iter().map(words).collect();
            for (number, unit) in units.iter().enumerate() {
                let is_elsewhere = |name: &str| {
                    let mut others = words.iter().enumerate();
                    others.any(|(other, words)| other != number && words.contains(name.as_bytes()))
                };
                for name in internal_names(unit) {
                    // Names with letters beyond ASCII are spelled otherwise in the text.
                    let is_spelled = words[number].contains(name.as_bytes());
                    if is_elsewhere(name) || !is_spelled || library::lookup(name).is_some() {
                        let known = files[number].marked(name);
                        files[number].internal.insert(name.into(), known);
                    }
                }
            }
        }
        Self {
            files,
            current: None,
        }
    }

    /// Number of files.
    pub fn count(&self) -> usize {
        self.files.len()
    }

    pub fn current(&self) -> Option<usize> {
        self.current
    }

    pub fn enter(&mut self, file: usize) {
        self.current = Some(file);
    }

    /// Leaves the files for the verifier's own text, and returns the one that was being lowered. Of a program of one file,
    /// all text counts as that file's.
    pub fn leave(&mut self) -> Option<usize> {
        match self.files.len() {
            1 => self.current,
            _ => self.current.take(),
        }
    }

    /// Returns to what [`Self::leave`] has left.
    pub fn resume(&mut self, file: Option<usize>) {
        self.current = file;
    }

    fn names(&self) -> Option<&FileNames> {
        self.files.get(self.current?)
    }

    /// The program's name for a name with linkage of the current file.
    pub fn name<'a>(&'a self, name: &'a str) -> &'a str {
        let known = self.names().and_then(|names| names.internal.get(name));
        known.map_or(name, |known| known)
    }

    /// The program's name for the body of a function that the current file defines.
    pub fn body_name<'a>(&'a self, name: &'a str) -> &'a str {
        let known = self.names().and_then(|names| names.bodies.get(name));
        known.map_or_else(|| self.name(name), |known| &**known)
    }

    /// Checks whether the current file keeps the name to itself, under another one.
    pub fn is_marked(&self, name: &str) -> bool {
        self.name(name) != name
    }

    /// Checks whether another file has the definition that counts in place of the current file's.
    pub fn is_overridden(&self, name: &str) -> bool {
        let names = self.names();
        names.is_some_and(|names| names.overridden.contains(name))
    }

    /// Records that the body that the current file has for a name is not its definition.
    pub fn set_apart(&mut self, name: &str) {
        if self.files.len() > 1
            && let Some(names) = self.current.and_then(|file| self.files.get_mut(file))
        {
            let body = names.marked(name);
            names.bodies.insert(name.into(), body);
        }
    }

    /// Records that another file has the definition of a name that counts.
    pub fn override_in(&mut self, file: usize, name: &str) {
        if let Some(names) = self.files.get_mut(file) {
            let body = names.marked(name);
            names.bodies.insert(name.into(), body);
            names.overridden.insert(name.into());
        }
    }
}

impl FileNames {
    fn marked(&self, name: &str) -> Rc<str> {
        format!("{name}{FILE_MARK}{}", self.label).into()
    }
}

/// What stands behind the names of each file: the file's name, with its folders if two files have the same.
fn labels(units: &[ParsedUnit]) -> Vec<String> {
    let last = |unit: &ParsedUnit| unit.name.rsplit('/').next().unwrap_or_default().to_owned();
    let short: Vec<String> = units.iter().map(last).collect();
    let is_unique = |label: &String| short.iter().filter(|other| *other == label).count() == 1;
    let whole = units.iter().enumerate().map(|(number, unit)| {
        let same = |other: &ParsedUnit| other.name == unit.name;
        match units.iter().position(same) {
            Some(first) if first == number => unit.name.to_string(),
            _ => format!("{}#{number}", unit.name),
        }
    });
    let both = short.iter().zip(whole);
    both.map(|(short, whole)| {
        if is_unique(short) {
            short.clone()
        } else {
            whole
        }
    })
    .collect()
}

/// The words of a file's text.
fn words(unit: &ParsedUnit) -> FxHashSet<&[u8]> {
    let text = unit.positions.text();
    let words = text.split(|byte| !byte.is_ascii_alphanumeric() && !matches!(byte, b'_' | b'$'));
    words.filter(|word| !word.is_empty()).collect()
}

/// The names with internal linkage that the file declares.
fn internal_names(unit: &ParsedUnit) -> FxHashSet<&str> {
    let mut names = FxHashSet::default();
    for declaration in &unit.declarations {
        match &declaration.node.node {
            ast::ExternalDeclaration::Declaration(declaration) => {
                if is_internal(&declaration.node.specifiers) {
                    let items = declaration.node.declarators.iter();
                    names.extend(items.filter_map(|item| declarator_name(&item.node.declarator)));
                }
            }
            ast::ExternalDeclaration::FunctionDefinition(function) => {
                if is_internal(&function.node.specifiers) {
                    names.extend(declarator_name(&function.node.declarator));
                }
            }
            ast::ExternalDeclaration::StaticAssert(_) => {}
        }
    }
    names
}

/// Checks whether the specifiers of a declaration at file scope give its names internal linkage: `static`, `constexpr`.
fn is_internal(specifiers: &[lang_c::span::Node<ast::DeclarationSpecifier>]) -> bool {
    let mut specifiers = specifiers.iter().map(|specifier| &specifier.node);
    specifiers.any(|specifier| match specifier {
        ast::DeclarationSpecifier::StorageClass(class) => {
            class.node == ast::StorageClassSpecifier::Static
        }
        ast::DeclarationSpecifier::Extension(extensions) => extensions.iter().any(|extension| {
            matches!(&extension.node, ast::Extension::Attribute(attribute)
                if attribute.name.node == "__regatta_constexpr")
        }),
        _ => false,
    })
}

/// A definition at file scope of a name with external linkage.
#[derive(Clone, Debug)]
pub(in crate::lower) struct Site {
    pub name: Rc<str>,
    /// The number of its file.
    pub file: usize,
    pub span: Span,
    pub kind: SiteKind,
}

/// What kind of definition it is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(in crate::lower) enum SiteKind {
    /// The only one that there may be.
    Strong,
    /// Counts where there is no strong one: it has the attribute `weak`, or stands in a header of the system.
    Weak,
    /// Without an initialiser: one object with all others.
    Tentative,
}

/// What the definitions of one name come to.
pub(in crate::lower) enum Choice {
    /// These files' definitions do not count.
    Overridden(Vec<usize>),
    /// There are two that exclude each other.
    Twice(Site, Site),
}

/// Chooses among the definitions of one name in different files, as a linker does.
pub(in crate::lower) fn choose(sites: &[Site]) -> Choice {
    let mut strong = sites.iter().filter(|site| site.kind == SiteKind::Strong);
    let first = strong.next();
    if let Some(first) = first
        && let Some(second) = strong.find(|second| second.file != first.file)
    {
        return Choice::Twice(first.clone(), second.clone());
    }
    let is_tentative = |site: &&Site| site.kind == SiteKind::Tentative;
    let chosen = first
        .or_else(|| sites.iter().find(is_tentative))
        .or_else(|| sites.first());
    let others = sites.iter().filter(|site| {
        site.kind == SiteKind::Weak && chosen.is_some_and(|chosen| chosen.file != site.file)
    });
    Choice::Overridden(others.map(|site| site.file).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(file: usize, kind: SiteKind) -> Site {
        Site {
            name: "f".into(),
            file,
            span: Span::NONE,
            kind,
        }
    }

    #[test]
    fn a_strong_definition_overrides_weak_ones() {
        let sites = [
            site(0, SiteKind::Weak),
            site(1, SiteKind::Strong),
            site(2, SiteKind::Weak),
        ];
        assert!(matches!(choose(&sites), Choice::Overridden(files) if files == [0, 2]));
    }

    #[test]
    fn the_first_of_weak_definitions_counts() {
        let sites = [site(0, SiteKind::Weak), site(1, SiteKind::Weak)];
        assert!(matches!(choose(&sites), Choice::Overridden(files) if files == [1]));
    }

    #[test]
    fn two_strong_definitions_exclude_each_other() {
        let sites = [
            site(0, SiteKind::Strong),
            site(1, SiteKind::Tentative),
            site(2, SiteKind::Strong),
        ];
        assert!(
            matches!(choose(&sites), Choice::Twice(one, two) if (one.file, two.file) == (0, 2))
        );
    }
}
