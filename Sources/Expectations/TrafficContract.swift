import Contracts
import Exchanges
import Inspection
import JSON
import Store

/// A document of OpenAPI 3.1 that describes recorded traffic: paths with templates, and the shapes of JSON.
///
/// It has names, kinds and statuses, and no value of any message, so that it has no secret.
package struct TrafficContract {
    private struct Parameter {
        var count = 0
        let schema = SchemaInference()
    }

    private struct Response {
        var contents: [String: SchemaInference] = [:]
    }

    private struct Operation {
        var count = 0
        var query: [String: Parameter] = [:]
        var bodies = 0
        var contents: [String: SchemaInference] = [:]
        var responses: [Int: Response] = [:]
    }

    /// By path, then by method.
    private var paths: [String: [String: Operation]] = [:]
    private var servers: Set<String> = []
    /// Exchanges that the document describes.
    package private(set) var count = 0

    package init(_ traffic: Observations) throws(CheckFailure) {
        try traffic.eachRecord { record throws(CheckFailure) in try add(record, traffic) }
    }

    private mutating func add(_ record: TrafficRecord, _ traffic: Observations) throws(CheckFailure) {
        let exchange = record.summary.exchange
        let methods = ["GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE"]
        guard let status = exchange.status, exchange.failure == nil, methods.contains(exchange.method),
            let endpoint = Endpoint(exchange)
        else { return }
        let request = try traffic.message(record, .request)
        guard exchange.method != "OPTIONS" || request.field("Access-Control-Request-Method") == nil else { return }
        let response = try traffic.message(record, .response)
        count += 1
        servers.insert(endpoint.authority)
        var operation = paths[endpoint.template]?[endpoint.method] ?? Operation()
        operation.count += 1
        let target = ContractExchange(
            method: exchange.method, target: ContractExchange.target(of: exchange.url), request: request,
            status: status,
            response: response)
        var seen: Set<String> = []
        for (name, value) in target.parameters {
            var parameter = operation.query[name] ?? Parameter()
            if seen.insert(name).inserted { parameter.count += 1 }
            parameter.schema.add(text: value)
            operation.query[name] = parameter
        }
        if !request.body.isEmpty {
            operation.bodies += 1
            Self.add(request, to: &operation.contents)
        }
        Self.add(response, to: &operation.responses[status, default: Response()].contents)
        paths[endpoint.template, default: [:]][endpoint.method] = operation
    }

    private static func add(_ message: ContractExchange.Message, to contents: inout [String: SchemaInference]) {
        guard !message.body.isEmpty, let type = message.mediaType else { return }
        let schema = contents[type] ?? SchemaInference()
        contents[type] = schema
        if message.isJSON, message.isWhole, let tape = try? JSONTape(message.body) { schema.add(tape) }
    }

    package var json: [UInt8] {
        let json = JSONWriter.object(.pretty) { root in
            root.member("openapi", "3.1.0")
            root.object("info", ["title": "Recorded traffic", "version": "1"])
            root.array("servers") { array in
                for server in servers.sorted() { array.object { $0.member("url", server) } }
            }
            root.object("paths") { object in
                for (path, operations) in paths.sorted(by: { $0.key < $1.key }) {
                    object.object(path) { item in
                        for (method, operation) in operations.sorted(by: { $0.key < $1.key }) {
                            item.object(method.lowercased()) { Self.write(operation, path, to: &$0) }
                        }
                    }
                }
            }
        }
        return json + [0x0A]
    }

    private static func write(_ operation: Operation, _ path: String, to object: inout JSONWriter) {
        let names = path.split(separator: "/").compactMap {
            $0.hasPrefix("{") ? String($0.dropFirst().dropLast()) : nil
        }
        if !names.isEmpty || !operation.query.isEmpty {
            object.array("parameters") { array in
                for name in names {
                    array.object { one in
                        one.members(["name": name, "in": "path", "required": true])
                        one.object("schema") { $0.member("type", "string") }
                    }
                }
                for (name, parameter) in operation.query.sorted(by: { $0.key < $1.key }) {
                    array.object { one in
                        one.members(["name": name, "in": "query"])
                        if parameter.count == operation.count { one.member("required", true) }
                        one.key("schema")
                        parameter.schema.write(to: &one)
                    }
                }
            }
        }
        if !operation.contents.isEmpty {
            object.object("requestBody") { body in
                if operation.bodies == operation.count { body.member("required", true) }
                write(operation.contents, to: &body)
            }
        }
        object.object("responses") { responses in
            for (status, response) in operation.responses.sorted(by: { $0.key < $1.key }) {
                responses.object("\(status)") { one in
                    one.member("description", "recorded")
                    if !response.contents.isEmpty { write(response.contents, to: &one) }
                }
            }
        }
    }

    private static func write(_ contents: [String: SchemaInference], to object: inout JSONWriter) {
        object.object("content") { content in
            for (type, schema) in contents.sorted(by: { $0.key < $1.key }) {
                content.object(type) { one in
                    guard !schema.isEmpty else { return }
                    one.key("schema")
                    schema.write(to: &one)
                }
            }
        }
    }
}

extension Endpoint {
    /// `/v1/orders/{id}/items/{id2}`.
    fileprivate var template: String {
        var count = 0
        let path = segments.map { segment in
            // A brace would make a name of it.
            if let segment, !segment.contains("{"), !segment.contains("}") { return "/" + segment }
            count += 1
            return count == 1 ? "/{id}" : "/{id\(count)}"
        }
        return path.isEmpty ? "/" : path.joined()
    }
}
