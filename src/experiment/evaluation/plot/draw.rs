//! Renders plots as SVG and PNG.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use plotters::coord::Shift;
use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::element::{DashedPathElement, Drawable, PointCollection};
use plotters::prelude::*;
use plotters::style::register_font;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters_backend::DrawingErrorKind;

use super::pairs::UNSOLVED_FACTOR;
use super::{Axis, Corner, Curve, Kind, MINIMUM_TIME, Plot, Point, Scale};

/// Width and height of a plot with curves, in pixels.
const WIDTH: u32 = 760;
const HEIGHT: u32 = 480;

/// Width and height of a scatter plot, in pixels.
const SIDE: u32 = 520;

/// Width and height of a matrix's cells, and of the room for the names of rows and columns, in pixels.
const CELL_SIZE: (i32, i32) = (72, 26);
const ROW_NAMES_WIDTH: i32 = 230;
const COLUMN_NAMES_HEIGHT: i32 = 190;

/// Factor of the size of a PNG.
const PNG_SCALE: u32 = 2;

const FONT: &str = "sans-serif";

/// An error message about a drawing.
type Failure = String;

/// Registers the built-in font, so that plots look the same on all machines.
fn register() {
    static REGISTERED: OnceLock<()> = OnceLock::new();
    REGISTERED.get_or_init(|| {
        // The tests show that the font is valid.
        let _ = register_font(FONT, FontStyle::Normal, dejavu::sans::regular());
        let _ = register_font(FONT, FontStyle::Bold, dejavu::sans::bold());
    });
}

/// Returns width and height of a plot, in pixels.
fn size(plot: &Plot) -> (u32, u32) {
    match &plot.kind {
        Kind::Curves { .. } => (WIDTH, HEIGHT),
        Kind::Pairs { .. } => (SIDE, SIDE),
        Kind::Matrix { rows, columns, .. } => (
            (ROW_NAMES_WIDTH + CELL_SIZE.0 * columns.len() as i32 + 40).max(WIDTH as i32 / 2)
                as u32,
            (COLUMN_NAMES_HEIGHT + CELL_SIZE.1 * rows.len() as i32 + 20) as u32,
        ),
    }
}

/// Returns the plot as SVG.
///
/// # Errors
/// A message when the plot cannot be drawn.
pub fn svg(plot: &Plot) -> Result<String, Failure> {
    register();
    let mut text = String::new();
    draw(
        plot,
        SVGBackend::with_string(&mut text, size(plot)).into_drawing_area(),
        1,
    )?;
    Ok(text)
}

/// Returns the plot as PNG.
///
/// # Errors
/// A message when the plot cannot be drawn, or the system refuses a temporary file.
pub fn png(plot: &Plot) -> Result<Vec<u8>, Failure> {
    register();
    let (width, height) = size(plot);
    let file = tempfile::Builder::new().suffix(".png").tempfile();
    let file = file.map_err(|error| error.to_string())?;
    let area = BitMapBackend::new(file.path(), (width * PNG_SCALE, height * PNG_SCALE));
    draw(plot, area.into_drawing_area(), PNG_SCALE)?;
    std::fs::read(file.path()).map_err(|error| error.to_string())
}

type Area<B> = DrawingArea<B, Shift>;

