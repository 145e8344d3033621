import Bytes
public import JSON
public import Platform

/// One line of the audit trail: a change, or an attempt that was refused.
public struct AuditEntry: Sendable {
    /// Microseconds since 1970.
    public var time: Int64
    /// A user's name, `owner`, or `device` for one that chose at its page; empty for a client without a valid token.
    public var who: String
    /// The public part of the user's token.
    public var token: String?
    /// `api`, `inspector`, `page` (of devices) or `command`.
    public var through: String
    /// As the path of the route, such as `use`, `store/unlock` and `traffic/clear`.
    public var action: String
    /// What was changed, such as a profile's name.
    public var target: String?
    public var before: String?
    public var after: String?
    /// The client's address.
    public var from: String?
    /// Why it was refused; nil for what was done.
    public var refused: String?

    public init(
        time: Int64 = wallClock(), who: String, token: String? = nil, through: String, action: String,
        target: String? = nil, before: String? = nil, after: String? = nil, from: String? = nil,
        refused: String? = nil
    ) {
        self.time = time
        self.who = who
        self.token = token
        self.through = through
        self.action = action
        self.target = target
        self.before = before
        self.after = after
        self.from = from
        self.refused = refused
    }

    /// Bytes of a text that are kept.
    private static let longest = 500

    /// Every text made harmless by `clean`, and cut.
    func mapped(_ clean: (String) -> String) -> AuditEntry {
        func short(_ text: String) -> String {
            let clean = clean(text)
            return clean.utf8.count <= Self.longest ? clean : clean.prefix(Self.longest / 4) + "…"
        }
        var entry = self
        entry.who = short(who)
        entry.action = short(action)
        entry.target = target.map(short)
        entry.before = before.map(short)
        entry.after = after.map(short)
        entry.from = from.map(short)
        entry.refused = refused.map(short)
        return entry
    }

    package var json: [UInt8] {
        var writer = JSONWriter()
        writer.object(write)
        return writer.bytes
    }

    public func write(to object: inout JSONWriter) {
        object.member("time", CalendarTime.text(time))
        object.member("who", who)
        object.member("token", token)
        object.member("through", through)
        object.member("action", action)
        object.member("target", target)
        object.member("before", before)
        object.member("after", after)
        object.member("from", from)
        object.member("refused", refused)
    }

    /// Reads what ``write(to:)`` wrote.
    public init?(_ value: JSONValue) {
        guard let time = value["time"]?.string.flatMap({ CalendarTime.parse($0) }), let who = value["who"]?.string,
            let action = value["action"]?.string
        else { return nil }
        self.init(
            time: time, who: who, token: value["token"]?.string, through: value["through"]?.string ?? "",
            action: action, target: value["target"]?.string, before: value["before"]?.string,
            after: value["after"]?.string, from: value["from"]?.string, refused: value["refused"]?.string)
    }
}

extension AuditEntry {
    /// As the admin interface lists them.
    public static func list(_ entries: [AuditEntry]) -> JSONValue {
        .written { writeList(entries, to: &$0) }
    }

    static func writeList(_ entries: [AuditEntry], to object: inout JSONWriter) {
        object.array("entries") { array in
            for entry in entries { array.object(entry.write) }
        }
    }
}
