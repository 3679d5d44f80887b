//! The readers that a suite has: those that it declares, and those that are built in.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use crate::reader::declared::{DeclarationSurvey, DeclaredDocument, DeclaredReader, ReaderDeclaration};
use crate::reader::error::{TraceError, TraceProblem};
use crate::reader::foreign::recognize_text;
use crate::reader::json::input::Input;
use crate::reader::{Certainty, Declined, READERS, Recording, read_built_in, settle_run};
use crate::text_halves::join_halves;
use crate::trace::Trace;

/// The declared readers of a suite, beside the built-in ones. A clone shares them.
///
/// A declared reader comes first: it reads each file that meets its conditions, whatever the built-in readers say. One
/// that has the name of a built-in reader replaces it.
///
/// ```
/// use arraign_trace::json;
/// use arraign_trace::reader::{ReaderDeclaration, ReaderSet};
///
/// let declaration: ReaderDeclaration = json::from_str(
///     r#"{"when": {"path": "$.shop"}, "steps": "$.log[*]", "say": "$.said",
///         "call": {"each": "$.calls", "name": "$.tool", "args": "$.with"}}"#,
/// )?;
/// let mut readers = ReaderSet::default();
/// readers.declare("shop", declaration);
///
/// let log = r#"{"shop": 1, "log": [{"calls": [{"tool": "find_order", "with": {"id": 7}}]}, {"said": "Shipped."}]}"#;
/// let recording = readers.read(log, None)?;
/// assert_eq!(recording.format, "shop");
/// assert_eq!(recording.runs[0].tool_names(), ["find_order"]);
/// assert_eq!(recording.runs[0].answer.as_deref(), Some("Shipped."));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct ReaderSet {
    declared: Arc<Vec<DeclaredReader>>,
}

impl ReaderSet {
    /// Adds a declared reader. It replaces one of the same name.
    pub fn declare(&mut self, name: &str, declaration: ReaderDeclaration) {
        let declared = Arc::make_mut(&mut self.declared);
        declared.retain(|reader| reader.name != name);
        declared.push(DeclaredReader::new(intern_name(name), declaration));
    }

    /// Whether no reader is declared.
    pub fn is_empty(&self) -> bool {
        self.declared.is_empty()
    }

    /// The names of the declared readers, in the order of their declaration.
    pub fn declared_names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.declared.iter().map(|reader| reader.name)
    }

    /// The names of all readers: the declared ones, then the built-in ones.
    pub fn names(&self) -> Vec<&'static str> {
        let built_in = READERS.iter().map(|reader| reader.name).filter(|name| self.find(name).is_none());
        self.declared_names().chain(built_in).collect()
    }

    /// Reads the text of a trace file by the reader called `format`, or else by the one that is surest of it.
    pub fn read(&self, text: &str, format: Option<&str>) -> Result<Recording, TraceError> {
        // A byte order mark is no JSON.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        self.check_name(format)?;
        if text.trim().is_empty() {
            return Err(TraceProblem::Empty.into());
        }
        let mut input = parse_text(text)?;
        let may_be_declared = format.map_or(!self.is_empty(), |name| self.declares(name));
        if !may_be_declared {
            return read_built_in(input, format);
        }
        let has_halves = input.has_halves;
        let document = DeclaredDocument::take_from(&mut input);
        match self.choose(&document, format).as_slice() {
            [] => {
                document.return_to(&mut input);
                read_built_in(input, format).map_err(|error| self.add_objections(text, error))
            }
            [reader] => {
                let mut recording = read_declared(reader, document)?;
                if has_halves {
                    recording.runs.iter_mut().for_each(join_halves);
                }
                Ok(recording)
            }
            several => Err(TraceError::ambiguous(several.iter().map(|reader| reader.name).collect())),
        }
    }

    /// The readers that take `text` for a file of theirs, and how certain each is: the surest first.
    pub fn claims(&self, text: &str) -> Result<Vec<(&'static str, Certainty)>, TraceError> {
        let document = DeclaredDocument::of_input(parse_text(text.strip_prefix('\u{feff}').unwrap_or(text))?);
        let declared = self.choose(&document, None);
        let mut claims: Vec<_> = declared.iter().map(|reader| (reader.name, Certainty::Sure)).collect();
        let built_in = crate::reader::claims(text)?.into_iter();
        claims.extend(built_in.filter(|(name, _)| self.find(name).is_none()));
        Ok(claims)
    }

    /// The name of the declared reader that reads the files of a folder as one run, and the glob of these files.
    pub fn find_folder_readers(&self, format: Option<&str>) -> Vec<(&'static str, &str)> {
        let asked = self.declared.iter().filter(|reader| format.is_none_or(|format| format == reader.name));
        asked.filter_map(|reader| Some((reader.name, reader.folder()?))).collect()
    }

    /// Reads the files of a folder as one document by the declared reader called `format`. Without `is_named`, the
    /// reader may decline.
    pub fn read_folder(
        &self,
        format: &str,
        texts: &[String],
        is_named: bool,
    ) -> Result<Option<Recording>, TraceError> {
        let Some(reader) = self.find(format) else { return Ok(None) };
        let document = join_files(texts)?;
        if !is_named && reader.object_to(&document).is_some() {
            return Ok(None);
        }
        read_declared(reader, document).map(Some)
    }

    /// Reads `text` by each declared reader, whether it recognizes the text or not, and shows what its paths select.
    pub fn survey(&self, text: &str) -> Result<Vec<ReaderSurvey>, TraceError> {
        let input = parse_text(text.strip_prefix('\u{feff}').unwrap_or(text))?;
        let surveyed = self.declared.iter();
        Ok(surveyed
            .map(|reader| survey_document(reader, DeclaredDocument::of_input(input.clone())))
            .collect())
    }

    /// Reads the files of a folder by the declared reader called `format`, and shows what its paths select.
    pub fn survey_folder(&self, format: &str, texts: &[String]) -> Result<Option<ReaderSurvey>, TraceError> {
        let document = join_files(texts)?;
        Ok(self.find(format).map(|reader| survey_document(reader, document)))
    }

    fn find(&self, name: &str) -> Option<&DeclaredReader> {
        self.declared.iter().find(|reader| reader.name == name)
    }

    /// Whether a declared reader has this name.
    pub(crate) fn declares(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// Whether a declared reader reads a file that begins so.
    pub(crate) fn claim(&self, input: &mut Input) -> bool {
        if self.is_empty() {
            return false;
        }
        let document = DeclaredDocument::take_from(input);
        let is_claimed = !self.choose(&document, None).is_empty();
        document.return_to(input);
        is_claimed
    }

    fn check_name(&self, format: Option<&str>) -> Result<(), TraceError> {
        match format {
            Some(name) if !self.names().contains(&name) => {
                Err(TraceError::no_such_format(name, &self.names()))
            }
            _ => Ok(()),
        }
    }

    /// The declared readers that read a document: the one that is named, or those that recognize the document.
    fn choose(&self, document: &DeclaredDocument, format: Option<&str>) -> Vec<&DeclaredReader> {
        match format {
            Some(name) => self.find(name).into_iter().collect(),
            None => self.declared.iter().filter(|reader| reader.object_to(document).is_none()).collect(),
        }
    }

    /// Adds the reasons of the declared readers to an error about a file that no reader knows.
    fn add_objections(&self, text: &str, mut error: TraceError) -> TraceError {
        let TraceProblem::Unknown(declined) = &mut error.problem else { return error };
        let Ok(input) = Input::parse(text) else { return error };
        let document = DeclaredDocument::of_input(input);
        let objections = self.declared.iter().filter_map(|reader| {
            Some(Declined { format: reader.name, reason: reader.object_to(&document)? })
        });
        declined.extend(objections);
        error
    }
}

