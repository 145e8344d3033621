import Bytes
import HTTP
import JSON
import Profiles

/// A request to a collection, apart from its exchange: long ones are done on a thread of their own.
struct CollectionRequest: Sendable {
    let method: String
    /// nil for the collection as a whole.
    let id: String?
    /// The URL without the identifier and the query.
    let url: String
    let query: [UInt8]
    let body: [UInt8]
    /// The media type without parameters, in lower case.
    let contentType: String
    let ifMatch: [[UInt8]]
    let ifNoneMatch: [[UInt8]]
    /// Keeps entity tags of different profiles apart.
    let profile: String

    private static let (mergePatch, jsonPatch) = ("application/merge-patch+json", "application/json-patch+json")
    private static let patchTypes = [mergePatch, jsonPatch, "application/json"]

    /// What becomes of an item.
    private enum Change {
        case replaced(JSONValue)
        /// By a merge patch (RFC 7396).
        case merged(JSONValue)
        case patched(JSONPatch)
    }

    /// The methods for this path (RFC 9110 10.2.1).
    private var allowed: String {
        id == nil ? "GET, HEAD, POST, OPTIONS" : "GET, HEAD, PUT, PATCH, DELETE, OPTIONS"
    }

    /// What becomes of it.
    func response(_ kept: KeptCollection, since beginning: CollectionItems, _ fingerprint: String) -> LocalResponse {
        do throws(CollectionRefusal) {
            switch (method, id) {
            case ("OPTIONS", _):
                let patch = id == nil ? "" : "Accept-Patch: \(Self.patchTypes.joined(separator: ", "))\r\n"
                return LocalResponse(204, "Allow: \(allowed)\r\n\(patch)")
            case ("GET", nil), ("HEAD", nil): return try list(kept.items(since: beginning, fingerprint))
            case ("GET", let id?), ("HEAD", let id?):
                let items = kept.items(since: beginning, fingerprint)
                let text = items.all[try index(of: id, in: items)].text
                return try found(text, "")
            case ("POST", nil):
                let value = try object()
                let item = try kept.change(since: beginning, fingerprint) { (items) throws(CollectionRefusal) in
                    try create(value, in: &items)
                }
                return sent(201, item.text, "Location: \(url)/\(PathText.escaped(item.id))\r\n")
            case ("PUT", let id?), ("PATCH", let id?):
                let change = try method == "PUT" ? .replaced(object()) : patch()
                let text = try kept.change(since: beginning, fingerprint) { (items) throws(CollectionRefusal) in
                    try self.change(id, change, in: &items)
                }
                return sent(200, text, "")
            case ("DELETE", let id?):
                try kept.change(since: beginning, fingerprint) { (items) throws(CollectionRefusal) in
                    let index = try index(of: id, in: items)
                    try checkConditions(items.all[index].text)
                    items.all.remove(at: index)
                }
                return LocalResponse(204, "")
            default:
                throw CollectionRefusal(
                    405, "\(id == nil ? "the collection" : "an item of it") allows \(allowed), not \(method)",
                    fields: "Allow: \(allowed)\r\n")
            }
        } catch {
            return Self.problem(error)
        }
    }

    static func problem(_ refusal: CollectionRefusal) -> LocalResponse {
        var writer = JSONWriter()
        writer.object {
            $0.member("title", "\(reasonPhrase(for: refusal.status))")
            $0.member("status", refusal.status)
            $0.member("detail", refusal.message)
        }
        return LocalResponse(
            refusal.status, "Content-Type: application/problem+json\r\n\(refusal.fields)", writer.text)
    }

    // MARK: Reading

    private func list(_ items: CollectionItems) throws(CollectionRefusal) -> LocalResponse {
        let page = try CollectionQuery(query).page(of: items.all, url: url)
        let link = page.link.map { "Link: \($0)\r\n" } ?? ""
        return try found(CollectionItems.text(page.items), "X-Total-Count: \(page.total)\r\n\(link)")
    }

