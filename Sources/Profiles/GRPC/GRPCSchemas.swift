import Platform
import Protobuf
import Reactor
import Synchronization

/// The schemas that were read, so that routes share them, and a reload reads changed files alone.
enum GRPCSchemas {
    enum Source: Hashable {
        case descriptors(String)
        /// The files, and the folders of what they import.
        case protos([String], [String])
        case reflection(GRPCReflection)
    }

    private struct Known {
        let settings: GRPCSettings
        let stamps: [FileStamp?]
    }

    private static let known = Mutex<[Source: Known]>([:])
    /// More are read again each time.
    private static let maxKnown = 100

    static func settings(_ source: Source, named name: String) throws(Refusal) -> GRPCSettings {
        // Routes that are decoded at the same time wait for the first of them.
        try known.withLock { (known) throws(Refusal) in
            if let one = known[source], one.stamps == one.settings.looked.map(FileStamp.init) { return one.settings }
            let settings = try read(source, name)
            if known.count >= maxKnown { known.removeAll() }
            known[source] = Known(settings: settings, stamps: settings.looked.map(FileStamp.init))
            return settings
        }
    }

    private static func read(_ source: Source, _ name: String) throws(Refusal) -> GRPCSettings {
        switch source {
        case .descriptors(let path):
            guard Files.isReadableFile(path) else {
                throw Refusal(message: "cannot read \"\(name)\"", expected: "a file at \(path)", hint: Reporter.ofPaths)
            }
            return GRPCSettings(try schema(path, name), source: name, files: [path])
        case .protos(let files, let folders):
            let (schema, imported) = try compiled(files, folders, name)
            return GRPCSettings(schema, source: name, files: files + imported.filter { !files.contains($0) })
        case .reflection(let reflection):
            // What cannot be read is asked for again.
            let kept = try? schema(reflection.file, name)
            return GRPCSettings(kept ?? .none, source: name, files: [], reflection: reflection)
        }
    }

    private static func schema(_ path: String, _ name: String) throws(Refusal) -> ProtobufSchema {
        let bytes: [UInt8]
        do throws(FileFailure) { bytes = try Files.read(path, limit: ProtobufSchema.maxSize + 1) } catch {
            throw Refusal(message: "cannot read \"\(name)\": \(error.reason)", expected: "a file at \(path)")
        }
        do throws(ProtobufSchema.Failure) { return try ProtobufSchema(descriptors: bytes) } catch {
            throw Refusal(message: "\"\(name)\": \(error.message)", expected: error.expected)
        }
    }

    // MARK: protoc

    private static let (seconds, maxOutput) = (60, 64 << 10)

    private static func compiled(
        _ files: [String], _ folders: [String], _ name: String
    ) throws(Refusal) -> (ProtobufSchema, imported: [String]) {
        let folder: String
        do throws(FileFailure) { folder = try Files.makeTemporaryDirectory(named: "shunt-protoc") } catch {
            throw Refusal(message: "no folder for the output of protoc: \(error.reason)", expected: "space in TMPDIR")
        }
        defer { Files.remove(folder) }
        let set = folder + "/set.pb"
        let words = ["protoc", "--include_imports", "--descriptor_set_out=\(set)"] + folders.map { "-I\($0)" } + files
        let command = """
            command -v protoc >/dev/null || { echo missing; exit 0; }
            \(words.map(Path.quoted).joined(separator: " ")) 2>&1 && echo done || true
            """
        let output: [UInt8]
        do throws(ShellCommand.Failure) {
            output = try ShellCommand.output(of: command, in: folder, limit: maxOutput, seconds: seconds)
        } catch {
            throw Refusal(message: "protoc, which reads \"\(name)\", \(error.reason)", expected: "a set of descriptors")
        }
        let lines = String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
        if lines == ["missing"] {
            throw Refusal(
                message: "\"\(name)\" is read by protoc, which is not installed",
                expected: "Debian's protobuf-compiler, or Homebrew's protobuf",
                hint: "or \"descriptors\": a file that protoc has written elsewhere")
        }
        guard lines.last == "done" else {
            // One message is enough to go on with, and all of its lines are about these files.
            throw Refusal(
                message: "protoc refuses \"\(name)\": \(lines.prefix(5).joined(separator: "; "))",
                expected: "files that protoc accepts", hint: "\"imports\" names the folders of what they import")
        }
        let schema = try schema(set, name)
        let imported = schema.files.compactMap { file in folders.map { "\($0)/\(file)" }.first(where: Files.exists) }
        return (schema, imported)
    }
}

extension GRPCSettings {
    /// The files by which it is seen to be old.
    fileprivate var looked: [String] { files + (reflection.map { [$0.file] } ?? []) }
}

/// Tells whether a file is the same as before.
private struct FileStamp: Equatable {
    private let modified: Int64
    private let size: Int64
    private let node: UInt64

    init?(_ path: String) {
        var facts = stat()
        guard stat(path, &facts) == 0 else { return nil }
        (modified, size, node) = (facts.modified, Int64(facts.st_size), UInt64(facts.st_ino))
    }
}
