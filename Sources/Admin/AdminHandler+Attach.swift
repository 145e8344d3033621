import Cluster
import Engine
import Profiles
import Reactor

// Machines of users that respond in place of origins.
extension AdminHandler {
    var attachments: [Record<API.Attachment>] {
        proxy.attachments.list.map { attachment in
            Record {
                $0.id = attachment.id
                $0.user = attachment.user
                $0.path = attachment.path
                $0.to = attachment.origin.description
                $0.isUp = attachment.isUp
                $0.since = Int(attachment.since)
                $0.address = attachment.client?.unmapped.host
            }
        }
    }

    func listAttachments() -> Record<API.Attachments> { Record { $0.attachments = attachments } }

    /// Begins an attachment, which has no connection yet.
    func attach(_ body: Record<API.Attach>, _ call: AdminCall) throws -> Record<API.MadeAttachment> {
        guard let user = call.caller.user, let token = call.caller.token else {
            throw AdminRefusal(
                409, "a machine is attached for the devices of a user, and the owner is none",
                advice: "Send the token of a user, such as by SHUNT_TOKEN; `shunt token new NAME` makes one.")
        }
        let wish = Attachments.Wish(
            user: user, token: token, path: try AttachedPath(body.path), origin: try .attached(body.to),
            client: call.request.client)
        call.note.add(target: body.path, after: wish.origin.description)
        let library = proxy.profiles?.library
        guard library?.isProduction(origin: wish.origin.description) != true else {
            throw AdminRefusal(
                403, "\(wish.origin) is an origin of production, which no attached machine may stand for",
                advice: "Name a server of your own with --to.")
        }
        try writeAhead(call)
        let made = try proxy.attachments.add(wish, key: body.key)
        let production = library?.profiles.filter { $0.kind == .production }.map(\.name) ?? []
        return Record {
            ($0.id, $0.user, $0.key) = (made.id, user, made.key)
            $0.connections = proxy.connectionsOfAttachment
            $0.notes = production.filter { !proxy.locks.isUnlocked($0) }.map {
                "requests under profile \($0) go to its own origins, until `shunt unlock \($0)`"
            }
            if let node = facts.cluster?.settings.node {
                $0.notes.append(
                    "it is attached to node \(node): your devices' requests at other nodes go to the route's own origin, "
                        + "and other nodes refuse those with the field")
            }
        }
    }

    /// Takes a connection over.
    func connectAttachment(_ call: AdminCall) async throws -> HandledResponse {
        guard let attachment = Int(call.segment).flatMap(proxy.attachments.find), attachment.user == call.caller.user
        else {
            throw AdminRefusal(
                404, "you have no attachment \(call.segment), or not any more",
                advice: "POST \(API.attach.path) makes one.")
        }
        guard call.request.method == "GET", call.request.field("Upgrade") == Attachment.protocolName else {
            throw AdminRefusal(
                426, "a connection of an attachment begins with an upgrade",
                advice: "Send `Upgrade: \(Attachment.protocolName)` by HTTP/1.1, as `shunt attach` does.",
                fields: [("Upgrade", Attachment.protocolName)])
        }
        let tunnel: HandledTunnel?
        do throws(SystemError) { tunnel = try await proxy.connect(attachment) } catch {
            throw AdminRefusal(503, "the connection cannot be taken over: \(error)")
        }
        guard let tunnel else { throw AdminRefusal(409, "attachment \(attachment.id) has all of its connections") }
        watchTokens(often: true)
        return HandledResponse(upgrade: Attachment.protocolName, to: tunnel)
    }

    func didEnd(_ attachment: Attachment, _ reason: String) {
        write(
            AuditEntry(
                who: attachment.user, token: attachment.token, through: "api", action: "attach/end",
                target: attachment.path, before: attachment.origin.description, after: reason,
                from: attachment.client?.unmapped.host))
    }
}

extension AdminRefusal {
    init(_ refusal: Attachments.Refusal) {
        switch refusal {
        case .tooMany(let limit):
            self.init(409, "there are \(limit) attachments, and no more at a time", advice: "`shunt attach --list`.")
        case .tooManyOfUser(let limit):
            self.init(409, "you have \(limit) attachments, and may have no more", advice: "`shunt attach --list`.")
        case .taken(let other):
            self.init(
                409, "you have attached \(other.origin) for \(other.path) already",
                advice: "End that command first; `shunt attach --list` says where it runs.")
        }
    }
}
