//! The control-flow automaton as drawings, one for each function.

use std::collections::BTreeSet;

use serde::Serialize;

use super::layered::{Drawing, layout};
use crate::place::Place;
use regatta_run::findings::{Automaton, AutomatonEdge, AutomatonFunction, LocationKind};

/// Maximum number of edges of a function that is drawn.
const MAXIMUM_EDGES_PER_FUNCTION: usize = 150;
/// Maximum number of edges that are drawn in all.
const MAXIMUM_EDGES: usize = 600;

/// Maximum number of lines of an edge's label, and of characters in a line.
const MAXIMUM_LABEL_LINES: usize = 6;
const MAXIMUM_LABEL_COLUMNS: usize = 46;

const CHARACTER_WIDTH: f64 = 6.7;
const LINE_HEIGHT: f64 = 14.0;
const PADDING: f64 = 7.0;

/// The drawings, and the names of the functions that are not drawn.
#[derive(Debug, Default, Serialize)]
pub struct AutomatonView {
    pub functions: Vec<FunctionView>,
    pub left_out: Vec<String>,
}

/// A function's drawing.
#[derive(Debug, Serialize)]
pub struct FunctionView {
    pub name: String,
    pub width: f64,
    pub height: f64,
    pub boxes: Vec<BoxView>,
    pub arrows: Vec<ArrowView>,
}

/// A location, or the label of an edge.
#[derive(Debug, Serialize)]
pub struct BoxView {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
    pub class: String,
    /// Its whole text.
    pub title: String,
    pub lines: Vec<TextView>,
    /// Its place in the source, for a link.
    pub place: Option<Place>,
}

/// A line of text in a box.
#[derive(Debug, Serialize)]
pub struct TextView {
    pub x: f64,
    pub y: f64,
    pub text: String,
}

/// A curve between two boxes.
#[derive(Debug, Serialize)]
pub struct ArrowView {
    /// The path in SVG's notation.
    pub path: String,
    pub class: String,
    /// Whether it ends at a location.
    pub has_head: bool,
}

/// Draws the automaton, and marks the locations and edges on the path.
pub fn view(automaton: &Automaton, path: &BTreeSet<(String, usize)>) -> AutomatonView {
    let mut view = AutomatonView {
        left_out: automaton.left_out.clone(),
        ..AutomatonView::default()
    };
    let mut drawn = 0;
    for function in &automaton.functions {
        let edges = function.edges.len();
        if edges > MAXIMUM_EDGES_PER_FUNCTION || drawn + edges > MAXIMUM_EDGES {
            view.left_out.push(function.name.clone());
        } else {
            drawn += edges;
            view.functions.push(draw(function, path));
        }
    }
    view
}

fn draw(function: &AutomatonFunction, path: &BTreeSet<(String, usize)>) -> FunctionView {
    let index_of = |id: u32| function.locations.iter().position(|at| at.id == id);
    let is_passed = |place: &Option<Place>| {
        let place = place.as_ref();
        place.is_some_and(|place| path.contains(&(place.file.clone(), place.line)))
    };
    // The entry is the first node, from which the depth-first search of the layout begins.
    let mut boxes: Vec<BoxView> = Vec::new();
    let mut order: Vec<usize> = (0..function.locations.len()).collect();
    order.sort_by_key(|&index| function.locations[index].kind != LocationKind::Entry);
    let mut node_of = vec![0; order.len()];
    for (node, &index) in order.iter().enumerate() {
        node_of[index] = node;
        let location = &function.locations[index];
        let place = Place::parse(&location.place);
        let (class, what) = match location.kind {
            LocationKind::Entry => ("entry", "entry"),
            LocationKind::Exit => ("exit", "exit"),
            LocationKind::Error => ("error", "error"),
            LocationKind::LoopHead => ("head", "loop"),
            LocationKind::Inner => ("inner", ""),
        };
        let text = match (&place, what) {
            (Some(place), "") => format!("line {}", place.line),
            (Some(place), what) => format!("{what}, line {}", place.line),
            (None, "") => format!("L{}", location.id),
            (None, what) => what.to_owned(),
        };
        let mark = if is_passed(&place) { " passed" } else { "" };
        let title = format!("location L{} ({text})", location.id);
        boxes.push(text_box(
            vec![text],
            format!("location {class}{mark}"),
            title,
            place,
        ));
    }
    let mut drawing = Drawing::default();
    let mut passed = Vec::new();
    for edge in &function.edges {
        let (Some(source), Some(target)) = (index_of(edge.source), index_of(edge.target)) else {
            continue;
        };
        let (source, target) = (node_of[source], node_of[target]);
        let place = Place::parse(&edge.place);
        let mark = if is_passed(&place) { " passed" } else { "" };
        if edge.operations.is_empty() && source != target {
            drawing.edges.push((source, target));
            passed.push(mark);
            continue;
        }
        let label = boxes.len();
        boxes.push(label_box(edge, mark, place));
        drawing.edges.extend([(source, label), (label, target)]);
        passed.extend([mark, mark]);
    }
    drawing.sizes = boxes.iter().map(|one| (one.width, one.height)).collect();
    let layout = layout(&drawing);
    for (one, &(x, y)) in boxes.iter_mut().zip(&layout.nodes) {
        one.x = round(x - one.width / 2.0);
        one.y = round(y - one.height / 2.0);
        for line in &mut one.lines {
            line.x = round(line.x + one.x);
            line.y = round(line.y + one.y);
        }
    }
    let ends = drawing.edges.iter().zip(&layout.bends).zip(passed);
    let arrows = ends.map(|((&(source, target), bends), mark)| ArrowView {
        path: arrow(&boxes[source], &boxes[target], bends),
        class: mark.trim().to_owned(),
        has_head: target < function.locations.len(),
    });
    FunctionView {
        name: function.name.clone(),
        width: round(layout.width),
        height: round(layout.height),
        arrows: arrows.collect(),
        boxes,
    }
}

