import Bytes
import GraphQL
import JSON
import Profiles

/// Tells GraphQL requests that are queries from those that may change something.
///
/// Servers read different parts of a request, so each part has to be known: its parameters and members are the four of
/// the GraphQL over HTTP draft in its spelling, and all names of an operation are equal.
package struct GraphQLRequest: Sendable {
    /// The request's URL, from behind the `?`.
    package var query: [UInt8] = []
    /// The Content-Type, in lower case.
    package var contentType = ""
    /// Names of the operation in fields of the head.
    package var namedByFields: [String] = []

    package init() {}

    /// Why a request without a body may change something; nil if it is a query.
    package func refusalOfURL() -> String? {
        var members: [String: String] = [:]
        for (name, value) in URLParameters.read(query) {
            let name = String(decoding: name, as: UTF8.self)
            guard ["query", "operationName", "variables", "extensions"].contains(name) else {
                return Self.unknown(name, "parameter")
            }
            guard members[name] == nil else { return "a GraphQL request with several parameters \"\(name)\"" }
            // Some servers end a parameter there.
            guard !value.contains(UInt8(ascii: ";")) else { return "a GraphQL request with `;` in its URL" }
            members[name] = String(decoding: FormCoding.decoded(value), as: UTF8.self)
        }
        // No operation: a page about the API, say.
        guard !members.isEmpty else { return nil }
        guard let document = members["query"] else {
            return "a GraphQL request without its query's text may be a mutation"
        }
        if let extensions = members["extensions"] {
            guard let value = try? JSONReader.read(Array(extensions.utf8), dialect: .strict) else {
                return "the GraphQL request's extensions are no valid JSON"
            }
            if let reason = Self.refusal(ofExtensions: value) { return reason }
        }
        return refusal(of: [Item(document: Array(document.utf8), operationName: members["operationName"])])
    }

    /// The same for one with a body.
    package func refusal(of body: [UInt8]) -> String? {
        var named: [String] = []
        for (name, value) in URLParameters.read(query) {
            guard name.elementsEqual("operationName".utf8) else {
                return Self.unknown(String(decoding: name, as: UTF8.self), "parameter")
            }
            named.append(String(decoding: FormCoding.decoded(value), as: UTF8.self))
        }
        if let reason = refusalOfType() { return reason }
        if body.starts(with: [0xEF, 0xBB, 0xBF]) { return "a GraphQL request with a byte order mark" }
        if mediaType == "application/graphql" {
            return refusal(of: [Item(document: body, operationName: nil)], named)
        }
        guard let value = try? JSONReader.read(body, dialect: .strict) else {
            return "the GraphQL request is no valid JSON"
        }
        var items: [Item] = []
        for request in value.array ?? [value] {
            switch Self.item(of: request) {
            case .success(let item): items.append(item)
            case .failure(let refusal): return refusal.reason
            }
        }
        return items.isEmpty ? "the GraphQL request is empty" : refusal(of: items, named)
    }

    private struct Item {
        let document: [UInt8]
        let operationName: String?
    }

    private struct Refusal: Error {
        let reason: String
    }

    private var mediaType: Substring { contentType.prefix { $0 != ";" && $0 != " " && $0 != "\t" } }

    private func refusalOfType() -> String? {
        guard mediaType == "application/json" || mediaType == "application/graphql" else {
            return "a GraphQL request of type \"\(mediaType.prefix(80))\" cannot be told from a mutation"
        }
        let parameters = contentType.split(separator: ";", omittingEmptySubsequences: false).dropFirst()
        // Some servers decode a body by its charset (UTF-7, say), against RFC 8259.
        let isPlain =
            parameters.isEmpty
            || parameters.count == 1
                && parameters.allSatisfy { parameter in
                    ["charset=utf-8", "charset=\"utf-8\""].contains(parameter.filter { $0 != " " && $0 != "\t" })
                }
        return isPlain ? nil : "a GraphQL request of type \"\(contentType.prefix(80))\" cannot be told from a mutation"
    }

    private static func unknown(_ name: String, _ kind: String) -> String {
        "a GraphQL request with the \(kind) \"\(name.prefix(80))\", which may name another operation,"
    }

    private static func item(of request: JSONValue) -> Result<Item, Refusal> {
        guard let members = request.object else {
            return .failure(Refusal(reason: "a GraphQL request that is \(request.kindName)"))
        }
        for member in members {
            switch member.key {
            case "query", "operationName", "variables": continue
            case "extensions":
                if let reason = refusal(ofExtensions: member.value) { return .failure(Refusal(reason: reason)) }
            default: return .failure(Refusal(reason: unknown(member.key, "member")))
            }
        }
        guard let query = request["query"]?.string else {
            return .failure(Refusal(reason: "a GraphQL request without its query's text may be a mutation"))
        }
        let name = request["operationName"]
        guard name == nil || name?.isNull == true || name?.string != nil else {
            return .failure(Refusal(reason: "a GraphQL request whose operationName is no string"))
        }
        return .success(Item(document: Array(query.utf8), operationName: name?.string))
    }

    /// Extensions must not name a query that is stored at the server.
    private static func refusal(ofExtensions value: JSONValue) -> String? {
        if value.isNull { return nil }
        guard let members = value.object else { return "a GraphQL request whose extensions are \(value.kindName)" }
        let telling = ["persisted", "document", "query", "operation", "hash", "id"]
        guard let member = members.first(where: { member in telling.contains { member.key.lowercased().contains($0) } })
        else { return nil }
        return unknown("extensions.\(member.key)", "member")
    }

    /// Why the operations that some items choose may change something.
    ///
    /// - Parameter named: the operations that the URL names, which some servers prefer to the body's.
    private func refusal(of items: [Item], _ named: [String] = []) -> String? {
        let claims = named + namedByFields
        for item in items {
            guard let operations = GraphQLOperation.read(item.document), !operations.isEmpty else {
                return "no GraphQL query can be read in it"
            }
            var chosen = operations
            if let name = item.operationName, !name.isEmpty {
                chosen = operations.filter { $0.name == name }
                if chosen.isEmpty { return "the GraphQL request has no operation \"\(name.prefix(80))\"" }
            }
            if let mutation = chosen.first(where: { $0.kind == .mutation }) {
                return "the GraphQL mutation\(mutation.name.map { " \($0.prefix(80))" } ?? "") can change something"
            }
            let isOne = items.count == 1 && chosen.count == 1
            if let claim = claims.first(where: { !isOne || $0 != chosen[0].name }) {
                return "a GraphQL request whose URL or fields name another operation, \"\(claim.prefix(80))\","
            }
        }
        return nil
    }
}
