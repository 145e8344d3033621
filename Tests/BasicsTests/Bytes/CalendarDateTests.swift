import Bytes
import Testing

@Suite struct CalendarDateTests {
    @Test(
        arguments: [
            (0, "1970-01-01"), (-1, "1969-12-31"), (59, "1970-03-01"), (789, "1972-02-29"), (790, "1972-03-01"),
            (10_957, "2000-01-01"), (11_016, "2000-02-29"), (11_017, "2000-03-01"), (20_818, "2026-12-31"),
            (47_540, "2100-02-28"), (47_541, "2100-03-01"), (-719_468, "0000-03-01"), (2_932_896, "9999-12-31"),
        ] as [(Int64, String)])
    func `days have dates`(days: Int64, text: String) {
        #expect(CalendarDate(daysSince1970: days).text == text)
        #expect(CalendarDate(daysSince1970: days).daysSince1970 == days)
        #expect(CalendarDate(daysSince1970: days).isValid)
    }

    @Test func `every day of eight hundred years follows the one before`() {
        var before = CalendarDate(daysSince1970: -150_000)
        for days in Int64(-149_999)...150_000 {
            let date = CalendarDate(daysSince1970: days)
            let isNext =
                date.day == before.day + 1 && date.month == before.month && date.year == before.year
                || date.day == 1 && before.day >= 28
                    && (date.month == before.month + 1 && date.year == before.year
                        || date.month == 1 && before.month == 12 && date.year == before.year + 1)
            #expect(isNext && date.daysSince1970 == days)
            before = date
        }
    }

    @Test(
        arguments: [
            (2026, 2, 29), (2026, 2, 30), (2100, 2, 29), (2026, 4, 31), (2026, 0, 1), (2026, 13, 1), (2026, 1, 0),
            (2026, 1, 32),
        ] as [(Int64, Int64, Int64)])
    func `a day that no calendar has is not valid`(year: Int64, month: Int64, day: Int64) {
        #expect(!CalendarDate(year: year, month: month, day: day).isValid)
    }

    @Test(arguments: [(0, "00:00:00"), (3661, "01:01:01"), (86_399, "23:59:59")] as [(Int64, String)])
    func `seconds have a time of day`(seconds: Int64, text: String) {
        #expect(CalendarDate.time(ofDay: seconds) == text)
    }
}