/// Draws the plot, enlarged by the factor.
fn draw<B: DrawingBackend>(plot: &Plot, area: Area<B>, scale: u32) -> Result<(), Failure> {
    let words = |error: DrawingAreaErrorKind<B::ErrorType>| error.to_string();
    area.fill(&WHITE).map_err(words)?;
    match &plot.kind {
        Kind::Curves {
            x,
            y,
            legend,
            curves,
        } => {
            let (xs, ys) = (
                extent(curves, |point| point.0, x),
                extent(curves, |point| point.1, y),
            );
            let figure = Figure {
                area: &area,
                title: &plot.title,
                labels: (&x.label, &y.label),
                scale,
            };
            match (x.scale, y.scale) {
                (Scale::Linear, Scale::Linear) => {
                    figure.curves(xs.0..xs.1, ys.0..ys.1, *legend, curves)
                }
                (Scale::Linear, Scale::Logarithmic) => {
                    figure.curves(xs.0..xs.1, (ys.0..ys.1).log_scale(), *legend, curves)
                }
                (Scale::Logarithmic, Scale::Linear) => {
                    figure.curves((xs.0..xs.1).log_scale(), ys.0..ys.1, *legend, curves)
                }
                (Scale::Logarithmic, Scale::Logarithmic) => figure.curves(
                    (xs.0..xs.1).log_scale(),
                    (ys.0..ys.1).log_scale(),
                    *legend,
                    curves,
                ),
            }
        }
        Kind::Pairs {
            x,
            y,
            limit,
            points,
        } => Figure {
            area: &area,
            title: &plot.title,
            labels: (x, y),
            scale,
        }
        .pairs(*limit, points),
        Kind::Matrix { .. } => matrix(&area, plot, scale as i32),
    }
    .map_err(words)?;
    area.present().map_err(words)
}

type Drawn<B> = Result<(), DrawingAreaErrorKind<<B as DrawingBackend>::ErrorType>>;

/// Returns the range of an axis, which is not empty.
fn extent(curves: &[Curve], value: impl Fn(&(f64, f64)) -> f64, axis: &Axis) -> (f64, f64) {
    let points = curves.iter().flat_map(|curve| &curve.points);
    let (mut least, mut greatest) = match axis.scale {
        Scale::Linear => (0.0, 1.0),
        Scale::Logarithmic => (MINIMUM_TIME, 1.0),
    };
    for point in points {
        least = value(point).min(least);
        greatest = value(point).max(greatest);
    }
    match axis.scale {
        Scale::Linear => (least, greatest + (greatest - least) * 0.02),
        Scale::Logarithmic => (least, greatest * 1.1),
    }
}

/// The common part of plots with axes.
struct Figure<'f, B: DrawingBackend> {
    area: &'f Area<B>,
    title: &'f str,
    labels: (&'f str, &'f str),
    scale: u32,
}

/// Formats a number at an axis.
fn tick(value: &f64) -> String {
    let rounded = (value * 1e6).round() / 1e6;
    format!("{rounded}")
}

