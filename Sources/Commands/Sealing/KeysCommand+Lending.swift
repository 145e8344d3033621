import Admin
import Age
import CSystem
import Engine

// Identities that are lent to a running Shunt.
extension KeysCommand {
    static func unlock(_ file: String?, _ arguments: Arguments) throws -> CInt {
        shunt_disable_core_dumps()
        let seconds = try arguments.seconds("for", atMost: Locks.allowed.upperBound) ?? 900
        let record = try RunningShunt.find(arguments)
        let paths = if let file { [file] + arguments.texts("identity") } else { SealIdentities.paths(arguments) }
        guard !paths.isEmpty else {
            throw CommandFailure(
                "there is no identity to unlock the store with",
                advice: "Name the file with the private key: `shunt keys unlock FILE`, or SHUNT_IDENTITY=FILE.")
        }
        var texts: [String] = []
        for path in paths {
            var bytes = try SealIdentities.text(path, arguments)
            defer { wipe(&bytes) }
            // Named here, since the Shunt that runs does not know the file.
            _ = try SealIdentities.identities(bytes, path)
            texts.append(String(decoding: bytes, as: UTF8.self))
        }
        let reply = try AdminClient(record).ask(API.unlockStore) { ($0.identities, $0.seconds) = (texts, seconds) }
        return CommandResult(
            reply,
            "The inspector and the admin interface show all of the sealed store for \(Words.span(seconds)), until "
                + "\(Words.clock(after: seconds)); `shunt keys lock` ends it sooner.\n"
        ).show(arguments)
    }

    static func lock(_ arguments: Arguments) throws -> CInt {
        let reply = try AdminClient(try RunningShunt.find(arguments)).ask(API.lockStore)
        return CommandResult(
            reply,
            reply.wasUnlocked
                ? "The sealed store is locked again: the newest part of it is shown.\n"
                : "The sealed store was not unlocked.\n"
        ).show(arguments)
    }
}
