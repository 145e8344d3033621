import JSON

/// The server of the Model Context Protocol for one client: JSON-RPC 2.0, a message in each line.
///
/// No input ends it: each line gets a response, or none where it is a notification.
package struct MCPServer {
    /// Bytes of a message.
    static let maxLine = 1 << 20
    /// Messages of a batch, which the versions before 2025-06-18 have.
    private static let maxBatch = 50
    /// Versions of the protocol, the newest first.
    private static let versions = ["2025-06-18", "2025-03-26", "2024-11-05"]

    /// The numbers of JSON-RPC's errors.
    private enum Code: Int {
        case parse = -32700
        case request = -32600
        case method = -32601
        case parameters = -32602
        /// Of the protocol: there is no such resource.
        case resource = -32002
    }

    private struct Failure: Error {
        let code: Code
        let message: String

        init(_ code: Code, _ message: String) { (self.code, self.message) = (code, message) }
    }

    private let tools: MCPTools
    /// nil before the client has said which it speaks.
    private var version: String?

    init(_ tools: MCPTools) { self.tools = tools }

    /// - Parameter words: the options of `shunt mcp`.
    package init(_ words: [String]) throws {
        self = try MCPCommand.server(try Arguments(words, options: Command.mcp.options))
    }

    /// What a line asks for.
    enum Turn: Sendable {
        /// nil where none is due.
        case response([UInt8]?)
        /// The call of a tool, or several; nil for the identity of those.
        case call(JSONValue?, @Sendable () async -> [UInt8]?)
        /// The client wants no response to this request any more.
        case cancel(JSONValue?)
    }

    /// The response to one line, without a line end; nil where none is due.
    package mutating func respond(to line: [UInt8]) async -> [UInt8]? {
        switch turn(line) {
        case .response(let response): response
        case .call(_, let work): await work()
        case .cancel: nil
        }
    }

    /// What one line asks for; all but calls of tools is done at once.
    mutating func turn(_ line: [UInt8]) -> Turn {
        guard line.contains(where: { $0 > 0x20 }) else { return .response(nil) }
        let value: JSONValue
        do throws(JSONFailure) { value = try JSONReader.read(line, dialect: .strict, sizeLimit: Self.maxLine) } catch {
            return .response(Self.error(nil, Failure(.parse, "the line is no JSON: \(error)")))
        }
        guard let batch = value.array else { return turn(value) }
        guard version != Self.versions[0], !batch.isEmpty, batch.count <= Self.maxBatch else {
            return .response(Self.error(nil, Failure(.request, "a line must have one message")))
        }
        let turns = batch.map { turn($0) }
        return .call(nil) {
            var responses: [[UInt8]] = []
            for turn in turns {
                switch turn {
                case .response(let response): if let response { responses.append(response) }
                case .call(_, let work): if let response = await work() { responses.append(response) }
                case .cancel: break
                }
            }
            guard !responses.isEmpty else { return nil }
            return [UInt8(ascii: "[")] + responses.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "]")]
        }
    }

    /// The response to a line longer than ``maxLine``.
    func refuseLongLine() -> [UInt8] {
        Self.error(nil, Failure(.request, "the message has more than \(Self.maxLine) bytes"))
    }

    private mutating func turn(_ message: JSONValue) -> Turn {
        let id = message["id"]
        guard message.object != nil, message["jsonrpc"]?.string == "2.0", id.map(Self.isIdentity) ?? true else {
            return .response(Self.error(nil, Failure(.request, "the message is none of JSON-RPC 2.0")))
        }
        guard let method = message["method"]?.string else {
            // A response to something that was never asked.
            if message["result"] != nil || message["error"] != nil { return .response(nil) }
            return .response(Self.error(id, Failure(.request, "the message has no method")))
        }
        let parameters = message["params"]
        guard let id else {
            return method == "notifications/cancelled" ? .cancel(parameters?["requestId"]) : .response(nil)
        }
        do throws(Failure) {
            guard parameters.map({ $0.object != nil }) ?? true else {
                throw Failure(.parameters, "params must be an object")
            }
            if method == "tools/call", version != nil {
                let (tools, tool) = (tools, try tool(parameters))
                return .call(id) {
                    Self.response(id, Self.result(of: await tools.call(tool, parameters?["arguments"])))
                }
            }
            return .response(Self.response(id, try result(of: method, parameters)))
        } catch {
            return .response(Self.error(id, error))
        }
    }

    private func tool(_ parameters: JSONValue?) throws(Failure) -> MCPTool {
        let name = parameters?["name"]?.string ?? ""
        if let tool = MCPTool.all.first(where: { $0.name == name }) { return tool }
        let names = tools.offered.map(\.name).joined(separator: ", ")
        throw Failure(.parameters, "there is no tool “\(name)”; there are: \(names)")
    }

    private static func result(of call: MCPResult) -> [UInt8] {
        return JSONWriter.object { object in
            object.array("content") { array in
                array.object(["type": "text", "text": call.text])
            }
            object.member("isError", call.isError)
        }
    }

    private static func response(_ id: JSONValue, _ result: [UInt8]) -> [UInt8] {
        message(id) {
            $0.key("result")
            $0.raw(result)
        }
    }

    /// The response to a call besides those that run already.
    static func refuseCall(_ id: JSONValue?) -> [UInt8] {
        error(id, Failure(.request, "too many calls run already; wait for one of their responses"))
    }

    private static func isIdentity(_ value: JSONValue) -> Bool { value.string != nil || value.number?.int64 != nil }

    private mutating func result(of method: String, _ parameters: JSONValue?) throws(Failure) -> [UInt8] {
        var json = JSONWriter()
        switch method {
        case "initialize":
            guard let wanted = parameters?["protocolVersion"]?.string else {
                throw Failure(.parameters, "protocolVersion is missing")
            }
            let version = Self.versions.first { $0 == wanted } ?? Self.versions[0]
            self.version = version
            json.object { Self.writeServer(version, to: &$0) }
        case "ping": json.object { _ in }
        case _ where version == nil: throw Failure(.request, "the first request must be initialize")
        case "tools/list":
            try Self.requireFirstPage(parameters)
            json.object { object in
                object.array("tools") { array in for tool in tools.offered { array.object(tool.write) } }
            }
        case "resources/list":
            try Self.requireFirstPage(parameters)
            json.object { object in
                object.array("resources") { array in for one in MCPDocument.all { array.object(one.write) } }
            }
        case "resources/templates/list": json.object { $0.array("resourceTemplates") { _ in } }
        case "resources/read":
            let address = parameters?["uri"]?.string ?? ""
            guard let document = MCPDocument.all.first(where: { $0.address == address }) else {
                throw Failure(.resource, "there is no resource “\(address)”; resources/list names all")
            }
            json.object { object in
                object.array("contents") { array in
                    array.object(["uri": document.address, "mimeType": "text/plain", "text": document.text])
                }
            }
        default: throw Failure(.method, "there is no method “\(method)”")
        }
        return json.bytes
    }

    private static func writeServer(_ version: String, to object: inout JSONWriter) {
        object.member("protocolVersion", version)
        object.object("capabilities") { object in
            object.object("tools") { _ in }
            object.object("resources") { _ in }
        }
        object.object("serverInfo", ["name": "shunt", "title": "Shunt", "version": Tool.version])
        object.member(
            "instructions",
            "Shunt is a reverse proxy for development, and records what apps and servers say. Begin with `status` and "
                + "`list_traffic`; `show_exchange` has heads and bodies, `explain_request` says which route responds. "
                + "Filters are mitmproxy's, as `~d HOST & ~c 5xx`; `help` with the subject `filters` has all. Secrets read "
                + "<redacted:name:digest>; equal digests stand for equal values.")
    }

    /// Lists are sent whole.
    private static func requireFirstPage(_ parameters: JSONValue?) throws(Failure) {
        if parameters?["cursor"]?.isNull == false { throw Failure(.parameters, "there is no such page") }
    }

    private static func error(_ id: JSONValue?, _ failure: Failure) -> [UInt8] {
        message(id) { object in
            object.object("error", ["code": failure.code.rawValue, "message": failure.message])
        }
    }

    private static func message(_ id: JSONValue?, _ members: (inout JSONWriter) -> Void) -> [UInt8] {
        return JSONWriter.object { object in
            object.member("jsonrpc", "2.0")
            object.key("id")
            if let id { object.value(id) } else { object.null() }
            members(&object)
        }
    }
}

/// A text of the help that clients can read.
struct MCPDocument {
    let address: String
    let title: String
    let text: String

    /// Subjects, and commands with their options.
    static let all =
        HelpTopic.allCases.map { MCPDocument("topics/" + $0.rawValue, $0.subject, $0.text) }
        + Tool.commands.map { MCPDocument("commands/" + $0.name, $0.summary, HelpText(command: $0).text) }

    private init(_ path: String, _ title: String, _ text: String) {
        (address, self.title, self.text) = ("shunt://help/" + path, title, text)
    }

    /// By a command's or a subject's name.
    static func named(_ name: String) -> MCPDocument? { all.first { $0.address.hasSuffix("/" + name) } }

    func write(to object: inout JSONWriter) {
        object.member("uri", address)
        object.member("name", String(address.split(separator: "/").last ?? ""))
        object.member("description", title)
        object.member("mimeType", "text/plain")
    }
}
