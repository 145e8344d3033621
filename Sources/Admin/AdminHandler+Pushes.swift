import Engine
import JSON
import Push

// Notifications that stand-ins for APNs have accepted.
extension AdminHandler {
    private static let maxListed = 1000

    func listPushes(_ call: AdminCall) throws(AdminRefusal) -> HandledResponse {
        let after = try call.integer("after", in: 0...Int.max) ?? 0
        let limit = try call.integer("limit", in: 1...Self.maxListed) ?? Self.maxListed
        let (pushes, count) = proxy.receivedPushes.list(after: after, limit: limit)
        return .json(200) { object in
            object.member("count", count)
            object.member("last", pushes.last?.number ?? max(after, count))
            object.array("pushes") { array in
                for push in pushes { array.object(push.writeMembers) }
            }
        }
    }

    func forgetPushes() -> HandledResponse {
        let count = proxy.receivedPushes.list(after: 0, limit: .max).pushes.count
        proxy.receivedPushes.clear()
        return .json(200) { $0.member("forgotten", count) }
    }
}

extension ReceivedPush {
    fileprivate func writeMembers(to writer: inout JSONWriter) {
        writer.member("number", number)
        writer.member("time", time)
        writer.member("profile", profile)
        switch target {
        case .device(let token): writer.member("token", token)
        case .broadcast(let bundle):
            writer.member("bundle", bundle)
            writer.member("channel", fields.channelID)
        }
        writer.member("id", id)
        writer.member("uniqueID", uniqueID)
        writer.member("topic", fields.topic)
        writer.member("type", fields.pushType)
        writer.member("priority", fields.priority.flatMap { Int($0) } ?? 10)
        writer.member("expiration", fields.expiration.flatMap { Int($0) })
        writer.member("collapseID", fields.collapseID)
        writer.key("payload")
        writer.raw(payload)
    }
}