/// Cuts a name off after the number of characters.
fn short(name: &str, most: usize) -> String {
    match name.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

impl<B: DrawingBackend> Figure<'_, B> {
    fn pixels(&self, number: u32) -> u32 {
        number * self.scale
    }

    fn curves<X, Y>(&self, x: X, y: Y, legend: Corner, curves: &[Curve]) -> Drawn<B>
    where
        X: AsRangedCoord<Value = f64>,
        Y: AsRangedCoord<Value = f64>,
        X::CoordDescType: ValueFormatter<f64>,
        Y::CoordDescType: ValueFormatter<f64>,
    {
        let mut chart = ChartBuilder::on(self.area)
            .caption(short(self.title, 70), (FONT, self.pixels(15)))
            .margin(self.pixels(10))
            .x_label_area_size(self.pixels(38))
            .y_label_area_size(self.pixels(58))
            .build_cartesian_2d(x, y)?;
        self.mesh(&mut chart)?;
        for (index, curve) in curves.iter().enumerate() {
            let line = Line::of(index, self.scale, curves.len());
            let length = self.pixels(LEGEND_LINE) as i32;
            let points = curve.points.iter().copied();
            chart
                .draw_series(DashedLineSeries::new(
                    points, line.dash, line.gap, line.style,
                ))?
                .label(short(&curve.name, 40))
                .legend(move |at| Sample { at, length, line });
            let marked = marked(curve, index).into_iter();
            chart.draw_series(marked.map(|at| Mark { at, line }))?;
        }
        chart
            .configure_series_labels()
            .position(match legend {
                Corner::UpperLeft => SeriesLabelPosition::UpperLeft,
                Corner::LowerLeft => SeriesLabelPosition::LowerLeft,
            })
            .legend_area_size(self.pixels(LEGEND_LINE + 6))
            .margin(self.pixels(6))
            .background_style(WHITE.mix(0.8))
            .border_style(BLACK.mix(0.2))
            .label_font((FONT, self.pixels(11)))
            .draw()
    }

    fn mesh<X, Y>(&self, chart: &mut ChartContext<'_, B, Cartesian2d<X, Y>>) -> Drawn<B>
    where
        X: Ranged<ValueType = f64> + ValueFormatter<f64>,
        Y: Ranged<ValueType = f64> + ValueFormatter<f64>,
    {
        chart
            .configure_mesh()
            .x_desc(short(self.labels.0, 70))
            .y_desc(short(self.labels.1, 70))
            .x_label_formatter(&tick)
            .y_label_formatter(&tick)
            .label_style((FONT, self.pixels(11)))
            .axis_desc_style((FONT, self.pixels(12)))
            .light_line_style(BLACK.mix(0.04))
            .bold_line_style(BLACK.mix(0.12))
            .draw()
    }

    fn pairs(&self, limit: f64, points: &[Point]) -> Drawn<B> {
        let end = limit * UNSOLVED_FACTOR * 1.15;
        let begin = MINIMUM_TIME * 0.8;
        let mut chart = ChartBuilder::on(self.area)
            .caption(short(self.title, 55), (FONT, self.pixels(14)))
            .margin(self.pixels(10))
            .x_label_area_size(self.pixels(38))
            .y_label_area_size(self.pixels(58))
            .build_cartesian_2d((begin..end).log_scale(), (begin..end).log_scale())?;
        self.mesh(&mut chart)?;
        let faint = BLACK.mix(0.35).stroke_width(self.scale);
        for factor in [0.1, 1.0, 10.0] {
            let (from, to) = ((begin / factor).max(begin), (end / factor).min(end));
            let line = [(from, from * factor), (to, to * factor)];
            chart.draw_series(LineSeries::new(line, faint))?;
        }
        let border = BLACK.mix(0.6).stroke_width(self.scale);
        let (dash, gap) = (self.pixels(6), self.pixels(4));
        for line in [
            [(limit, begin), (limit, end)],
            [(begin, limit), (end, limit)],
        ] {
            chart.draw_series(DashedLineSeries::new(line, dash, gap, border))?;
        }
        // Points at the same place are drawn once.
        let place = |value: f64| (value.ln() * 150.0) as i64;
        let mut seen = BTreeSet::new();
        let shown = points
            .iter()
            .filter(|point| seen.insert((place(point.x), place(point.y), point.is_wrong)));
        let shown: Vec<&Point> = shown.collect();
        let radius = self.pixels(3);
        let of = |is_wrong: bool| {
            let wanted = shown.iter().filter(move |point| point.is_wrong == is_wrong);
            wanted.map(|point| (point.x, point.y))
        };
        let right = COLOURS[0].mix(0.55).filled();
        chart.draw_series(of(false).map(|at| Circle::new(at, radius, right)))?;
        // Wrong answers have another shape, too, for those who do not see the colour.
        let wrong = COLOURS[1].stroke_width(self.pixels(2));
        chart.draw_series(of(true).map(|at| Cross::new(at, 2 * radius, wrong)))?;
        Ok(())
    }
}

/// The colours of lines: all are dark on white, none is yellow, and most people can tell them apart.
const COLOURS: [RGBColor; 7] = [
    RGBColor(11, 87, 184),
    RGBColor(179, 38, 30),
    RGBColor(18, 112, 58),
    RGBColor(138, 75, 0),
    RGBColor(106, 61, 154),
    RGBColor(40, 40, 40),
    RGBColor(0, 112, 138),
];

/// The lengths of dashes and gaps, in pixels. The first line is solid.
const DASHES: [(u32, u32); 4] = [(1 << 20, 1), (9, 4), (2, 3), (20, 4)];

/// Number of shapes of marks on lines.
const SHAPES: usize = 5;

/// Maximum number of marks on a line.
const MARKS: usize = 8;

/// The length of a line in the legend, in pixels.
const LEGEND_LINE: u32 = 34;

/// The look of a curve. Dashes and marks tell the first twenty apart also where there are no colours.
#[derive(Copy, Clone)]
struct Line {
    style: ShapeStyle,
    dash: u32,
    gap: u32,
    shape: usize,
    radius: i32,
}

impl Line {
    /// Returns the look of the curve with the number.
    fn of(index: usize, scale: u32, curves: usize) -> Self {
        let (dash, gap) = DASHES[index % DASHES.len()];
        let width = scale * if curves > 6 { 1 } else { 2 };
        Self {
            style: COLOURS[index % COLOURS.len()].stroke_width(width),
            dash: dash * scale,
            gap: gap * scale,
            shape: index % SHAPES,
            radius: 3 * scale as i32,
        }
    }
}

/// A mark of a line at a point.
struct Mark<C> {
    at: C,
    line: Line,
}

impl<'m, C> PointCollection<'m, C> for &'m Mark<C> {
    type Point = &'m C;
    type IntoIter = std::iter::Once<&'m C>;

    fn point_iter(self) -> Self::IntoIter {
        std::iter::once(&self.at)
    }
}

