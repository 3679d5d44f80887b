//! `include: shared/refund.yaml`: keys of a case in a file that several cases share.
//!
//! An included file is combined with a case like the defaults of a suite. Its tree becomes a part of the document that includes
//! it: the offsets of its values lie behind the text of that document, and [`Source::with_attached`] leads them back.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::combine::{ReplacedGate, combine_with_defaults};
use super::copies::CopyBudget;
use super::keys;
use crate::check::Scope;
use crate::place::{LoadError, LoadErrors, Source, Span};
use crate::yaml::{Key, Node, Tree, Value};

/// The deepest chain of files that include each other.
const MAX_DEPTH: usize = 16;

/// The files that the cases of one file include.
pub(super) struct IncludedFiles {
    /// The file of cases, with all included files behind it.
    pub(super) source: Arc<Source>,
    attached: Vec<(u32, Arc<Source>)>,
    blocks: HashMap<PathBuf, Vec<(Key, Tree)>>,
}

impl IncludedFiles {
    /// Starts without any file that `source` includes.
    pub(super) fn new(source: &Arc<Source>) -> Self {
        Self { source: Arc::clone(source), attached: Vec::new(), blocks: HashMap::new() }
    }

    /// The paths of all files that were included.
    pub(super) fn into_paths(self) -> impl Iterator<Item = PathBuf> {
        self.blocks.into_keys()
    }

    /// Adds the files that a case includes to its entries, and returns the gates that the case replaces. `chain` holds
    /// the files that led to `tree`, the outermost first.
    pub(super) fn include_into(
        &mut self,
        tree: &mut Tree,
        scope: &Scope<'_>,
        copies: &mut CopyBudget,
        chain: &mut Vec<PathBuf>,
    ) -> Result<Vec<ReplacedGate>, LoadErrors> {
        let Value::Map(entries) = &mut tree.value else { return Ok(Vec::new()) };
        let Some(at) = entries.iter().position(|(key, _)| key.name == "include") else {
            return Ok(Vec::new());
        };
        // The key is taken out, as the merged tree is read as if it had been written whole.
        let (_, named) = entries.remove(at);
        let mut replaced = Vec::new();
        let mut errors = LoadErrors::new();
        let source = Arc::clone(&self.source);
        for node in named.node(&source).one_or_many() {
            if let Some(block) = errors.take(self.read_block(node, scope, copies, chain)) {
                replaced.extend(combine_with_defaults(tree, &block, copies));
            }
        }
        errors.or(replaced)
    }

    fn read_block(
        &mut self,
        node: Node<'_>,
        scope: &Scope<'_>,
        copies: &mut CopyBudget,
        chain: &mut Vec<PathBuf>,
    ) -> Result<Vec<(Key, Tree)>, LoadErrors> {
        let path = scope.path(node)?;
        // The limit also ends a chain of files that never repeats.
        if chain.contains(&path) || chain.len() >= MAX_DEPTH {
            return Err(refuse_cycle(node, chain, &path, scope).into());
        }
        if let Some(known) = self.blocks.get(&path) {
            return Ok(known.clone());
        }
        let document = scope.files.document(&path).map_err(|errors| scope.blame(node, &path, errors))?;
        keys::check_defaults(document.root(), "an included file")?;
        let mut block = self.attach(&document.source, &document.root);
        // What the file includes is found from its own folder, and with it in the chain, so that a circle is seen.
        chain.push(path.clone());
        let folder = path.parent().unwrap_or(scope.folder);
        let included = self.include_into(&mut block, &Scope { folder, ..*scope }, copies, chain);
        chain.pop();
        included?;
        let Value::Map(entries) = block.value else { return Ok(Vec::new()) };
        // A block that many cases include is read once.
        self.blocks.insert(path, entries.clone());
        Ok(entries)
    }

    /// Puts a file behind the others, and returns its tree with the offsets that it has there.
    fn attach(&mut self, source: &Arc<Source>, tree: &Tree) -> Tree {
        let (last, length) = match self.attached.last() {
            Some((start, source)) => (*start, source.text().len()),
            None => (0, self.source.text().len()),
        };
        // Offsets go on behind the last file, so that one number says both the file and the place in it.
        let start = last.saturating_add(u32::try_from(length).unwrap_or(u32::MAX)).saturating_add(1);
        self.attached.push((start, Arc::clone(source)));
        self.source = self.source.with_attached(self.attached.clone());
        tree.map_spans(&|span| shift_span(span, start))
    }
}

fn refuse_cycle(node: Node<'_>, chain: &[PathBuf], path: &Path, scope: &Scope<'_>) -> LoadError {
    let names: Vec<String> =
        chain.iter().map(PathBuf::as_path).chain([path]).map(|path| scope.files.name(path)).collect();
    node.error(format!("`{}` includes itself: {}", scope.files.name(path), names.join(" -> ")))
}

fn shift_span(span: Span, by: u32) -> Span {
    Span { start: span.start.saturating_add(by), end: span.end.saturating_add(by) }
}
