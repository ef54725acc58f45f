//! Reads a result file of BenchExec.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use bzip2::read::MultiBzDecoder;
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use regatta_base::{Error, ErrorKind, Place};
use regatta_run::description::Environment;

/// Maximum size of a result file's text in bytes; those of a whole competition are below a tenth of it.
const MAXIMUM_BYTES: u64 = 1 << 30;

/// Attributes by their names.
pub type Attributes = BTreeMap<String, String>;

/// A result file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document {
    /// The attributes of `result`: the tool, its version, limits, names.
    pub attributes: Attributes,
    pub description: String,
    /// The machine, if the file describes it.
    pub environment: Option<Environment>,
    pub runs: Vec<Run>,
    /// The number of columns with sums over all runs.
    pub sums: usize,
}

/// A run in the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    /// The task's name, its property, its expected verdict.
    pub attributes: Attributes,
    /// The columns' values by title; the last one, if a title occurs twice.
    pub columns: BTreeMap<String, String>,
}

impl Document {
    /// Returns the attribute; `None` if it is missing or empty.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        let value = self.attributes.get(name).map(String::as_str);
        value.filter(|value| !value.is_empty())
    }

    /// Reads a file: XML, plain or compressed by bzip2.
    ///
    /// # Errors
    /// When it cannot be read, or is no result file of BenchExec; with the place.
    pub fn read(file: &Path) -> Result<Self, Error> {
        let name = file.display().to_string();
        let unreadable = |message: String| {
            Error::new(ErrorKind::Unreadable, message).at(Place::file(name.as_str()))
        };
        let bytes = std::fs::read(file).map_err(|error| unreadable(error.to_string()))?;
        let mut text = Vec::new();
        let read = match bytes.starts_with(b"BZh") {
            true => MultiBzDecoder::new(bytes.as_slice())
                .take(MAXIMUM_BYTES + 1)
                .read_to_end(&mut text),
            false => {
                text = bytes;
                Ok(text.len())
            }
        };
        let length = read.map_err(|error| unreadable(format!("bzip2: {error}")))?;
        if length as u64 > MAXIMUM_BYTES {
            return Err(unreadable(format!(
                "it is larger than {} MiB",
                MAXIMUM_BYTES >> 20
            )));
        }
        let text = String::from_utf8(text).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            unreadable(format!("byte {at} is not UTF-8"))
        })?;
        Self::parse(&name, &text)
    }

    /// Parses the text of a result file; `name` is for messages.
    ///
    /// # Errors
    /// When it is no XML, or not of BenchExec; with the place.
    pub fn parse(name: &str, text: &str) -> Result<Self, Error> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let wrong = |offset: u64, message: String| {
            let offset = usize::try_from(offset).unwrap_or(usize::MAX);
            let place = Place::in_text(name, text, offset);
            Error::new(ErrorKind::Experiment, message).at(place)
        };
        let mut reader = Reader::from_str(text);
        let mut document = Self::default();
        let mut open: Vec<String> = Vec::new();
        let mut is_begun = false;
        loop {
            let before = reader.buffer_position();
            let event = reader.read_event();
            let event = event.map_err(|error| {
                let message = format!("this is no XML: {error}");
                wrong(reader.error_position(), message)
            })?;
            match event {
                Event::Start(element) => {
                    let taken = document.take(&open, &element, &mut is_begun);
                    taken.map_err(|message| wrong(before, message))?;
                    open.push(element.name().as_ref().to_owned());
                }
                Event::Empty(element) => {
                    let taken = document.take(&open, &element, &mut is_begun);
                    taken.map_err(|message| wrong(before, message))?;
                }
                // The reader checks that it matches the start tag.
                Event::End(_) => {
                    open.pop();
                }
                Event::Text(part) if is_at(&open, &["result", "description"]) => {
                    document.description.push_str(&part.xml10_content());
                }
                Event::GeneralRef(part) if is_at(&open, &["result", "description"]) => {
                    let whole = format!("&{};", part.xml10_content());
                    let letter = quick_xml::escape::unescape(&whole);
                    let letter = letter.map_err(|error| wrong(before, error.to_string()))?;
                    document.description.push_str(&letter);
                }
                Event::Eof => break,
                _ => {}
            }
        }
        if let Some(element) = open.last() {
            let message = format!("the file ends within `{element}`");
            return Err(wrong(text.len() as u64, message));
        }
        if !is_begun {
            return Err(wrong(0, "there is no `result` in it".to_owned()));
        }
        document.description = document.description.trim().to_owned();
        Ok(document)
    }

    /// Takes the content of an element within the open elements.
    fn take(
        &mut self,
        open: &[String],
        element: &BytesStart<'_>,
        is_begun: &mut bool,
    ) -> Result<(), String> {
        let name = element.name();
        let name: &str = name.as_ref();
        if open.is_empty() {
            if name != "result" || *is_begun {
                return Err(format!("the root is `{name}`, not `result`"));
            }
            *is_begun = true;
            self.attributes = attributes(element)?;
        } else if is_at(open, &["result"]) {
            match name {
                "run" => self.runs.push(Run {
                    attributes: attributes(element)?,
                    columns: BTreeMap::new(),
                }),
                "column" => self.sums += 1,
                "systeminfo" => {
                    self.environment.get_or_insert_with(unknown_environment);
                }
                _ => {}
            }
        } else if is_at(open, &["result", "run"]) && name == "column" {
            let mut attributes = attributes(element)?;
            let title = attributes.remove("title").ok_or("a column has no title")?;
            let value = attributes.remove("value").unwrap_or_default();
            if let Some(run) = self.runs.last_mut() {
                run.columns.insert(title, value);
            }
        } else if is_at(open, &["result", "systeminfo"]) {
            self.take_machine(name, element)?;
        }
        Ok(())
    }

    /// Takes the description of the machine, without its environment variables, which may be private.
    fn take_machine(&mut self, name: &str, element: &BytesStart<'_>) -> Result<(), String> {
        let Some(environment) = &mut self.environment else {
            return Ok(());
        };
        if !matches!(name, "os" | "cpu" | "ram") {
            return Ok(());
        }
        let mut attributes = attributes(element)?;
        let mut of = |name: &str| attributes.remove(name).unwrap_or_default();
        match name {
            "os" => environment.system = of("name"),
            "cpu" => {
                environment.processor = of("model");
                environment.cores = of("cores").parse().unwrap_or(0);
            }
            _ => environment.memory = bytes(&of("size")).unwrap_or(0) >> 20,
        }
        Ok(())
    }
}

