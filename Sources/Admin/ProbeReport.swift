package import Engine
import Profiles
import Redaction

/// The results of a probe, for the admin interface and the command.
package enum ProbeReport {
    /// Messages may quote an origin and are shown to people; they are not stored, so that any key will do.
    private static let redactor = Redactor(key: (0..<32).map { _ in UInt8.random(in: .min ... .max) })

    package static func record(_ results: [ProbeResult]) -> Record<API.Probes> {
        Record { $0.origins = results.map(record) }
    }

    private static func record(_ result: ProbeResult) -> Record<API.Probe> {
        Record {
            $0.origin = "\(result.origin)"
            $0.profiles = result.profiles
            $0.address = result.address
            $0.trust = result.origin.isTLS ? result.origin.trust.name : nil
            $0.trustDecision = result.decision.map { redactor.redact(text: $0) }
            $0.status = result.status
            $0.milliseconds = Record {
                $0.resolve = milliseconds(result.timings.resolve)
                $0.connect = milliseconds(result.timings.connect)
                $0.tls = milliseconds(result.timings.tls)
                $0.response = milliseconds(result.timings.response)
                $0.total = milliseconds(result.timings.total)
            }
            $0.note = result.note
            $0.failure = result.failure.map { failure in
                Record {
                    $0.side = failure.side.rawValue
                    $0.stage = failure.stage.rawValue
                    $0.message = redactor.redact(text: failure.message)
                    $0.advice = failure.advice.map { redactor.redact(text: $0) }
                }
            }
        }
    }

    /// Tenths of a millisecond are precise enough.
    private static func milliseconds(_ time: UInt64?) -> Double? { time.map { Double($0 / 100_000) / 10 } }
}
