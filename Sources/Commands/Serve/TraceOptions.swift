import Bytes
import Engine
import JSON
import Platform
import Profiles
import Reactor

/// How `serve` takes part in distributed traces, by its options and by the variables that OpenTelemetry names.
struct TraceOptions: Sendable {
    /// nil passes the fields of traces on as they are.
    var tracing: TraceSampling?
    /// nil sends no spans.
    var export: SpanExport?

    static let options = [
        Option.flag(
            "trace",
            "Take part in distributed traces (W3C Trace Context): a trace is begun where there is none, and each attempt "
                + "at an origin is a span of its own. Spans are sent where OTEL_EXPORTER_OTLP_ENDPOINT says."),
        .value(
            "otlp", "URL",
            "The same, and send the spans to this collector of OpenTelemetry (OTLP over HTTP), as "
                + "http://localhost:4318. Header fields with secrets come from OTEL_EXPORTER_OTLP_HEADERS."),
    ]

    private static let resource = "v1/traces"

    static func read(_ arguments: Arguments, _ environment: ProcessEnvironment) throws -> TraceOptions {
        var options = TraceOptions()
        guard arguments.has("trace") || arguments.text("otlp") != nil else { return options }
        let variables = Variables(environment)
        options.tracing = try variables.sampling()
        if let text = arguments.text("otlp") {
            options.export = try export(to: text, of: "--otlp", isBase: true, variables)
        } else if let (name, text, isBase) = try variables.endpoint() {
            options.export = try export(to: text, of: name, isBase: isBase, variables)
        }
        return options
    }

    /// - Parameter isBase: the path of the resource is put behind it, unless it is there.
    private static func export(
        to text: String, of name: String, isBase: Bool, _ variables: Variables
    ) throws -> SpanExport {
        guard let url = BaseURL(text) else {
            throw UsageError(
                "\(name) is no URL of a collector",
                advice: "Give one like http://localhost:4318, without a user name; credentials belong into "
                    + "OTEL_EXPORTER_OTLP_HEADERS.")
        }
        let authorities = variables["CERTIFICATE"].map { [Path.absolute($0)] } ?? []
        let address = OriginAddress(
            isTLS: url.isTLS, host: url.named.host, port: url.named.port ?? (url.isTLS ? 443 : 80), basePath: "",
            trust: .default(certificateAuthorities: authorities))
        let isComplete = !isBase || url.path.hasSuffix("/" + resource)
        var export = SpanExport(
            collector: address, target: isComplete ? (url.path.isEmpty ? "/" : url.path) : url.path + "/" + resource)
        export.fields = try variables.fields()
        export.isCompressed = try variables.isCompressed()
        export.timeout =
            try variables.milliseconds(variables["TIMEOUT"], "OTEL_EXPORTER_OTLP_TIMEOUT") ?? export.timeout
        export.delay =
            try variables.milliseconds(variables.environment["OTEL_BSP_SCHEDULE_DELAY"], "OTEL_BSP_SCHEDULE_DELAY")
            ?? export.delay
        export.resource = try variables.resource()
        export.version = Tool.version
        return export
    }
}

extension SpanExport {
    /// Where spans go, without what may be secret.
    var place: String { "\(collector)\(target)" }
}

extension Announcer {
    func tell(_ trouble: SpanTrouble) {
        switch trouble {
        case .began(let reason):
            let text = "spans cannot be sent at present: \(reason)"
            warn(.spans, text, ["message": text])
        case .ended: warn(.spans, "spans are sent again", ["message": "spans are sent again"])
        case .rejected(let reason):
            // It may quote the collector.
            let text = "the collector does not take spans: \(PlainText.clean(reason))"
            warn(.spans, text, ["message": text])
        }
    }
}
