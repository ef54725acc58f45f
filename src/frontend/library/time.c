/* <time.h>, <sys/time.h>: clocks are inputs. */

__regatta_time_t time(__regatta_time_t *result)
{
    __regatta_time_t now = __VERIFIER_nondet_long();
    __VERIFIER_assume(now >= -1);
    if (result != 0)
        *result = now;
    return now;
}

static long __regatta_clock;

/* Processor time does not run backwards; where `long` is short it wraps around. */
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
    (void)zone;
    if (now != 0) {
        now->tv_sec = __VERIFIER_nondet_long();
        now->tv_usec = __VERIFIER_nondet_long();
        __VERIFIER_assume(now->tv_sec >= 0 && now->tv_usec >= 0 && now->tv_usec < 1000000);
    }
    return 0;
}

static __regatta_timeval __regatta_monotonic;

int clock_gettime(int clock, void *result)
{
    __regatta_timeval *now = result;
    if (__VERIFIER_nondet_bool())
        return __regatta_fail();
    now->tv_sec = __VERIFIER_nondet_long();
    now->tv_usec = __VERIFIER_nondet_long();
    __VERIFIER_assume(now->tv_sec >= 0 && now->tv_usec >= 0 && now->tv_usec < 1000000000);
    if (clock != 0) {
        /* Of the clocks but the first none is set back, as a rule. */
        if (now->tv_sec < __regatta_monotonic.tv_sec
            || (now->tv_sec == __regatta_monotonic.tv_sec && now->tv_usec < __regatta_monotonic.tv_usec)) {
            __VERIFIER_assume(clock != 1);
            __regatta_only_perhaps();
        }
        __regatta_monotonic = *now;
    }
    return 0;
}

double difftime(__regatta_time_t later, __regatta_time_t earlier)
{
    if (later >= earlier)
        return (double)((unsigned long)later - (unsigned long)earlier);
    return -(double)((unsigned long)earlier - (unsigned long)later);
}

/* Days from 1970-01-01 to a date of the years from 0 on; months count from 1. */
static long __regatta_days(int year, int month, int day)
{
    int of_year = year - (month <= 2);
    int days = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    return 365 * (long)of_year + of_year / 4 - of_year / 100 + of_year / 400 + days - 719468;
}

static int __regatta_month_days(int year, int month)
{
    if (month == 2)
        return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28;
    return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

/* The date and the time of day are drawn, and are the right ones. */
static void __regatta_break_down(long long time, void *broken_down)
{
    __regatta_tm *result = broken_down;
    int year = __VERIFIER_nondet_int();
    int month = __VERIFIER_nondet_int();
    int day = __VERIFIER_nondet_int();
    int hour = __VERIFIER_nondet_int();
    int minute = __VERIFIER_nondet_int();
    int second = __VERIFIER_nondet_int();
    int weekday = __VERIFIER_nondet_int();
    int day_of_year = __VERIFIER_nondet_int();
    __VERIFIER_assume(month >= 1 && month <= 12 && day >= 1 && day <= 31);
    __VERIFIER_assume(hour >= 0 && hour <= 23 && minute >= 0 && minute <= 59 && second >= 0 && second <= 59);
    __VERIFIER_assume(weekday >= 0 && weekday <= 6 && day_of_year >= 0 && day_of_year <= 365);
    if (time < -62135596800LL || time > 253402300799LL) {
        __regatta_only_perhaps();
    } else {
        __VERIFIER_assume(year >= 1 && year <= 9999 && day <= __regatta_month_days(year, month));
        int days = (int)__regatta_days(year, month, day);
        __VERIFIER_assume((((long long)days * 24 + hour) * 60 + minute) * 60 + second == time);
        __VERIFIER_assume((days + 719163) % 7 == weekday);
        __VERIFIER_assume(day_of_year == days - (int)__regatta_days(year, 1, 1));
    }
    result->tm_sec = second;
    result->tm_min = minute;
    result->tm_hour = hour;
    result->tm_mday = day;
    result->tm_mon = month - 1;
    result->tm_year = year - 1900;
    result->tm_wday = weekday;
    result->tm_yday = day_of_year;
}

static __regatta_tm __regatta_broken_down;

void *gmtime_r(const __regatta_time_t *time, void *result)
{
    __regatta_tm *broken_down = result;
    /* The year may be too large for an `int`. */
    if (*time < -67768040609740800LL || *time > 67768036191676799LL) {
        *__errno_location() = 75; /* EOVERFLOW */
        return 0;
    }
    __regatta_break_down(*time, broken_down);
    broken_down->tm_isdst = 0;
    broken_down->tm_gmtoff = 0;
    broken_down->tm_zone = "GMT";
    return result;
}

void *gmtime(const __regatta_time_t *time)
{
    return gmtime_r(time, &__regatta_broken_down);
}

static _Bool __regatta_zone_used;

/* The time zone is the environment's; that it differs between two calls is not held against a program. */
void *localtime_r(const __regatta_time_t *time, void *result)
{
    __regatta_tm *broken_down = result;
    int offset = __VERIFIER_nondet_int();
    if (*time < -67768040609740800LL + 90000 || *time > 67768036191676799LL - 90000) {
        if (__VERIFIER_nondet_bool()) {
            *__errno_location() = 75; /* EOVERFLOW */
            return 0;
        }
    }
    __VERIFIER_assume(offset >= -90000 && offset <= 90000);
    if (__regatta_zone_used)
        __regatta_only_perhaps();
    __regatta_zone_used = 1;
    __regatta_break_down((long long)*time + offset, broken_down);
    broken_down->tm_isdst = __VERIFIER_nondet_bool();
    broken_down->tm_gmtoff = offset;
    broken_down->tm_zone = "";
    if (broken_down->tm_sec == 59 && __regatta_unknown_int())
        broken_down->tm_sec = 60;
    return result;
}

void *localtime(const __regatta_time_t *time)
{
    return localtime_r(time, &__regatta_broken_down);
}
