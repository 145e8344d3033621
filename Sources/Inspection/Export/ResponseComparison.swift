/// The responses of two who were asked the same, without what differs anyway when one of them is asked twice.
public struct ResponseComparison: Sendable {
    /// In what the responses of the two differ.
    public let differences: [ResponseDifference]
    /// The places in which the first one's two responses differ, each once.
    public let noise: [IgnoredPlace]

    /// - Parameter again: what the first one responded when it was asked once more.
    /// - Parameter ignored: what is not compared.
    public init(
        _ first: ComparedResponse, again: ComparedResponse, _ other: ComparedResponse,
        ignoring ignored: [IgnoredPlace] = []
    ) {
        let (first, again, other) = (first.withCookieNames, again.withCookieNames, other.withCookieNames)
        func counts(_ difference: ResponseDifference, _ places: [IgnoredPlace]) -> Bool {
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

extension ComparedResponse {
    /// With a field more for each cookie that is set: its name and attributes say something, its value and its end do not.
    fileprivate var withCookieNames: ComparedResponse {
        var response = self
        for field in fields where HeadText.isSame(field.name, "Set-Cookie") {
            let parts = field.value.split(separator: ";").map { $0.drop { $0 == " " } }
            guard let name = parts.first?.prefix(while: { $0 != "=" }) else { continue }
            let attributes = parts.dropFirst().map { $0.lowercased() }.filter {
                !$0.hasPrefix("expires=") && !$0.hasPrefix("max-age=")
            }
            response.fields.append(HeadText.Field("Set-Cookie \(name)", attributes.sorted().joined(separator: "; ")))
        }
        return response
    }
}
