// Machines of users that respond in place of origins.
extension API {
    package final class Attach: Members {
        package let path = Member<String>("path", "As a route has it: /v1/cart, or /v1/cart/* for all below it, too.")
        package let to = Member<String>("to", "The origin to which the machine sends the requests on.")
        package let key = Member<String?>(
            "key", "That of the attachment in whose place it is, whose connections broke: it stays the same.")
    }

    package final class MadeAttachment: Members {
        package let id = Member<Int>("id", "For GET /v1/attach/{id}, which opens a connection.", min: 1)
        package let user = Member<String>("user")
        package let key = Member<String>("key", "What other requests have in the field Shunt-Attach that are for it.")
        package let connections = Member<Int>("connections", "How many connections the machine opens.", min: 1)
        package let notes = Member<[String]>("notes", "What it does not respond to: one sentence each.")
    }

    package final class Attachments: Members {
        package let attachments = Member<[Record<Attachment>]>("attachments")
    }

    package final class Attachment: Members {
        package let id = Member<Int>("id", min: 1)
        package let user = Member<String>("user")
        package let path = Member<String>("path")
        package let to = Member<String>("to")
        package let isUp = Member<Bool>("connected", "Requests are sent to it.")
        package let since = Member<Int>("since", "Seconds since 1970.")
        package let address = Member<String?>("address", "Of the machine.")
    }
}
