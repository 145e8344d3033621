public import Engine
import JSON
import Profiles
import Redaction

/// The results of a probe as JSON, for the admin interface and the command.
public enum ProbeReport {
    /// Messages may quote an origin and are shown to people; they are not stored, so that any key will do.
    private static let redactor = Redactor(key: (0..<32).map { _ in UInt8.random(in: .min ... .max) })

    /// `{"origins": […]}`, times in milliseconds.
    public static func json(_ results: [ProbeResult]) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { object in
            object.array("origins") { array in
                for result in results { array.object { write(result, to: &$0) } }
            }
        }
        return writer.bytes
    }

    private static func write(_ result: ProbeResult, to object: inout JSONWriter) {
        object.member("origin", "\(result.origin)")
        object.member("profiles", result.profiles)
        object.member("address", result.address)
        object.member("trust", result.origin.isTLS ? result.origin.trust.name : nil)
        object.member("trustDecision", result.decision.map { Self.redactor.redact(text: $0) })
        object.member("status", result.status)
        object.object("milliseconds") { object in
            let timings = result.timings
            let parts = [
                ("resolve", timings.resolve), ("connect", timings.connect), ("tls", timings.tls),
                ("response", timings.response), ("total", timings.total),
            ]
            for (name, time) in parts {
                object.key(name)
                // Tenths of a millisecond are precise enough.
                if let time { object.value(Double(time / 100_000) / 10) } else { object.null() }
            }
        }
        if let failure = result.failure {
            object.object("failure") { object in
                object.member("side", failure.side.rawValue)
                object.member("stage", failure.stage.rawValue)
                object.member("message", Self.redactor.redact(text: failure.message))
                object.member("advice", failure.advice.map { Self.redactor.redact(text: $0) })
            }
        } else {
            object.key("failure")
            object.null()
        }
    }
}
