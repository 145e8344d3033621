import CWeb

extension InspectorAssets {
    /// Every file of `Web`; a test compares the list with the folder.
    package static var embedded: [(name: String, bytes: [UInt8])] {
        var count = 0
        let files = UnsafeBufferPointer(start: shunt_inspector_files(&count), count: count)
        return files.map { (String(cString: $0.name), Array(UnsafeBufferPointer(start: $0.bytes, count: $0.count))) }
    }
}
