import Inspection
import Testing

@Suite struct TimelineTests {
    @Test(
        arguments: [
            ([5, 5, 7], 1, [2, 0, 1], 5),
            ([0, 39], 10, [1, 0, 0, 1], 0),
            // The steps grow when they do not suffice any more, whichever end grows.
            ([0, 40], 20, [1, 0, 1], 0),
            ([40, 0], 20, [1, 0, 1], 0),
            ([1_000_000_000, 1], 1 << 28, [1, 0, 0, 1], 0),
            ([-1, 0], 1, [2], 0),
        ] as [([Int64], Int64, [Int64], Int64)])
    func `starts are counted in at most four steps`(
        times: [Int64], length: Int64, counts: [Int64], start: Int64
    ) throws {
        var timeline = Timeline(limit: 4, shortest: length == 1 << 28 ? 1 : min(length, 10))
        for time in times { timeline.add(time, 1, failed: 0) }
        let all = try #require(timeline.all)
        #expect(timeline.length == length && all.start == start && all.steps.map(\.count) == counts)
    }

    @Test func `times of the far ends do not overflow`() throws {
        var timeline = Timeline(limit: 1, shortest: 100_000)
        for time in [Int64.max, 0, Int64.min] { timeline.add(time, 1, failed: 0) }
        #expect(try #require(timeline.all).steps.map(\.count).reduce(0, +) == 3)
    }
}
