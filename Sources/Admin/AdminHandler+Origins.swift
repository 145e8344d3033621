import Engine
import JSON

// Profiles without files.
extension AdminHandler {
    /// The files that profiles of `--origin` would have.
    func listOrigins() throws(AdminRefusal) -> HandledResponse {
        guard let (files, set) = facts.originFiles else {
            throw AdminRefusal(
                409, "this Shunt has its profiles in files already",
                advice: "They are in \(facts.profilesDirectory).")
        }
        return .json(200) { object in
            object.array("files") { array in
                for file in files {
                    array.object { object in
                        object.member("name", file.name)
                        object.member("text", file.text)
                    }
                }
            }
            object.member("set", set)
        }
    }
}

/// The files that the profiles of a running Shunt would have.
public struct OriginFiles: Sendable {
    /// Names without a folder.
    public let files: [(name: String, text: String)]
    /// What `--set` adds to them.
    public let set: [String]

    init?(_ value: JSONValue) {
        guard let list = value["files"]?.array else { return nil }
        files = list.compactMap { file in
            guard let name = file["name"]?.string, let text = file["text"]?.string, !name.contains("/") else {
                return nil
            }
            return (name, text)
        }
        set = value["set"]?.array?.compactMap(\.string) ?? []
    }
}