    /// The response to a GET, by its conditions (RFC 9110 13.2.2).
    private func found(_ text: [UInt8], _ fields: String) throws(CollectionRefusal) -> LocalResponse {
        try checkMatch(text)
        let tag = tag(of: text)
        if ifNoneMatch.contains(where: { Validators.lists($0.span, tag, isWeak: true) }) {
            return LocalResponse(304, "ETag: \(String(decoding: tag, as: UTF8.self))\r\n\(fields)")
        }
        return sent(200, text, fields)
    }

    private func sent(_ status: Int, _ text: [UInt8], _ fields: String) -> LocalResponse {
        var response = LocalResponse(
            status,
            "Content-Type: application/json\r\nETag: \(String(decoding: tag(of: text), as: UTF8.self))\r\n\(fields)")
        response.body = text
        return response
    }

    /// FNV-1a: it has to be short, and hides nothing.
    private func tag(of text: [UInt8]) -> [UInt8] {
        var hash: UInt64 = 14_695_981_039_346_656_037
        for byte in profile.utf8 { hash = (hash ^ UInt64(byte)) &* 1_099_511_628_211 }
        for byte in text { hash = (hash ^ UInt64(byte)) &* 1_099_511_628_211 }
        return Array("\"\(String(hash, radix: 16))\"".utf8)
    }

    private func index(of id: String, in items: CollectionItems) throws(CollectionRefusal) -> Int {
        guard let index = items.all.firstIndex(where: { $0.id == id }) else {
            throw CollectionRefusal(404, "the collection has no item \(id)")
        }
        return index
    }

    private func checkMatch(_ text: [UInt8]) throws(CollectionRefusal) {
        let tag = tag(of: text)
        guard ifMatch.isEmpty || ifMatch.contains(where: { Validators.lists($0.span, tag, isWeak: false) }) else {
            throw CollectionRefusal(412, "the item is another one than If-Match names: it has been changed")
        }
    }

    /// Whether the request's conditions allow a change of the item (RFC 9110 13.2.2).
    private func checkConditions(_ text: [UInt8]) throws(CollectionRefusal) {
        try checkMatch(text)
        let tag = tag(of: text)
        guard !ifNoneMatch.contains(where: { Validators.lists($0.span, tag, isWeak: true) }) else {
            throw CollectionRefusal(412, "the item is the one that If-None-Match excludes")
        }
    }

    // MARK: Changing

    private func value() throws(CollectionRefusal) -> JSONValue {
        do throws(JSONFailure) { return try JSONReader.read(body, dialect: .strict) } catch {
            throw CollectionRefusal(
                400,
                "the body is no JSON: \(error.position): \(error.message)"
                    + (error.expected.map { "; expected \($0)" } ?? ""))
        }
    }

    private func object() throws(CollectionRefusal) -> JSONValue {
        let value = try value()
        guard value.object != nil else {
            throw CollectionRefusal(
                400, "\(value.position): the body is \(value.kindName); expected an item, which is an object")
        }
        return value
    }

    private func patch() throws(CollectionRefusal) -> Change {
        if contentType == Self.jsonPatch {
            let value = try value()
            do throws(JSONPatch.Failure) { return .patched(try JSONPatch(value)) } catch {
                throw CollectionRefusal(error)
            }
        }
        // Of other kinds of patches; curl names a form where nothing is said.
        guard !contentType.hasSuffix("+json") || contentType == Self.mergePatch else {
            throw CollectionRefusal(
                415, "the patch is \(contentType); expected a merge patch (RFC 7396) or a JSON Patch (RFC 6902)",
                fields: "Accept-Patch: \(Self.patchTypes.joined(separator: ", "))\r\n")
        }
        return .merged(try object())
    }