impl<C, B: DrawingBackend> Drawable<B> for Mark<C> {
    fn draw<I: Iterator<Item = (i32, i32)>>(
        &self,
        mut places: I,
        backend: &mut B,
        _: (u32, u32),
    ) -> Result<(), DrawingErrorKind<B::ErrorType>> {
        let Some((x, y)) = places.next() else {
            return Ok(());
        };
        let (style, radius) = (&self.line.style, self.line.radius);
        let (from, to) = ((x - radius, y - radius), (x + radius, y + radius));
        match self.line.shape {
            0 => backend.draw_circle((x, y), radius as u32, style, true),
            1 => backend.fill_polygon([from, (to.0, from.1), (x, to.1 + 1)], style),
            2 => {
                backend.draw_line(from, to, style)?;
                backend.draw_line((from.0, to.1), (to.0, from.1), style)
            }
            3 => backend.draw_rect(from, to, style, true),
            _ => backend.draw_circle((x, y), radius as u32, style, false),
        }
    }
}

/// A line with a mark in the legend.
struct Sample {
    at: (i32, i32),
    length: i32,
    line: Line,
}

impl<'s> PointCollection<'s, (i32, i32)> for &'s Sample {
    type Point = (i32, i32);
    type IntoIter = [(i32, i32); 2];

    fn point_iter(self) -> Self::IntoIter {
        let (x, y) = self.at;
        [(x, y), (x + self.length, y)]
    }
}

impl<B: DrawingBackend> Drawable<B> for Sample {
    fn draw<I: Iterator<Item = (i32, i32)>>(
        &self,
        places: I,
        backend: &mut B,
        size: (u32, u32),
    ) -> Result<(), DrawingErrorKind<B::ErrorType>> {
        let Line {
            dash, gap, style, ..
        } = self.line;
        let ends: Vec<(i32, i32)> = places.collect();
        let Some(&(x, y)) = ends.first() else {
            return Ok(());
        };
        let path = DashedPathElement::new(ends.clone(), dash, gap, style);
        path.draw(ends.into_iter(), backend, size)?;
        let line = self.line;
        let middle = (x + self.length / 2, y);
        Mark { at: middle, line }.draw(std::iter::once(middle), backend, size)
    }
}

/// Returns the points of the curve that have a mark; those of different curves are not at the same places.
fn marked(curve: &Curve, index: usize) -> Vec<(f64, f64)> {
    let step = curve.points.len().div_ceil(MARKS).max(1);
    let points = curve.points.iter().copied();
    points.skip(index % step).step_by(step).collect()
}

