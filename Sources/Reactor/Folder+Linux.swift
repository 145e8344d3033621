#if os(Linux) && !SHUNT_KQUEUE
import CSystem
import Platform

extension Folder.Root {
    /// How often the kernel may say that a rename came in between.
    private static let maxTries = 8

    func open(_ name: UnsafePointer<CChar>) -> OpenFile? {
        for _ in 0..<Self.maxTries {
            let opened = shunt_open_beneath(descriptor, name, UInt64(OpenFile.flags))
            if opened >= 0 { return OpenFile(CInt(opened)) }
            switch errno {
            case EAGAIN, EINTR: continue
            // Before Linux 5.6, and in sandboxes that do not know the call.
            case ENOSYS, EPERM: return openStepwise(String(cString: name))
            default: return nil
            }
        }
        return nil
    }

    /// The same without help of the kernel: folder by folder, following no symbolic link.
    func openStepwise(_ name: String) -> OpenFile? {
        var folder = descriptor
        defer { if folder != descriptor { SystemCall.close(folder) } }
        let steps = name.split(separator: "/")
        for (at, step) in steps.enumerated() {
            guard step != ".." else { return nil }
            let isLast = at == steps.count - 1
            let next = openat(folder, String(step), OpenFile.flags | O_NOFOLLOW | (isLast ? 0 : O_DIRECTORY))
            guard next >= 0 else { return nil }
            if isLast { return OpenFile(next) }
            if folder != descriptor { SystemCall.close(folder) }
            folder = next
        }
        return nil
    }
}
#endif
