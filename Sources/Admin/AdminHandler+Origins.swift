import Engine
import JSON

// Profiles without files.
extension AdminHandler {
    /// The files that profiles of `--origin` would have.
    func listOrigins() throws -> Record<API.OriginFiles> {
        guard let (files, set) = facts.originFiles else {
            throw AdminRefusal(
                409, "this Shunt has its profiles in files already",
                advice: "They are in \(facts.profilesDirectory).")
        }
        return Record {
            $0.files = files.map { file in
                Record {
                    $0.name = file.name
                    $0.text = file.text
                }
            }
            $0.set = set
        }
    }
}