fn label_box(edge: &AutomatonEdge, mark: &str, place: Option<Place>) -> BoxView {
    let mut lines: Vec<String> = edge.operations.iter().map(|text| cut(text)).collect();
    if lines.is_empty() {
        lines.push("no operation".to_owned());
    }
    if lines.len() > MAXIMUM_LABEL_LINES {
        let more = lines.len() - (MAXIMUM_LABEL_LINES - 1);
        lines.truncate(MAXIMUM_LABEL_LINES - 1);
        lines.push(format!("… {more} more"));
    }
    let title = edge.operations.join("\n");
    text_box(lines, format!("label{mark}"), title, place)
}

/// Returns a box around the lines, whose positions are relative to it.
fn text_box(lines: Vec<String>, class: String, title: String, place: Option<Place>) -> BoxView {
    let longest = lines.iter().map(|line| line.chars().count()).max();
    let width = longest.unwrap_or(0) as f64 * CHARACTER_WIDTH + 2.0 * PADDING;
    let height = lines.len() as f64 * LINE_HEIGHT + PADDING;
    let lines = lines.into_iter().enumerate().map(|(index, text)| TextView {
        x: PADDING,
        y: PADDING / 2.0 + (index as f64 + 0.78) * LINE_HEIGHT,
        text,
    });
    BoxView {
        x: 0.0,
        y: 0.0,
        width: round(width),
        height: round(height),
        class,
        title,
        lines: lines.collect(),
        place,
    }
}

fn cut(text: &str) -> String {
    match text.chars().count() > MAXIMUM_LABEL_COLUMNS {
        true => text
            .chars()
            .take(MAXIMUM_LABEL_COLUMNS - 1)
            .chain(['…'])
            .collect(),
        false => text.to_owned(),
    }
}

/// Returns the curve from one box to the other through the bends, which leaves and arrives vertically.
fn arrow(source: &BoxView, target: &BoxView, bends: &[(f64, f64)]) -> String {
    let middle = |one: &BoxView| one.x + one.width / 2.0;
    let is_down = source.y < target.y;
    let (begin, end) = match is_down {
        true => (source.y + source.height, target.y),
        false => (source.y, target.y + target.height),
    };
    let mut points = vec![(middle(source), begin)];
    points.extend_from_slice(bends);
    points.push((middle(target), end));
    let mut path = format!("M{} {}", round(points[0].0), round(points[0].1));
    for pair in points.windows(2) {
        let [(from_x, from_y), (to_x, to_y)] = [pair[0], pair[1]];
        let half = (from_y + to_y) / 2.0;
        let numbers = [from_x, half, to_x, half, to_x, to_y].map(round);
        let [a, b, c, d, e, f] = numbers;
        path.push_str(&format!(" C{a} {b} {c} {d} {e} {f}"));
    }
    path
}

fn round(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use regatta_run::findings::AutomatonLocation;

    fn function(name: &str, length: u32) -> AutomatonFunction {
        let kind = |id| match id {
            0 => LocationKind::Entry,
            _ => LocationKind::Inner,
        };
        AutomatonFunction {
            name: name.to_owned(),
            locations: (0..=length)
                .map(|id| AutomatonLocation {
                    id,
                    kind: kind(id),
                    place: format!("a.c:{}:1", id + 1),
                })
                .collect(),
            edges: (0..length)
                .map(|id| AutomatonEdge {
                    source: id,
                    target: id + 1,
                    operations: vec![format!("x = {id}"); id as usize * 4],
                    place: format!("a.c:{}:1", id + 1),
                })
                .collect(),
        }
    }

    #[test]
    fn locations_and_edges_with_operations_are_boxes() {
        let automaton = Automaton {
            functions: vec![function("main", 3), function("large", 200)],
            left_out: vec!["larger".to_owned()],
        };
        let path = BTreeSet::from([("a.c".to_owned(), 2)]);
        let view = view(&automaton, &path);
        assert_eq!(view.left_out, ["larger", "large"]);
        let [main] = &view.functions[..] else {
            panic!("one is drawn");
        };
        // Four locations, and two edges with operations.
        assert_eq!(main.boxes.len(), 6);
        assert_eq!(main.arrows.len(), 1 + 2 * 2);
        assert_eq!(main.arrows.iter().filter(|arrow| arrow.has_head).count(), 3);
        let passed = main
            .boxes
            .iter()
            .filter(|one| one.class.ends_with(" passed"));
        assert_eq!(passed.count(), 2);
        let last = &main.boxes[5];
        assert_eq!(last.lines.len(), MAXIMUM_LABEL_LINES);
        assert_eq!(last.lines[MAXIMUM_LABEL_LINES - 1].text, "… 3 more");
        assert_eq!(last.title.lines().count(), 8);
    }

    #[test]
    fn long_lines_are_cut() {
        let text = cut(&"\u{fc}".repeat(100));
        assert_eq!(text.chars().count(), MAXIMUM_LABEL_COLUMNS);
    }
}
