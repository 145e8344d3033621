import JSON

/// The body of a request to the admin interface: one object, or nothing.
struct AdminBody {
    let value: JSONValue?

    init(_ body: [UInt8]) throws(AdminRefusal) {
        guard !body.isEmpty else {
            value = nil
            return
        }
        do throws(JSONFailure) {
            value = try JSONReader.read(body, dialect: .strict)
        } catch {
            throw AdminRefusal(400, "the body is not JSON: \(error)", advice: "Send an object.")
        }
        guard value?.object != nil else { throw AdminRefusal(400, "the body is no object", advice: "Send one.") }
    }

    /// A required text.
    func text(_ name: String, example: String) throws(AdminRefusal) -> String {
        guard let text = value?[name]?.string else {
            throw AdminRefusal(400, "the body has no text \"\(name)\"", advice: "Send \(example).")
        }
        return text
    }

    /// An optional text; nil also for null.
    func optionalText(_ name: String, example: String) throws(AdminRefusal) -> String? {
        guard let member = value?[name], !member.isNull else { return nil }
        guard let text = member.string else {
            throw AdminRefusal(400, "\"\(name)\" is \(member.kindName), not a text", advice: "Send \(example).")
        }
        return text
    }

    /// A list of texts, or nil where there is none or null.
    func optionalTexts(_ name: String, example: String) throws(AdminRefusal) -> [String]? {
        guard let member = value?[name], !member.isNull else { return nil }
        let texts = member.array?.compactMap(\.string) ?? []
        guard let items = member.array, !items.isEmpty, texts.count == items.count else {
            throw AdminRefusal(400, "\"\(name)\" is no list of texts", advice: "Send \(example).")
        }
        return texts
    }

    func integer(_ name: String, example: String) throws(AdminRefusal) -> Int {
        guard let number = value?[name]?.number?.int64, let integer = Int(exactly: number) else {
            throw AdminRefusal(400, "the body has no whole number \"\(name)\"", advice: "Send \(example).")
        }
        return integer
    }

    /// An optional whole number; nil also for null.
    func optionalInteger(_ name: String, example: String) throws(AdminRefusal) -> Int? {
        guard let member = value?[name], !member.isNull else { return nil }
        return try integer(name, example: example)
    }

    /// A flag; false where there is none or null.
    func flag(_ name: String, example: String) throws(AdminRefusal) -> Bool {
        guard let member = value?[name], !member.isNull else { return false }
        guard let flag = member.bool else {
            throw AdminRefusal(400, "\"\(name)\" is \(member.kindName), not true or false", advice: "Send \(example).")
        }
        return flag
    }
}
