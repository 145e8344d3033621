#if canImport(Darwin)
import Platform

extension Folder.Root {
    /// Opens first, and then asks the system where that is: the real path tells of links that lead out, and of names
    /// that a file system without case took for others.
    func open(_ name: UnsafePointer<CChar>) -> OpenFile? {
        let opened = openat(descriptor, name, OpenFile.flags)
        guard opened >= 0 else { return nil }
        guard let folder = Self.path(of: descriptor), let place = Self.path(of: opened),
            isWithin(place, folder, asked: String(cString: name))
        else {
            SystemCall.close(opened)
            return nil
        }
        return OpenFile(opened)
    }

    private func isWithin(_ place: String, _ folder: String, asked: String) -> Bool {
        if asked == "." { return place == folder }
        let base = folder.hasSuffix("/") ? folder : folder + "/"
        guard place.hasPrefix(base) else { return false }
        let inner = place.dropFirst(base.count)
        // The same but for the case is another file's name; wholly other names come from links.
        return inner == asked || inner.lowercased() != asked.lowercased()
    }

    private static func path(of descriptor: CInt) -> String? {
        var memory = [CChar](repeating: 0, count: Int(MAXPATHLEN) + 1)
        guard fcntl(descriptor, F_GETPATH, &memory) == 0 else { return nil }
        return memory.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } }
    }
}
#endif
