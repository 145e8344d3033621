extension InjectionUse {
    /// A page that lies in memory, with the HTML in it; a body that is no document stays as it is.
    ///
    /// - Parameter contentType: the value of Content-Type.
    /// - Returns: nil for a charset in which ASCII text is not ASCII bytes.
    public func applied(to page: [UInt8], contentType: [UInt8]) -> [UInt8]? {
        guard BodyType.isRewritable(ContiguousArray(contentType).span) else { return nil }
        let injector = HTMLInjector(self)
        var result: [UInt8] = []
        result.reserveCapacity(page.count + start.count + head.count + body.count)
        do {
            try page.withUnsafeBytes { page in
                let room = UnsafeMutableRawBufferPointer.allocate(byteCount: StageLink.size, alignment: 1)
                defer { room.deallocate() }
                var taken = 0
                while true {
                    let progress = try injector.run(page.after(taken), .finish, into: room)
                    taken += progress.taken
                    result += room[..<progress.given]
                    if progress.isFinished { return }
                }
            }
        } catch { return nil }
        return result
    }
}
