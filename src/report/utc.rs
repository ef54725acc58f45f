//! Timestamps in universal time, in the format of ISO 8601 and RFC 3339.

/// Formats a Unix time to the second.
pub fn seconds(since: u64) -> String {
    format!("{}Z", civil(since))
}

/// Formats a Unix time to the millisecond; `None` if it is not known (zero).
pub fn milliseconds(since: f64) -> Option<String> {
    if since <= 0.0 {
        return None;
    }
    let milliseconds = (since * 1e3) as u64;
    let (since, fraction) = (milliseconds / 1000, milliseconds % 1000);
    Some(format!("{}.{fraction:03}Z", civil(since)))
}

/// Formats a Unix time to the microsecond, with the offset as Python writes it.
pub fn microseconds(since: f64) -> String {
    let microseconds = (since.max(0.0) * 1e6).round() as u64;
    let (since, fraction) = (microseconds / 1_000_000, microseconds % 1_000_000);
    format!("{}.{fraction:06}+00:00", civil(since))
}

/// Parses a timestamp (`2026-11-23T19:53:40.270737+00:00`, also with `Z` or without an offset) to a Unix time. `None` if it is
/// invalid or before 1970.
pub fn parse(text: &str) -> Option<f64> {
    let (date, time) = text.trim().split_once(['T', ' '])?;
    let numbers = |text: &str, between: char| -> Option<[u64; 3]> {
        let parts: Option<Vec<u64>> = text.split(between).map(|part| part.parse().ok()).collect();
        parts?.try_into().ok()
    };
    let [year, month, day] = numbers(date, '-')?;
    let end = time.find(['Z', '+', '-']).unwrap_or(time.len());
    let (clock, offset) = time.split_at(end);
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
    let [hour, minute, second] = numbers(clock, ':')?;
    let is_date = (1970..10_000).contains(&year) && (1..13).contains(&month);
    if !is_date || !(1..32).contains(&day) || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let fraction: f64 = format!("0.{fraction}").parse().ok()?;
    // As in `civil`: years begin in March.
    let (year, month_from_march) = (year - u64::from(month <= 2), (month + 9) % 12);
    let day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
    let days = year * 365 + year / 4 - year / 100 + year / 400 + day_of_year;
    let since = days.checked_sub(719_468)? * 86_400 + hour * 3_600 + minute * 60 + second;
    let offset = match offset {
        "" | "Z" => 0.0,
        offset => {
            let (hours, minutes) = offset[1..].split_once(':')?;
            let [hours, minutes] = [hours.parse::<u32>().ok()?, minutes.parse().ok()?];
            let seconds = f64::from(hours.min(24) * 3_600 + minutes.min(59) * 60);
            if offset.starts_with('-') {
                -seconds
            } else {
                seconds
            }
        }
    };
    let moment = since as f64 + fraction - offset;
    (moment >= 0.0).then_some(moment)
}

/// Returns date and time. The computation lets years begin in March, so that the leap day is the last day of a year; 400 years
/// are an era of 146,097 days.
fn civil(since: u64) -> String {
    let (days, rest) = (since / 86_400 + 719_468, since % 86_400);
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = (month_from_march + 2) % 12 + 1;
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    let (hour, minute, second) = (rest / 3_600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_calendar() {
        assert_eq!(seconds(0), "1970-01-01T00:00:00Z");
        assert_eq!(seconds(951_782_399), "2000-02-28T23:59:59Z");
        assert_eq!(seconds(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(seconds(1_795_435_845), "2026-11-23T12:10:45Z");
        assert_eq!(seconds(4_107_542_400), "2100-03-01T00:00:00Z");
    }

    #[test]
    fn moments_are_dates() {
        for (seconds, expected) in [
            (0.001, "1970-01-01T00:00:00.001Z"),
            (1_709_251_199.0, "2024-02-29T23:59:59.000Z"),
            (4_107_542_400.0, "2100-03-01T00:00:00.000Z"),
        ] {
            assert_eq!(milliseconds(seconds).as_deref(), Some(expected));
        }
        assert_eq!(milliseconds(0.0), None);
    }

    #[test]
    fn timestamps_are_parsed_as_they_are_formatted() {
        for since in [0.0, 951_782_399.25, 1_709_251_199.0, 4_107_542_400.5] {
            assert_eq!(parse(&microseconds(since)), Some(since));
            assert_eq!(parse(&seconds(since as u64)), Some(since.floor()));
        }
        assert_eq!(parse("2026-11-23T12:10:45+02:00"), Some(1_795_428_645.0));
        for text in [
            "",
            "T",
            "2026-11-23",
            "2026-13-23T12:10:45",
            "2026-11-23T12:10",
            "1969-12-31T23:59:59Z",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
