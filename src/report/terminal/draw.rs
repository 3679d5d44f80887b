//! Draws one diagnostic with `annotate-snippets`.

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use super::notes::DiagnosticNotes;
use crate::place::Location;
use crate::report::plain::{escape_line, escape_text};

/// The first line of a diagnostic.
pub(super) struct DiagnosticTitle<'t> {
    pub(super) id: Option<&'t str>,
    pub(super) problem: &'t str,
}

/// A place and the label under its caret.
pub(super) struct DiagnosticMark<'m> {
    pub(super) at: &'m Location,
    pub(super) label: String,
}

/// Renders one diagnostic: its title, the places (the first is the one that IDEs link), and notes. Text from a trace is
/// escaped before, or here.
pub(super) fn draw_diagnostic(
    title: &DiagnosticTitle<'_>,
    marks: &[DiagnosticMark<'_>],
    notes: &DiagnosticNotes,
) -> String {
    let mut heading = Level::ERROR.primary_title(escape_line(title.problem));
    if let Some(id) = title.id {
        heading = heading.id(id.to_owned());
    }
    let group = marks
        .iter()
        .enumerate()
        .fold(Group::with_title(heading), |group, (index, mark)| add_mark(group, index, mark));
    let group = notes.0.iter().fold(group, |group, (name, text)| {
        let level = match name.as_deref() {
            Some("help") => Level::HELP,
            Some(name) => Level::NOTE.with_name(name.to_owned()),
            None => Level::NOTE.no_name(),
        };
        group.element(level.message(text.clone()))
    });
    // The output is read in logs and by IDEs, so there are no colours and no box characters.
    let mut drawn = Renderer::plain().decor_style(DecorStyle::Ascii).render(&[group]);
    drawn.push('\n');
    drawn
}

fn add_mark<'g>(group: Group<'g>, index: usize, mark: &DiagnosticMark<'_>) -> Group<'g> {
    let at = mark.at;
    let path = escape_line(&at.file);
    let origin = Origin::path(path.clone()).line(at.line).char_column(at.column);
    // Without the text of the line there is nothing to underline, as for a file that cannot be read.
    if at.text.is_empty() {
        return group.element(origin);
    }
    let kind = if index == 0 { AnnotationKind::Primary } else { AnnotationKind::Context };
    let mut annotation = kind.span(escaped_offset(at, at.column)..escaped_offset(at, at.end_column));
    if !mark.label.is_empty() {
        annotation = annotation.label(escape_line(&mark.label));
    }
    // A part of a long line begins with the sign of a cut.
    let cut = if at.skipped > 0 { CUT } else { "" };
    let text = format!("{cut}{}", escape_text(&at.text));
    let snippet = Snippet::source(text).line_start(at.line).annotation(annotation);
    // The column of a snippet with a path is counted in its text, which is only a part of a long line.
    if at.skipped > 0 { group.element(origin).element(snippet) } else { group.element(snippet.path(path)) }
}

/// Stands for the part of a long line before its text.
const CUT: &str = "...";

/// Returns the byte offset in the escaped text of the character at `column`, counted from 1. Escaping makes text longer, so
/// the text before the character is escaped and measured.
fn escaped_offset(at: &Location, column: usize) -> usize {
    let text = &at.text;
    let index = column.saturating_sub(1 + at.skipped);
    let offset = text.char_indices().nth(index).map_or(text.len(), |(at, _)| at);
    let cut = if at.skipped > 0 { CUT.len() } else { 0 };
    cut + escape_text(&text[..offset]).len()
}
