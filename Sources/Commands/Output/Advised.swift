import Admin
import Age
import Postgres
import Profiles
import TLS

/// An error in words for people.
protocol Advised: Error {
    /// Names the thing and what was expected.
    var message: String { get }
    /// The next step.
    var advice: String? { get }
}

extension Advised {
    var advice: String? { nil }
}

extension CommandFailure: Advised {}
extension UsageError: Advised {}
extension LintFailure: Advised {}
extension AgeFailure: Advised {}
extension PostgresFailure: Advised {}
extension Refusal: Advised {}
extension ReplayFailure: Advised {}
extension TLSFailure: Advised {}
extension TokenFailure: Advised {}
