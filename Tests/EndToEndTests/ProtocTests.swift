import Foundation
import TestSupport
import Testing

/// Schemas of .proto files, with a protoc that a test puts into PATH.
@Suite struct ProtocTests {
    private static let profile = #"""
        {"kind": "local", "routes": [{"path": "/shop.v1.Cart/Get", "grpc": {"protos": ["it's.proto"], "imports": ["more"]},
         "mock": {"grpc": {"message": {"id": "a"}}}}]}
        """#

    /// - Parameter protoc: what the program does; nil without one.
    private func validate(_ protoc: String?) throws -> ChildProcess.Result {
        let (folder, schema) = (try TemporaryFolder(), try ShopSchema.folder())
        try folder.write("Profiles/local.json", Self.profile)
        try folder.write("Profiles/it's.proto", ShopSchema.proto)
        try folder.write("bin/nothing", "")
        for name in ["sh", "echo", "cp"] {
            let found = try #require(
                ["/usr/bin/", "/bin/"].map { $0 + name }.first(where: FileManager.default.fileExists))
            try FileManager.default.createSymbolicLink(atPath: folder.path + "/bin/\(name)", withDestinationPath: found)
        }
        if let protoc {
            try folder.write("bin/protoc", "#!/bin/sh\nset=\(schema.path)/shop.pb\n\(protoc)\n")
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o755], ofItemAtPath: folder.path + "/bin/protoc")
        }
        return try ChildProcess.run(
            ShuntBinary.path, ["validate"], directory: folder.path, environment: ["PATH": folder.path + "/bin"])
    }

    @Test func `protoc makes the schema, of the files and folders that the profile names`() throws {
        let script = """
            for word; do case "$word" in
              --descriptor_set_out=*) out="${word#*=}";;
              -I*/Profiles/more) more=1;;
              */it\\'s.proto) file=1;;
            esac; done
            [ "$1" = --include_imports ] && [ -n "$more$file" ] && cp "$set" "$out"
            """
        let result = try validate(script)
        #expect(result.status == 0, "\(result)")
    }

    @Test func `without protoc its packages are named, and what it says is told`() throws {
        let missing = try validate(nil)
        let text = missing.output + missing.errors
        #expect(
            missing.status != 0 && text.contains("protobuf-compiler") && text.contains("Homebrew's protobuf"), "\(text)"
        )
        let wrong = try validate("echo \"it's.proto:3:1: Expected ;\" >&2; exit 1")
        #expect((wrong.output + wrong.errors).contains("protoc refuses \"it's.proto\": it's.proto:3:1: Expected ;"))
    }
}
