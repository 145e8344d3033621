#if canImport(Darwin) || SHUNT_KQUEUE
import Platform

#if SHUNT_KQUEUE
import CKqueue
#endif

extension Folder.Root {
    /// Opens first, and then asks the system where that is: the real path tells of links that lead out, and of names
    /// that the file system took for others.
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
        return place.dropFirst(base.count) == asked || isSpelled(asked)
    }

    /// Whether each step of a path that leads over links stands in its folder under this very name.
    ///
    /// File systems take names for one another that differ in case, and HFS+ those with characters that it ignores: a
    /// hidden file must not be there under a name that does not begin with a dot. Composed and decomposed letters are
    /// equal, here as there.
    private func isSpelled(_ path: String) -> Bool {
        let steps = path.split(separator: "/")
        return steps.indices.allSatisfy { at in
            // A link is opened itself.
            let step = openat(descriptor, steps[...at].joined(separator: "/"), OpenFile.flags | O_SYMLINK)
            guard step >= 0 else { return false }
            defer { SystemCall.close(step) }
            return Self.path(of: step)?.split(separator: "/").last == steps[at]
        }
    }

    private static func path(of descriptor: CInt) -> String? {
        var memory = [CChar](repeating: 0, count: Int(MAXPATHLEN) + 1)
        guard fcntl(descriptor, F_GETPATH, &memory) == 0 else { return nil }
        return memory.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } }
    }
}
#endif
