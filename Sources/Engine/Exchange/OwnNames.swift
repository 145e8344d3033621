import Platform
import Reactor
import Synchronization

/// The names by which clients reach this machine: its own, with the domains that are searched for it, and those that
/// its hosts file gives it.
///
/// Shared by all threads. Where a name is not known, the files are looked at again after a second; a long hosts file is
/// read on a thread of its own, so that its names count a moment later.
final class OwnNames: Sendable {
    private struct Names {
        var all: Set<String> = []
        var look: Look?
        var until: Instant = 0
    }

    private struct Look: Equatable {
        let inode: UInt64
        let size: Int64
        let seconds: Int64
    }

    private static let limit = 16 << 20
    /// What is read where a request waits.
    private static let short = 128 << 10
    private let hosts: String
    private let searched: String
    private let name: String
    private let names = Mutex(Names())

    /// - Parameters:
    ///   - hosts: the hosts file (hosts(5)).
    ///   - searched: the file that says which domains are searched (resolv.conf(5)).
    init(hosts: String = "/etc/hosts", searched: String = "/etc/resolv.conf", name: String? = hostName()) {
        self.hosts = hosts
        self.searched = searched
        self.name = (name ?? "").lowercased()
        let look = look()
        if look.size > Self.short { readAside(look) }
    }

    /// - Parameter host: in small letters, without a trailing dot.
    func contains(_ host: String, now: Instant) -> Bool {
        names.withLock { names in
            if names.all.contains(host) { return true }
            guard now >= names.until else { return false }
            names.until = now.after(Limits.second)
            let look = look()
            guard names.look != look else { return false }
            names.look = look
            guard look.size <= Self.short else {
                readAside(look)
                return false
            }
            names.all = own().union(given())
            return names.all.contains(host)
        }
    }

    private func readAside(_ look: Look) {
        do throws(SystemError) {
            try Loop.startThread(name: "hosts") { [self] in
                let all = own().union(given())
                names.withLock { ($0.all, $0.look) = (all, look) }
            }
        } catch {}
    }

    private func look() -> Look {
        var status = stat()
        guard stat(hosts, &status) == 0 else { return Look(inode: 0, size: 0, seconds: 0) }
        #if canImport(Darwin)
        let seconds = status.st_mtimespec.tv_sec
        #else
        let seconds = status.st_mtim.tv_sec
        #endif
        return Look(inode: UInt64(status.st_ino), size: Int64(status.st_size), seconds: Int64(seconds))
    }

    /// The machine's name, as it is and in each domain that is searched.
    private func own() -> Set<String> {
        guard let first = name.split(separator: ".").first else { return [] }
        var own: Set<String> = [name]
        for line in lines(of: searched) where line.first == "search" || line.first == "domain" {
            for domain in line.dropFirst() { own.insert("\(first).\(domain)") }
        }
        return own
    }

    /// The names that the hosts file has for addresses of this machine.
    private func given() -> Set<String> {
        var given: Set<String> = []
        var addresses: Set<[UInt8]>?
        for line in lines(of: hosts) {
            guard let address = line.first.flatMap({ SocketAddress(literal: String($0), port: 0) }) else { continue }
            let isOwn: Bool
            if address.isLoopback {
                isOwn = true
            } else {
                let all = addresses ?? Set(NetworkInterface.all().map(\.address.bytes))
                addresses = all
                isOwn = all.contains(address.bytes)
            }
            if isOwn { given.formUnion(line.dropFirst()) }
        }
        return given
    }

    /// The words of each line, in small letters and without comments.
    private func lines(of file: String) -> [[String]] {
        guard let bytes = try? Files.read(file, limit: Self.limit) else { return [] }
        return bytes.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }.map { line in
            line.prefix { $0 != UInt8(ascii: "#") }.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
                .map { word in
                    let text = String(decoding: word, as: UTF8.self).lowercased()
                    return text.hasSuffix(".") ? String(text.dropLast()) : text
                }
        }
    }
}
