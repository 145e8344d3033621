import JSON

extension RouteChanges {
    /// The members of a route in an explanation, in the form of a profile.
    func writeMembers(to writer: inout JSONWriter) {
        if let request {
            writer.object("request") {
                if !request.headers.isEmpty { $0.object("headers", request.headers.writeMembers) }
                if !request.query.isEmpty { $0.object("query", request.query.writeMembers) }
                if !request.path.isEmpty {
                    $0.object("path") {
                        for mapping in request.path.mappings { $0.member("\(mapping.client)", "\(mapping.origin)") }
                    }
                }
                request.body?.writeMembers(to: &$0)
            }
        }
        if let response {
            writer.object("response") {
                if !response.headers.isEmpty { $0.object("headers", response.headers.writeMembers) }
                switch response.status {
                case nil: break
                case .all(let status)?: $0.member("status", status)
                case .each(let map)?:
                    $0.object("status") {
                        for (from, to) in map.sorted(by: { $0.key < $1.key }) { $0.member("\(from)", to) }
                    }
                }
                response.body?.writeMembers(to: &$0)
            }
        }
        if !messages.isEmpty {
            writer.array("messages") { array in
                for change in messages {
                    array.object {
                        if let sender = change.sender { $0.member("from", sender.rawValue) }
                        if change.condition != .any { $0.member("conditional", true) }
                        change.body.writeMembers(to: &$0)
                    }
                }
            }
        }
        if let injection {
            writer.object("inject", ["head": injection.head.map(\.label), "body": injection.body.map(\.label)])
        }
        if let bridge {
            writer.object("bridge", ["file": bridge.file, "handlers": bridge.handlers, "record": bridge.records])
        }
    }
}

extension HeaderChanges {
    fileprivate func writeMembers(to writer: inout JSONWriter) {
        func write(_ key: String, _ fields: [Field]) {
            guard !fields.isEmpty else { return }
            var names: [String] = []
            for field in fields where !names.contains(field.name) { names.append(field.name) }
            writer.object(key) {
                for name in names { $0.member(name, fields.filter { $0.name == name }.map(\.value)) }
            }
        }
        write("set", set)
        write("add", add)
        if !remove.isEmpty { writer.member("remove", remove) }
    }
}

extension QueryChanges {
    fileprivate func writeMembers(to writer: inout JSONWriter) {
        if !set.isEmpty {
            writer.object("set") {
                for parameter in set { $0.member(parameter.name, parameter.value) }
            }
        }
        if !remove.isEmpty { writer.member("remove", remove) }
    }
}
