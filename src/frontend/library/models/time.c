/* <time.h>, <sys/time.h>: clocks are inputs. Functions with a 64 in their names are glibc's variants for a `long` of 32
   bits and a `time_t` of 64. */

__regatta_time_t time(__regatta_time_t *result)
{
    __regatta_time_t now = __VERIFIER_nondet_long();
    __VERIFIER_assume(now >= -1);
    if (result != 0)
        *result = now;
    return now;
}

long long __time64(long long *result)
{
    long long now = __VERIFIER_nondet_longlong();
    __VERIFIER_assume(now >= -1);
    if (result != 0)
        *result = now;
    return now;
}

static long __regatta_clock;

/* Processor time does not decrease; a `long` of 32 bits wraps around. */
long clock(void)
{
    long now = __VERIFIER_nondet_long();
    __VERIFIER_assume(now >= -1);
    if (now == -1)
        return -1;
    if (now < __regatta_clock) {
        __VERIFIER_assume(sizeof(long) == 4);
        __regatta_only_perhaps();
    }
    __regatta_clock = now;
    return now;
}

int gettimeofday(void *result, void *zone)
{
    __regatta_timeval *now = result;
    if (zone != 0) {
        ((int *)zone)[0] = 0;
        ((int *)zone)[1] = 0;
    }
    if (now != 0) {
        now->tv_sec = __VERIFIER_nondet_long();
        now->tv_usec = __VERIFIER_nondet_long();
        __VERIFIER_assume(now->tv_sec >= 0 && now->tv_usec >= 0 && now->tv_usec < 1000000);
    }
    return 0;
}

int __gettimeofday64(void *result, void *zone)
{
    __regatta_timeval64 *now = result;
    (void)zone;
    if (now != 0) {
        now->tv_sec = __VERIFIER_nondet_longlong();
        now->tv_usec = __VERIFIER_nondet_longlong();
        __VERIFIER_assume(now->tv_sec >= 0 && now->tv_usec >= 0 && now->tv_usec < 1000000);
    }
    return 0;
}

static __regatta_timespec64 __regatta_monotonic;

/* Reads a clock that shows the time given, if it can be read; the result of `clock_gettime`. */
static int __regatta_read_clock(int clock, long long seconds, long nanoseconds)
{
    if (clock > 23)
        return __regatta_invalid();
    if (__VERIFIER_nondet_bool())
        return __regatta_fail();
    /* Negative numbers are clocks of processes, if they exist; not all kernels have the last clocks. */
    if (clock < 0 || clock > 9)
        __regatta_only_perhaps();
    __VERIFIER_assume(seconds >= 0 && nanoseconds >= 0 && nanoseconds < 1000000000);
    if (clock != 0) {
        /* Except for the first, no clock is set back, as a rule. */
        if (seconds < __regatta_monotonic.tv_sec
            || (seconds == __regatta_monotonic.tv_sec && nanoseconds < __regatta_monotonic.tv_nsec)) {
            __VERIFIER_assume(clock != 1);
            __regatta_only_perhaps();
        }
        __regatta_monotonic.tv_sec = seconds;
        __regatta_monotonic.tv_nsec = nanoseconds;
    }
    return 0;
}

int clock_gettime(int clock, void *result)
{
    long seconds = __VERIFIER_nondet_long();
    long nanoseconds = __VERIFIER_nondet_long();
    if (__regatta_read_clock(clock, seconds, nanoseconds) != 0)
        return -1;
    ((__regatta_timeval *)result)->tv_sec = seconds;
    ((__regatta_timeval *)result)->tv_usec = nanoseconds;
    return 0;
}

int __clock_gettime64(int clock, void *result)
{
    long long seconds = __VERIFIER_nondet_longlong();
    long nanoseconds = __VERIFIER_nondet_long();
    if (__regatta_read_clock(clock, seconds, nanoseconds) != 0)
        return -1;
    ((__regatta_timespec64 *)result)->tv_sec = seconds;
    ((__regatta_timespec64 *)result)->tv_nsec = nanoseconds;
    return 0;
}

double __difftime64(long long later, long long earlier)
{
    if (later >= earlier)
        return (double)((unsigned long long)later - (unsigned long long)earlier);
    return -(double)((unsigned long long)earlier - (unsigned long long)later);
}

double difftime(__regatta_time_t later, __regatta_time_t earlier)
{
    if (later >= earlier)
        return (double)((unsigned long)later - (unsigned long)earlier);
    return -(double)((unsigned long)earlier - (unsigned long)later);
}

/* The Gregorian calendar, in eras of 400 years that begin in March. The assumptions at the end always hold; they spare
   engines the reasoning about the divisions. */
