//! Moments as ISO 8601 and RFC 3339 write them, in universal time.

/// The moment so many seconds after the beginning of 1970.
pub fn seconds(since: u64) -> String {
    format!("{}Z", civil(since))
}

/// The same to the millisecond, if it is known.
pub fn milliseconds(since: f64) -> Option<String> {
    if since <= 0.0 {
        return None;
    }
    let milliseconds = (since * 1e3) as u64;
    let (since, fraction) = (milliseconds / 1000, milliseconds % 1000);
    Some(format!("{}.{fraction:03}Z", civil(since)))
}

/// Date and time. Years begin in March here, so that the day that some have more is the last; 400 of them are an era, of
/// 146,097 days.
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
}