/// Parses a text. One that is not JSON is named, if it is known.
fn parse_text(text: &str) -> Result<Input<'_>, TraceError> {
    Input::parse(text).map_err(|error| match error.problem {
        TraceProblem::NotJson { .. } => recognize_text(text).unwrap_or(error),
        _ => error,
    })
}

/// The values that the paths of a declared reader select in a text.
#[derive(Debug)]
#[non_exhaustive]
pub struct ReaderSurvey {
    /// The name of the reader.
    pub format: &'static str,
    /// Why the reader does not recognize the text; `None` if it does.
    pub objection: Option<String>,
    /// The values that each path selects.
    pub paths: DeclarationSurvey,
    /// The runs, or why they cannot be read.
    pub runs: Result<Vec<Trace>, TraceError>,
}

/// The files of a folder as one document.
fn join_files(texts: &[String]) -> Result<DeclaredDocument<'_>, TraceError> {
    let inputs = texts.iter().map(|text| Input::parse(text.strip_prefix('\u{feff}').unwrap_or(text)));
    let documents = inputs.map(|input| Ok::<_, TraceError>(DeclaredDocument::of_input(input?)));
    Ok(DeclaredDocument::join(documents.collect::<Result<Vec<_>, _>>()?))
}

fn survey_document(reader: &DeclaredReader, document: DeclaredDocument) -> ReaderSurvey {
    let objection = reader.object_to(&document);
    let (read, paths) = reader.survey(document);
    let runs = read.map_err(|error| TraceError::wrong(reader.name, &error));
    ReaderSurvey { format: reader.name, objection, paths, runs }
}

fn read_declared(reader: &DeclaredReader, document: DeclaredDocument) -> Result<Recording, TraceError> {
    let mut runs = reader.read(document).map_err(|error| TraceError::wrong(reader.name, &error))?;
    if runs.is_empty() {
        let none = crate::reader::error::DecodeError::new("there is no run in it");
        return Err(TraceError::wrong(reader.name, &none));
    }
    for run in &mut runs {
        settle_run(run);
        run.note_results(false);
    }
    Ok(Recording { format: reader.name, runs })
}

/// Keeps the name of a declared reader for the life of the process, as the names of the built-in ones are: names come
/// from the user's files, and each is kept once.
fn intern_name(name: &str) -> &'static str {
    static NAMES: Mutex<Option<HashSet<&'static str>>> = Mutex::new(None);
    // A panic of another thread leaves the set whole, since a name is inserted in one step.
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    let names = names.get_or_insert_with(HashSet::new);
    if let Some(known) = names.get(name) {
        return known;
    }
    let kept: &'static str = Box::leak(name.to_owned().into_boxed_str());
    names.insert(kept);
    kept
}
