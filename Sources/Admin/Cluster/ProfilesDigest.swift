import Bytes
import Platform
public import Profiles
import TLS

/// A digest of profiles with the files that they name, as a node has read them, by which nodes compare theirs.
public enum ProfilesDigest {
    /// Paths count relative to the folder, so that it may lie elsewhere on every machine.
    /// - Parameter more: settings that are in no file: the profiles of `--origin`, and `--set`.
    public static func make(_ library: ProfileLibrary, _ more: [String] = []) -> String {
        var all: [UInt8] = []
        func add(_ name: String, _ bytes: [UInt8]) {
            // Lengths, so that no two lists of files look alike.
            all += Array("\(name.utf8.count) \(bytes.count) \(name)".utf8) + bytes
        }
        for file in library.files.sorted() {
            let name = library.directory.flatMap {
                file.hasPrefix($0 + "/") ? String(decoding: file.utf8.dropFirst($0.utf8.count), as: UTF8.self) : nil
            }
            add(name ?? file, (try? Files.read(file)) ?? [])
        }
        for profile in library.profiles { add(profile.name, []) }
        for text in more { add("", Array(text.utf8)) }
        return sha256(all.span).map { String(Hex.text($0).prefix(16)) } ?? ""
    }
}
