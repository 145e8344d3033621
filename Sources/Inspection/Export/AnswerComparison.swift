/// The answers of two who were asked the same, without what differs anyway when one of them is asked twice.
public struct AnswerComparison: Sendable {
    /// In what the answers of the two differ.
    public let differences: [AnswerDifference]
    /// Where the first one's two answers differ, each place once.
    public let noise: [IgnoredPlace]

    /// - Parameter again: what the first one answered when it was asked once more.
    /// - Parameter ignored: what is not compared.
    public init(
        _ first: ComparedAnswer, again: ComparedAnswer, _ other: ComparedAnswer, ignoring ignored: [IgnoredPlace] = []
    ) {
        let (first, again, other) = (first.withCookieNames, again.withCookieNames, other.withCookieNames)
        func counts(_ difference: AnswerDifference, _ places: [IgnoredPlace]) -> Bool {
            !difference.isVolatile && !places.contains { $0.covers(difference) }
        }
        var noise: [IgnoredPlace] = []
        for difference in first.differences(from: again) where counts(difference, ignored + noise) {
            noise.append(IgnoredPlace(of: difference))
        }
        self.noise = noise
        differences = first.differences(from: other).filter { counts($0, ignored + noise) }
    }
}

extension ComparedAnswer {
    /// With a field more for each cookie that is set: its name and attributes say something, its value and its end do not.
    fileprivate var withCookieNames: ComparedAnswer {
        var answer = self
        for field in fields where HeadText.isSame(field.name, "Set-Cookie") {
            let parts = field.value.split(separator: ";").map { $0.drop { $0 == " " } }
            guard let name = parts.first?.prefix(while: { $0 != "=" }) else { continue }
            let attributes = parts.dropFirst().map { $0.lowercased() }.filter {
                !$0.hasPrefix("expires=") && !$0.hasPrefix("max-age=")
            }
            answer.fields.append(
                HeadText.Field("Set-Cookie \(name)", attributes.sorted().joined(separator: "; ")))
        }
        return answer
    }
}