    private func create(
        _ value: JSONValue, in items: inout CollectionItems
    ) throws(CollectionRefusal) -> CollectionItems.Item {
        var value = value
        if value.lacksID {
            var (number, id) = (items.lastNumber, "")
            // A number of an item may be larger than those that are counted.
            repeat {
                number += 1
                id = "\(number)"
            } while items.all.contains { $0.id == id }
            value = value.with(id: items.hasTexts ? .string(id) : .number(JSONNumber(number)))
        }
        let id = try self.id(of: value)
        guard !items.all.contains(where: { $0.id == id }) else {
            throw CollectionRefusal(409, "the collection has an item \(id) already")
        }
        items.note(value["id"])
        let item = CollectionItems.Item(id: id, text: JSONLiteral(value).text)
        items.all.append(item)
        return item
    }

    /// Replaces or patches an item; its identifier stays.
    private func change(
        _ id: String, _ change: Change, in items: inout CollectionItems
    ) throws(CollectionRefusal) -> [UInt8] {
        let index = try index(of: id, in: items)
        let old = items.all[index].text
        try checkConditions(old)
        let changed = try result(of: change, in: old)
        guard try self.id(of: changed) == id else {
            throw CollectionRefusal(400, "the body has another id than the path, which is \(id); an id stays")
        }
        let text = JSONLiteral(changed).text
        items.all[index] = CollectionItems.Item(id: id, text: text)
        return text
    }

    private func result(of change: Change, in old: [UInt8]) throws(CollectionRefusal) -> JSONValue {
        switch change {
        case .replaced(let value):
            let own = value.lacksID ? try item(old)["id"] : nil
            return own.map { value.with(id: $0.kind) } ?? value
        case .merged(let value):
            var edits = JSONEdits()
            edits.patch = JSONLiteral(value)
            let text: [UInt8]
            do throws(JSONFailure) { text = try JSONEdits.apply([edits], to: old) ?? old } catch { throw unfit(error) }
            return try item(text)
        case .patched(let patch):
            let item = try item(old)
            do throws(JSONPatch.Failure) { return try patch.apply(to: item) } catch { throw CollectionRefusal(error) }
        }
    }

    private func item(_ text: [UInt8]) throws(CollectionRefusal) -> JSONValue {
        do throws(JSONFailure) { return try JSONReader.read(text, dialect: .strict) } catch { throw unfit(error) }
    }

    private func unfit(_ failure: JSONFailure) -> CollectionRefusal {
        CollectionRefusal(400, "the item cannot be changed so: \(failure.message)")
    }

    private func id(of item: JSONValue) throws(CollectionRefusal) -> String {
        do throws(JSONFailure) { return try CollectionItems.id(of: item) } catch {
            throw CollectionRefusal(
                400, "\(error.position): \(error.message)" + (error.expected.map { "; expected \($0)" } ?? ""))
        }
    }
}

extension CollectionRefusal {
    /// As RFC 5789 2.2 has it: 400 for a patch that is wrong itself, 409 for one that the item is not as.
    fileprivate init(_ failure: JSONPatch.Failure) {
        let status =
            switch failure.kind {
            case .malformed: 400
            case .conflict: 409
            case .tooMuch: 507
            }
        self.init(status, failure.message)
    }
}

extension JSONValue {
    /// Whether an identifier is still to be made; clients that write all members say null then.
    fileprivate var lacksID: Bool { self["id"]?.isNull ?? true }

    /// The same object with an identifier in front.
    fileprivate func with(id: Kind) -> JSONValue {
        let member = JSONMember(key: "id", keyPosition: position, value: JSONValue(kind: id, position: position))
        return JSONValue(kind: .object([member] + (object ?? []).filter { $0.key != "id" }), position: position)
    }
}

/// A text as a segment of a path (RFC 3986 3.3).
enum PathText {
    static func escaped(_ text: String) -> String {
        text.utf8.reduce(into: "") { escaped, byte in
            if ByteSearch.isAlphanumeric(byte) || "-._~".utf8.contains(byte) {
                escaped.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                escaped += "%" + Hex.text([byte]).uppercased()
            }
        }
    }
}
