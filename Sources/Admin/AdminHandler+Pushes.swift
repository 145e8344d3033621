import Engine
import JSON
import Push

// Notifications that stand-ins for APNs have accepted.
extension AdminHandler {
    func listPushes(_ query: Record<API.PushesAfter>) -> Record<API.Pushes> {
        let (pushes, count) = proxy.receivedPushes.list(after: query.after, limit: query.limit)
        return Record {
            $0.count = count
            $0.last = pushes.last?.number ?? max(query.after, count)
            $0.pushes = pushes.map(Self.record)
        }
    }

    func forgetPushes() -> Record<API.ForgottenPushes> {
        let count = proxy.receivedPushes.list(after: 0, limit: .max).pushes.count
        proxy.receivedPushes.clear()
        return Record { $0.forgotten = count }
    }

    private static func record(_ push: ReceivedPush) -> Record<API.Push> {
        Record {
            $0.number = push.number
            $0.time = Int(push.time)
            $0.profile = push.profile
            switch push.target {
            case .device(let token): $0.token = token
            case .broadcast(let bundle): ($0.bundle, $0.channel) = (bundle, push.fields.channelID)
            }
            $0.id = push.id
            $0.uniqueID = push.uniqueID
            $0.topic = push.fields.topic
            $0.type = push.fields.pushType
            $0.priority = push.fields.priority.flatMap { Int($0) } ?? 10
            $0.expiration = push.fields.expiration.flatMap { Int($0) }
            $0.collapseID = push.fields.collapseID
            $0.payload = (try? JSONReader.read(Array(push.payload), dialect: .strict)) ?? .blank
        }
    }
}
