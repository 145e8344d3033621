import Filter

/// Which exchanges are held, at which of their stages, and for how long.
public struct Breakpoint: Sendable {
    public enum Phase: String, CaseIterable, Sendable {
        case request, response, both, message
    }

    public let id: Int
    public let filter: String
    public let phase: Phase
    /// A device's name, or any client's address; nil for all clients.
    public let device: String?
    /// After so many seconds an exchange goes on as it is.
    public let seconds: Int
    let condition: TrafficFilter

    func holds(_ stage: FilterStage, _ subject: HoldSubject) -> Bool {
        let isItsPhase =
            switch phase {
            case .request: stage == .request
            case .response: stage == .response
            case .both: stage != .message
            case .message: stage == .message
            }
        return isItsPhase && isItsClient(subject) && condition.matches(subject)
    }

    /// Whether the response to a request may be held, as far as that can be told before it comes.
    func mayHoldResponse(to subject: HoldSubject) -> Bool {
        (phase == .response || phase == .both) && isItsClient(subject) && condition.mayMatch(subject, at: .request)
    }

    private func isItsClient(_ subject: HoldSubject) -> Bool {
        device.map { $0 == subject.device || $0 == subject.clientAddress } ?? true
    }
}

/// Why a breakpoint, or a decision about a held exchange, is refused.
public struct HoldFailure: Error, Sendable {
    public enum Kind: Sendable {
        /// What was asked for is wrong.
        case wrong
        /// There is no such breakpoint or held exchange, or not any more.
        case missing
        /// There are too many.
        case full
        /// The guard of production does not let it pass.
        case forbidden
    }

    public let kind: Kind
    public let message: String
    /// The next step.
    public let advice: String
    /// Where in a filter, from 1.
    public let column: Int?

    init(_ kind: Kind, _ message: String, advice: String, column: Int? = nil) {
        (self.kind, self.message, self.advice, self.column) = (kind, message, advice, column)
    }
}

extension Breakpoint {
    /// Seconds for which an exchange may be held.
    public static let allowed = 1...600
    public static let usualSeconds = 60

    init(_ id: Int, filter: String, _ phase: Phase, device: String?, seconds: Int) throws(HoldFailure) {
        guard Self.allowed.contains(seconds) else {
            throw HoldFailure(
                .wrong, "\(seconds) seconds are too few or too many",
                advice: "An exchange may be held for \(Self.allowed.lowerBound) to \(Self.allowed.upperBound) seconds.")
        }
        do throws(FilterFailure) { condition = try TrafficFilter(filter) } catch {
            throw HoldFailure(
                .wrong, "the filter is wrong: \(error.message)", advice: "Expected \(error.expected).",
                column: error.column)
        }
        if phase == .message, let unknown = condition.unknown(at: .message) {
            throw HoldFailure(
                .wrong, "\(unknown) is not known when a message is held",
                advice: "Choose by what a message says (~b, ~bq, ~bs), and by ~d, ~u, ~m, ~hq, ~src, ~env, ~route.")
        }
        if phase != .message, let unknown = condition.unknown(at: phase == .response ? .response : .request) {
            let isKnownLater = phase != .response && condition.unknown(at: .response) == nil
            throw HoldFailure(
                .wrong,
                "\(unknown) is not known yet when a \(phase == .response ? "response" : "request") is held",
                advice: isKnownLater
                    ? "Hold responses alone by it, or choose by the head of the request: ~m, ~d, ~u, ~hq, ~tq, ~src, ~env."
                    : "Choose by heads: ~m, ~d, ~u, ~hq, ~tq, ~src, ~env; for responses also ~c, ~hs, ~ts, ~route.")
        }
        (self.id, self.filter, self.phase) = (id, filter, phase)
        (self.device, self.seconds) = (device, seconds)
    }
}
