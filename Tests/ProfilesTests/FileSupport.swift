import TestSupport

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

func bytes(_ path: String) throws -> [UInt8] {
    guard let file = fopen(path, "r") else { throw Missing() }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    bytes.removeSubrange(fread(&bytes, 1, bytes.count, file)...)
    return bytes
}

func write(_ text: String, _ path: String) throws {
    guard let file = fopen(path, "w") else { throw Missing() }
    defer { fclose(file) }
    fputs(text, file)
}

func names(_ directory: String) throws -> [String] {
    guard let stream = opendir(directory) else { throw Missing() }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        if name != ".", name != ".." { names.append(name) }
    }
    return names
}

func workingDirectory() -> String {
    guard let path = getcwd(nil, 0) else { return "" }
    defer { free(path) }
    return String(cString: path)
}

/// Runs with a new directory of its own.
func inDirectory(_ body: (String) throws -> Void) throws {
    let folder = try TemporaryFolder()
    try withExtendedLifetime(folder) { try body(folder.path) }
}
