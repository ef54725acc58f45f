//! Renders plots as SVG and PNG.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use plotters::coord::Shift;
use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::prelude::*;
use plotters::style::register_font;
use plotters::style::text_anchor::{HPos, Pos, VPos};

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
            let colour = Palette99::pick(index).to_rgba();
            let width = self.pixels(if curves.len() > 6 { 1 } else { 2 });
            let style = colour.stroke_width(width);
            let length = self.pixels(16) as i32;
            chart
                .draw_series(LineSeries::new(curve.points.iter().copied(), style))?
                .label(short(&curve.name, 40))
                .legend(move |(x, y)| PathElement::new([(x, y), (x + length, y)], style));
        }
        chart
            .configure_series_labels()
            .position(match legend {
                Corner::UpperLeft => SeriesLabelPosition::UpperLeft,
                Corner::LowerLeft => SeriesLabelPosition::LowerLeft,
            })
            .legend_area_size(self.pixels(22))
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
        let border = RED.mix(0.4).stroke_width(self.scale);
        for line in [
            [(limit, begin), (limit, end)],
            [(begin, limit), (end, limit)],
        ] {
            chart.draw_series(LineSeries::new(line, border))?;
        }
        // Points at the same place are drawn once.
        let place = |value: f64| (value.ln() * 150.0) as i64;
        let mut seen = BTreeSet::new();
        let shown = points
            .iter()
            .filter(|point| seen.insert((place(point.x), place(point.y), point.is_wrong)));
        let radius = self.pixels(3);
        chart.draw_series(shown.map(|point| {
            let colour = match point.is_wrong {
                true => RED.to_rgba(),
                false => RGBColor(11, 87, 184).mix(0.55),
            };
            Circle::new((point.x, point.y), radius, colour.filled())
        }))?;
        Ok(())
    }
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
            let colour = RGBColor(11, 87, 184).mix(0.05 + 0.6 * part);
            area.draw(&Rectangle::new(cell, colour.filled()))?;
            if value > 0 {
                let place = at(x + CELL_SIZE.0 / 2, y + CELL_SIZE.1 / 2);
                area.draw_text(&value.to_string(), &style(11, middle), place)?;
            }
        }
    }
    Ok(())
}
