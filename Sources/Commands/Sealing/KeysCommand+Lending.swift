import Admin
import Age
import CSystem
import Engine
import JSON

// Identities that are lent to a running Shunt.
extension KeysCommand {
    private static let usualSeconds = 900

    static func unlock(_ file: String?, _ arguments: Arguments) throws -> CInt {
        shunt_disable_core_dumps()
        let seconds = try seconds(arguments)
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
        let response = try AdminClient(record).unlockStore(texts, seconds: seconds)
        if arguments.has("json") {
            Terminal.out { $0.value(response) }
        } else {
            Terminal.out(
                "The inspector and the admin interface show all of the sealed store for "
                    + "\(StatusText.span(Int64(seconds))), until \(StatusText.clock(after: seconds)); "
                    + "`shunt keys lock` ends it sooner.\n")
        }
        return 0
    }

    static func lock(_ file: String?, _ arguments: Arguments) throws -> CInt {
        guard file == nil else {
            throw UsageError("`shunt keys lock` takes no FILE", advice: "All identities that were lent go.")
        }
        let record = try RunningShunt.find(arguments)
        let response = try AdminClient(record).lockStore()
        if arguments.has("json") {
            Terminal.out { $0.value(response) }
        } else {
            Terminal.out(
                response["wasUnlocked"]?.bool == true
                    ? "The sealed store is locked again: the newest part of it is shown.\n"
                    : "The sealed store was not unlocked.\n")
        }
        return 0
    }

    private static func seconds(_ arguments: Arguments) throws -> Int {
        guard let time = try arguments.duration("for") else { return usualSeconds }
        let seconds = Int(clamping: (time - 1) / 1_000_000_000 + 1)
        guard Locks.allowed.contains(seconds) else {
            throw UsageError(
                "--for “\(arguments.text("for") ?? "")” is too long",
                advice: "Give a time of at most \(Locks.allowed.upperBound / 3600)h.")
        }
        return seconds
    }
}