static void __regatta_break_down(long long time, void *broken_down)
{
    __regatta_tm *result = broken_down;
    long long days = time / 86400;
    int rest = (int)(time % 86400);
    if (rest < 0) {
        rest += 86400;
        days--;
    }
    long long shifted = days + 719468;
    long long era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
    int day_of_era = (int)(shifted - era * 146097);
    int year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int month = (5 * day_of_year + 2) / 153;
    int day = day_of_year - (153 * month + 2) / 5 + 1;
    int year = (int)(year_of_era + era * 400);
    int hour = rest / 3600;
    int minute = rest / 60 % 60;
    int second = rest % 60;
    int weekday = (int)((days % 7 + 11) % 7);
    if (month < 10) {
        _Bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        month += 2;
        day_of_year += 59 + leap;
    } else {
        month -= 10;
        year++;
        day_of_year -= 306;
    }
    __VERIFIER_assume(month >= 0 && month <= 11 && day >= 1 && day <= 31 && weekday >= 0 && weekday <= 6);
    __VERIFIER_assume(hour >= 0 && hour <= 23 && minute >= 0 && minute <= 59 && second >= 0 && second <= 59);
    __VERIFIER_assume(day_of_year >= 0 && day_of_year <= 365);
    result->tm_sec = second;
    result->tm_min = minute;
    result->tm_hour = hour;
    result->tm_mday = day;
    result->tm_mon = month;
    result->tm_year = year - 1900;
    result->tm_wday = weekday;
    result->tm_yday = day_of_year;
}

/* Fails after writing some members. */
static void *__regatta_no_date(void *broken_down)
{
    __regatta_tm *result = broken_down;
    if (__VERIFIER_nondet_bool()) {
        result->tm_sec = __regatta_unknown_int();
        result->tm_min = __regatta_unknown_int();
        result->tm_hour = __regatta_unknown_int();
        result->tm_wday = __regatta_unknown_int();
    }
    *__errno_location() = 75; /* EOVERFLOW */
    return 0;
}

static __regatta_tm __regatta_broken_down;

static void *__regatta_universal(long long time, void *result)
{
    __regatta_tm *broken_down = result;
    /* The year may be too large for an `int`. */
    if (time < -67768040609740800LL || time > 67768036191676799LL)
        return __regatta_no_date(broken_down);
    __regatta_break_down(time, broken_down);
    broken_down->tm_isdst = 0;
    broken_down->tm_gmtoff = 0;
    broken_down->tm_zone = "GMT";
    return result;
}

void *gmtime_r(const __regatta_time_t *time, void *result)
{
    return __regatta_universal(*time, result);
}

void *gmtime(const __regatta_time_t *time)
{
    return __regatta_universal(*time, &__regatta_broken_down);
}

void *__gmtime64_r(const long long *time, void *result)
{
    return __regatta_universal(*time, result);
}

void *__gmtime64(const long long *time)
{
    return __regatta_universal(*time, &__regatta_broken_down);
}

/* Days from 1970 to the first day of a month; the month may be out of the year. */
static long long __regatta_days_to(long long year, long long month)
{
    long long years = month / 12 - (month % 12 < 0);
    month -= years * 12;
    year += years;
    /* Years begin in March. */
    month -= 2;
    if (month < 0) {
        month += 12;
        year--;
    }
    long long era = (year >= 0 ? year : year - 399) / 400;
    long long of_era = year - era * 400;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + (153 * month + 2) / 5 - 719468;
}

__regatta_time_t timegm(void *broken_down)
{
    __regatta_tm *date = broken_down;
    long long days = __regatta_days_to((long long)date->tm_year + 1900, date->tm_mon) + date->tm_mday - 1;
    long long time = days * 86400 + (long long)date->tm_hour * 3600 + (long long)date->tm_min * 60 + date->tm_sec;
    __regatta_time_t result = (__regatta_time_t)time;
    if (result != time) {
        *__errno_location() = 75; /* EOVERFLOW */
        return -1;
    }
    if (gmtime_r(&result, broken_down) == 0)
        return -1;
    return result;
}

static _Bool __regatta_zone_used;

/* The time zone's name. */

static const char *__regatta_zone;

/* The time zone is an input; no alarm rests on a second use, where it may differ. */
static void *__regatta_local(long long time, void *result)
{
    __regatta_tm *broken_down = result;
    int offset = __VERIFIER_nondet_int();
    if (time < -67768040609740800LL + 90000 || time > 67768036191676799LL - 90000) {
        if (__VERIFIER_nondet_bool()) {
            return __regatta_no_date(broken_down);
        }
    }
    __VERIFIER_assume(offset >= -90000 && offset <= 90000);
    if (__regatta_zone_used)
        __regatta_only_perhaps();
    __regatta_zone_used = 1;
    __regatta_break_down(time + offset, broken_down);
    broken_down->tm_isdst = __VERIFIER_nondet_bool();
    broken_down->tm_gmtoff = offset;
    if (__regatta_zone == 0) {
        __regatta_zone = __regatta_input_string();
        __VERIFIER_assume(__regatta_zone != 0);
    }
    broken_down->tm_zone = __regatta_zone;
    if (broken_down->tm_sec == 59 && __regatta_unknown_int())
        broken_down->tm_sec = 60;
    return result;
}

void *localtime_r(const __regatta_time_t *time, void *result)
{
    return __regatta_local(*time, result);
}

void *localtime(const __regatta_time_t *time)
{
    return __regatta_local(*time, &__regatta_broken_down);
}

void *__localtime64_r(const long long *time, void *result)
{
    return __regatta_local(*time, result);
}

void *__localtime64(const long long *time)
{
    return __regatta_local(*time, &__regatta_broken_down);
}

static char __regatta_date_text[40];

/* The text is not modelled; the object of `localtime` is overwritten. */
char *ctime(const __regatta_time_t *time)
{
    if (localtime(time) == 0)
        return 0;
    for (int i = 0; i < 24; i++)
        __regatta_date_text[i] = __regatta_unknown_char();
    __regatta_date_text[24] = '\n';
    __regatta_date_text[25] = 0;
    return __regatta_date_text;
}