fn matrix<B: DrawingBackend>(area: &Area<B>, plot: &Plot, scale: i32) -> Drawn<B> {
    let Kind::Matrix {
        row,
        column,
        rows,
        columns,
        values,
    } = &plot.kind
    else {
        return Ok(());
    };
    let at = |x: i32, y: i32| (x * scale, y * scale);
    let style = |size: i32, anchor: Pos| {
        TextStyle::from((FONT, size * scale).into_font())
            .pos(anchor)
            .color(&BLACK)
    };
    let greatest = values.iter().copied().max().unwrap_or(0).max(1) as f64;
    let left = Pos::new(HPos::Left, VPos::Center);
    let right = Pos::new(HPos::Right, VPos::Center);
    let middle = Pos::new(HPos::Center, VPos::Center);
    area.draw_text(&short(&plot.title, 60), &style(15, left), at(10, 16))?;
    area.draw_text(
        &format!("{row}  \\  {column}"),
        &style(11, right),
        at(ROW_NAMES_WIDTH - 10, COLUMN_NAMES_HEIGHT - 14),
    )?;
    for (index, name) in columns.iter().enumerate() {
        let x = ROW_NAMES_WIDTH + CELL_SIZE.0 * index as i32 + CELL_SIZE.0 / 2;
        let turned = TextStyle::from(
            (FONT, 11 * scale)
                .into_font()
                .transform(FontTransform::Rotate270),
        );
        let turned = turned.pos(left).color(&BLACK);
        area.draw_text(&short(name, 22), &turned, at(x, COLUMN_NAMES_HEIGHT - 8))?;
    }
    for (line, name) in rows.iter().enumerate() {
        let y = COLUMN_NAMES_HEIGHT + CELL_SIZE.1 * line as i32;
        area.draw_text(
            &short(name, 30),
            &style(11, right),
            at(ROW_NAMES_WIDTH - 10, y + CELL_SIZE.1 / 2),
        )?;
        for index in 0..columns.len() {
            let value = values[line * columns.len() + index];
            let part = (value as f64).ln_1p() / greatest.ln_1p();
            let x = ROW_NAMES_WIDTH + CELL_SIZE.0 * index as i32;
            let cell = [at(x, y), at(x + CELL_SIZE.0 - 2, y + CELL_SIZE.1 - 2)];
            let colour = COLOURS[0].mix(0.05 + 0.6 * part);
            area.draw(&Rectangle::new(cell, colour.filled()))?;
            if value > 0 {
                let place = at(x + CELL_SIZE.0 / 2, y + CELL_SIZE.1 / 2);
                area.draw_text(&value.to_string(), &style(11, middle), place)?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The relative luminance of the Web Content Accessibility Guidelines.
    fn luminance(colour: RGBColor) -> f64 {
        let part = |value: u8| {
            let value = f64::from(value) / 255.0;
            match value <= 0.04045 {
                true => value / 12.92,
                false => ((value + 0.055) / 1.055).powf(2.4),
            }
        };
        0.2126 * part(colour.0) + 0.7152 * part(colour.1) + 0.0722 * part(colour.2)
    }

    #[test]
    fn lines_are_readable_on_white_and_without_colours() {
        for colour in COLOURS {
            let contrast = 1.05 / (luminance(colour) + 0.05);
            assert!(contrast >= 4.5, "{colour:?} has a contrast of {contrast}");
        }
        let looks = (0..DASHES.len() * SHAPES).map(|index| {
            let line = Line::of(index, 1, 1);
            (line.dash, line.shape)
        });
        let looks: BTreeSet<(u32, usize)> = looks.collect();
        assert_eq!(looks.len(), DASHES.len() * SHAPES);
    }

    #[test]
    fn no_curve_has_more_marks_than_the_most() {
        for points in [0, 1, 7, 8, 9, 100, 1001] {
            let curve = Curve {
                name: String::new(),
                points: (0..points).map(|x| (f64::from(x), 1.0)).collect(),
            };
            for index in 0..4 {
                assert!(marked(&curve, index).len() <= MARKS);
            }
        }
    }
}
