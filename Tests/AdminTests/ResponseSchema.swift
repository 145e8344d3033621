import Admin
import Foundation
import JSON

/// Holds responses against `docs/openapi.json`, in both directions: a member that is not described is a fault, and so
/// is one that is described as always there and is not.
enum ResponseSchema {
    private static let document: JSONValue? = {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return (try? Data(contentsOf: root.appendingPathComponent("docs/openapi.json")))
            .flatMap { try? JSONReader.read(Array($0), dialect: .strict) }
    }()

    /// What is wrong with a response: its status, or its body; nil if nothing is.
    static func fault(_ method: String, _ target: String, _ status: Int, _ body: String) -> String? {
        let path = target.prefix { $0 != "?" }
        let route = AdminRoute.all.first { route in
            let (own, given) = (route.path.split(separator: "/"), path.split(separator: "/"))
            return route.method == method && own.count == given.count
                && zip(own, given).allSatisfy { $0 == $1 || $0.hasPrefix("{") && $1.allSatisfy(\.isNumber) }
        }
        guard let route, let operation = document?["paths"]?[route.path]?[method.lowercased()] else { return nil }
        guard operation["responses"]?["\(status)"] != nil else { return "the status \(status) is not described" }
        guard status == 200,
            let schema = operation["responses"]?["200"]?["content"]?["application/json"]?["schema"],
            let value = try? JSONReader.read(body)
        else { return nil }
        // Its other members are those of `shunt explain --json`.
        return fault(of: value, schema, at: "", isOpen: route.path == "/v1/explain")
    }

    /// The names of the members of a response or, with `isBody`, of the body of a request; nil if it is no object.
    static func members(_ method: String, _ path: String, isBody: Bool = false) -> Set<String>? {
        guard let operation = document?["paths"]?[path]?[method.lowercased()],
            let schema = (isBody ? operation["requestBody"] : operation["responses"]?["200"])?["content"]?[
                "application/json"]?["schema"]
        else { return nil }
        func members(_ schema: JSONValue) -> Set<String> {
            let schema = resolved(schema)
            let parts = ["anyOf", "oneOf", "allOf"].flatMap { schema[$0]?.array ?? [] }
            return parts.reduce(into: Set(schema["properties"]?.object?.map(\.key) ?? [])) { $0.formUnion(members($1)) }
        }
        return members(schema)
    }

    private static func resolved(_ schema: JSONValue) -> JSONValue {
        guard let name = schema["$ref"]?.string?.split(separator: "/").last else { return schema }
        return document?["components"]?["schemas"]?[String(name)] ?? schema
    }

    private static func fault(of value: JSONValue, _ given: JSONValue, at place: String, isOpen: Bool = false)
        -> String?
    {
        let schema = resolved(given)
        if let choices = schema["anyOf"]?.array ?? schema["oneOf"]?.array {
            let faults = choices.map { fault(of: value, $0, at: place, isOpen: isOpen) }
            return faults.contains { $0 == nil } ? nil : faults.compactMap(\.self).joined(separator: ", or ")
        }
        if let names = schema["type"].map({ $0.array?.compactMap(\.string) ?? [$0.string ?? ""] }),
            !names.contains(where: { isKind(value, $0) })
        {
            return "\(place) is \(value.kindName), not \(names.joined(separator: " or "))"
        }
        if let items = value.array, let item = schema["items"] {
            return items.lazy.enumerated().compactMap { fault(of: $1, item, at: "\(place)[\($0)]") }.first
        }
        let parts = (schema["allOf"]?.array ?? [schema]).map(resolved)
        let properties = parts.flatMap { $0["properties"]?.object ?? [] }
        guard let members = value.object, !properties.isEmpty else { return nil }
        for name in parts.flatMap({ $0["required"]?.array?.compactMap(\.string) ?? [] })
        where !members.contains(where: { $0.key == name }) {
            return "\(place) has no \(name)"
        }
        for member in members {
            // A later part says more of a member than an earlier one.
            guard let property = properties.last(where: { $0.key == member.key }) else {
                if isOpen { continue }
                return "\(place).\(member.key) is not described"
            }
            if let fault = fault(of: member.value, property.value, at: "\(place).\(member.key)") { return fault }
        }
        return nil
    }

    private static func isKind(_ value: JSONValue, _ name: String) -> Bool {
        switch name {
        case "string": value.string != nil
        case "integer": value.number?.int64 != nil
        case "number": value.number != nil
        case "boolean": value.bool != nil
        case "array": value.array != nil
        case "object": value.object != nil
        default: value.isNull
        }
    }
}
