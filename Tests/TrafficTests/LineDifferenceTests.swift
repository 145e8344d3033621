import Inspection
import Testing

@Suite struct LineDifferenceTests {
    private func text(_ old: String, _ new: String) -> String {
        LineDifference(from: old.map(String.init), to: new.map(String.init)).lines
            .map { $0.sign == .same ? $0.text : $0.sign.rawValue + $0.text }.joined()
    }

    @Test(arguments: [
        ("", "", ""), ("abc", "abc", "abc"), ("", "ab", "+a+b"), ("ab", "", "-a-b"), ("abc", "axc", "a-b+xc"),
        ("abcd", "acd", "a-bcd"), ("acd", "abcd", "a+bcd"), ("ab", "cd", "-a-b+c+d"),
    ])
    func `lines that stay are found, and what is taken out stands in front of what is put in`(
        old: String, new: String, lines: String
    ) {
        #expect(text(old, new) == lines)
    }

    @Test func `both sides can be told from the lines, and as few change as can be`() {
        var state: UInt64 = 7
        func next(_ limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % limit
        }
        for _ in 0..<300 {
            let old = (0..<next(12)).map { _ in "\(next(4))" }
            let new = (0..<next(12)).map { _ in "\(next(4))" }
            let lines = LineDifference(from: old, to: new).lines
            #expect(lines.filter { $0.sign != .added }.map(\.text) == old)
            #expect(lines.filter { $0.sign != .removed }.map(\.text) == new)
            // The longest list of lines that both have in this order.
            var longest = Array(repeating: 0, count: new.count + 1)
            for line in old {
                var diagonal = 0
                for (index, other) in new.enumerated() {
                    let above = longest[index + 1]
                    longest[index + 1] = line == other ? diagonal + 1 : max(above, longest[index])
                    diagonal = above
                }
            }
            #expect(lines.count { $0.sign == .same } == longest[new.count], "\(old) \(new)")
        }
    }

    @Test func `few changes in long texts are found, and many cost no more than a bound`() {
        let old = (0..<50_000).map { "line \($0)" }
        var new = old
        new.removeSubrange(100..<120)
        new.insert("other", at: 40_000)
        let lines = LineDifference(from: old, to: new).lines
        #expect(lines.count { $0.sign == .removed } == 20 && lines.count { $0.sign == .added } == 1)
        let all = LineDifference(from: old, to: old.reversed()).lines
        #expect(all.filter { $0.sign != .added }.map(\.text) == old)
    }
}
