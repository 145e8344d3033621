import Engine
import JSON

extension HandledAnswer {
    /// An answer whose content is an object.
    static func json(_ status: Int, _ members: (inout JSONWriter) -> Void) -> HandledAnswer {
        var writer = JSONWriter()
        writer.object(members)
        return json(status, writer.bytes)
    }

    /// No cache may keep an answer, and no browser may take it for anything but JSON.
    static func json(
        _ status: Int, _ content: [UInt8], fields: [(name: String, value: String)] = []
    ) -> HandledAnswer {
        let common = [
            (name: "Content-Type", value: "application/json"), (name: "Cache-Control", value: "no-store"),
            (name: "X-Content-Type-Options", value: "nosniff"),
        ]
        return HandledAnswer(status: status, fields: common + fields, body: content + [UInt8(ascii: "\n")])
    }

    static func refusal(_ refusal: AdminRefusal) -> HandledAnswer {
        var writer = JSONWriter()
        writer.object { object in
            object.object("error") { error in
                error.member("message", refusal.message)
                error.member("advice", refusal.advice)
            }
        }
        return json(refusal.status, writer.bytes, fields: refusal.fields)
    }
}

extension AdminRefusal {
    static func cannotUse(_ profile: String, _ error: ProxyError) -> AdminRefusal {
        switch error {
        case .noSuchProfile(let name, let known, let nearest):
            let names = known.joined(separator: ", ")
            return AdminRefusal(
                404, "there is no profile “\(name)”",
                advice: nearest.map { "Did you mean “\($0)”? There are: \(names)." } ?? "There are: \(names).")
        case .trust(let profile, let reason):
            return AdminRefusal(409, "the trust rules of profile “\(profile)” cannot be used: \(reason)")
        case .certificates(let reason): return AdminRefusal(500, reason)
        case .system(let error), .cannotListen(_, let error): return AdminRefusal(500, "\(error)")
        }
    }
}