/// Returns the description of an unknown machine.
pub fn unknown_environment() -> Environment {
    Environment {
        system: String::new(),
        processor: String::new(),
        cores: 0,
        memory: 0,
    }
}

fn is_at(open: &[String], path: &[&str]) -> bool {
    open.len() == path.len() && open.iter().zip(path).all(|(one, other)| one == other)
}

fn attributes(element: &BytesStart<'_>) -> Result<Attributes, String> {
    let all = element.attributes().map(|attribute| {
        let attribute = attribute.map_err(|error| error.to_string())?;
        let value = attribute.normalized_value(XmlVersion::Explicit1_0);
        let value = value.map_err(|error| error.to_string())?;
        Ok((attribute.key.as_ref().to_owned(), value.into_owned()))
    });
    all.collect()
}

/// Parses a time to seconds: `0.35s`, `900 s`, `15 min`. `None` if it is invalid.
pub fn seconds(text: &str) -> Option<f64> {
    let (number, unit) = quantity(text)?;
    let factor = match unit {
        "" | "s" => 1.0,
        "ms" => 1e-3,
        "min" => 60.0,
        "h" => 3600.0,
        _ => return None,
    };
    Some(number * factor)
}

/// Parses an amount of memory to bytes: `1000B`, `7 GB`. `None` if it is invalid.
pub fn bytes(text: &str) -> Option<u64> {
    let (number, unit) = quantity(text)?;
    let factor = match unit {
        "" | "B" => 1.0,
        "kB" => 1e3,
        "MB" => 1e6,
        "GB" => 1e9,
        "KiB" => 1024.0,
        "MiB" => 1_048_576.0,
        "GiB" => 1_073_741_824.0,
        _ => return None,
    };
    Some((number * factor) as u64)
}

/// Parses a nonnegative number. Also returns the text after it.
fn quantity(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let is_part = |letter: char| letter.is_ascii_digit() || letter == '.';
    let mut end = text.find(|letter| !is_part(letter)).unwrap_or(text.len());
    // An exponent, as in `1e-05s`.
    let rest = text[end..].strip_prefix(['e', 'E']);
    if let Some(rest) = rest {
        let digits = rest.strip_prefix(['-', '+']).unwrap_or(rest);
        let count = digits.bytes().take_while(u8::is_ascii_digit).count();
        if count > 0 {
            end = text.len() - digits.len() + count;
        }
    }
    let number: f64 = text[..end].parse().ok()?;
    number.is_finite().then(|| (number, text[end..].trim()))
}
