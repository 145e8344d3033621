import Bytes
import CSystem
import Engine
import Platform
import Reactor

extension TraceOptions {
    /// The variables of OpenTelemetry that count here; no message repeats a value that may be secret.
    struct Variables {
        let environment: ProcessEnvironment

        init(_ environment: ProcessEnvironment) { self.environment = environment }

        /// The variable of exporters of that name, the one for traces first; nil where it is missing or empty.
        subscript(_ name: String) -> String? {
            value("OTEL_EXPORTER_OTLP_TRACES_\(name)") ?? value("OTEL_EXPORTER_OTLP_\(name)")
        }

        private func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }

        /// Where spans go; nil for nowhere.
        func endpoint() throws -> (name: String, url: String, isBase: Bool)? {
            if value("OTEL_TRACES_EXPORTER") == "none" { return nil }
            let names = ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"]
            guard let name = names.first(where: { value($0) != nil }), let url = value(name) else { return nil }
            if let spoken = self["PROTOCOL"], spoken != "http/protobuf" {
                throw UsageError(
                    "OTEL_EXPORTER_OTLP_PROTOCOL is \(spoken), and Shunt speaks http/protobuf",
                    advice: "Name the collector's port for HTTP (4318) by --otlp, or set the variable to http/protobuf."
                )
            }
            return (name, url, name == names[1])
        }

        func isCompressed() throws -> Bool {
            switch self["COMPRESSION"] {
            case nil, "none": return false
            case "gzip": return true
            case let other?:
                throw UsageError(
                    "OTEL_EXPORTER_OTLP_COMPRESSION “\(other)” is not possible", advice: "Set gzip or none.")
            }
        }

        /// Nanoseconds.
        func milliseconds(_ text: String?, _ name: String) throws -> UInt64? {
            guard let text, !text.isEmpty else { return nil }
            guard let number = UInt64(text), (1...3_600_000).contains(number) else {
                throw UsageError("\(name) “\(text)” is not possible", advice: "Give milliseconds, up to 3600000.")
            }
            return number * 1_000_000
        }

        /// Which of the traces that begin here are recorded.
        func sampling() throws -> TraceSampling {
            let name = "OTEL_TRACES_SAMPLER"
            switch value(name) {
            case nil, "parentbased_always_on": return TraceSampling()
            case "parentbased_always_off": return TraceSampling(share: 0)
            case "parentbased_traceidratio":
                let text = value("\(name)_ARG") ?? "1"
                guard let share = Double(text), (0...1).contains(share) else {
                    throw UsageError("\(name)_ARG “\(text)” is no share", advice: "Give a number from 0 to 1.")
                }
                return TraceSampling(share: share)
            case let other?:
                throw UsageError(
                    "\(name) “\(other)” is not possible: the decision of clients counts",
                    advice: "Set parentbased_always_on, parentbased_always_off or parentbased_traceidratio.")
            }
        }

        /// The header fields, `name=value` with commas between, values with percent-encoding.
        func fields() throws -> [(name: String, value: String)] {
            guard let text = self["HEADERS"] else { return [] }
            let name = "OTEL_EXPORTER_OTLP_HEADERS"
            let own: Set<String> = [
                "host", "connection", "content-length", "content-type", "content-encoding", "transfer-encoding",
                "te", "upgrade", "expect",
            ]
            let fields = try pairs(text, name)
            for field in fields {
                guard field.name.utf8.allSatisfy(Self.isToken), !own.contains(field.name.lowercased()) else {
                    throw UsageError(
                        "\(name) has a field that cannot be sent", advice: "It takes names of header fields.")
                }
                guard field.value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
                    throw UsageError("\(name): the value of \(field.name) has control characters")
                }
            }
            guard fields.reduce(0, { $0 + $1.name.utf8.count + $1.value.utf8.count }) <= 16 << 10 else {
                throw UsageError("\(name) is longer than 16 KiB")
            }
            return fields
        }

        /// What the spans come from.
        func resource() throws -> [(name: String, value: String)] {
            let given = try value("OTEL_RESOURCE_ATTRIBUTES").map { text in
                try pairs(text, "OTEL_RESOURCE_ATTRIBUTES")
            }
            var attributes: [(name: String, value: String)] = [
                ("service.name", value("OTEL_SERVICE_NAME") ?? "shunt"), ("service.version", Tool.version),
                ("service.instance.id", Hex.text((0..<16).map { _ in UInt8.random(in: .min ... .max) })),
                ("telemetry.sdk.name", "shunt"), ("telemetry.sdk.language", "swift"),
                ("telemetry.sdk.version", Tool.version),
            ]
            if let name = hostName() { attributes.append(("host.name", name)) }
            for pair in given ?? [] {
                // OTEL_SERVICE_NAME goes before the attribute.
                if pair.name == "service.name", value("OTEL_SERVICE_NAME") != nil { continue }
                attributes.removeAll { $0.name == pair.name }
                attributes.append(pair)
            }
            return attributes
        }

        private func pairs(_ text: String, _ name: String) throws -> [(name: String, value: String)] {
            var pairs: [(name: String, value: String)] = []
            for part in text.split(separator: ",") {
                let part = Self.trimmed(part)
                if part.isEmpty { continue }
                guard let equals = part.firstIndex(of: "="), equals > part.startIndex else {
                    throw UsageError("\(name) is not NAME=VALUE, with commas between several")
                }
                // A plus is no space here.
                let value = Self.trimmed(part[part.index(after: equals)...]).replacing("+", with: "%2B")
                pairs.append(
                    (
                        String(Self.trimmed(part[..<equals])),
                        String(decoding: FormCoding.decoded(Array(value.utf8)), as: UTF8.self)
                    ))
            }
            return pairs
        }

        private static func trimmed(_ text: Substring) -> Substring {
            let rest = text.drop { $0 == " " || $0 == "\t" }
            guard let last = rest.lastIndex(where: { $0 != " " && $0 != "\t" }) else { return "" }
            return rest[...last]
        }

        private static func isToken(_ byte: UInt8) -> Bool {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
        }
    }
}
