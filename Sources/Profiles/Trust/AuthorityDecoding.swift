import JSON
import Platform

/// The PEM files under `certificateAuthorities`, as absolute paths; missing ones are reported.
func decodeAuthorities(_ fields: Fields) -> [String] {
    var authorities: [String] = []
    for item in fields.array("certificateAuthorities") {
        guard let path = item.string, !path.isEmpty else {
            fields.report(item, "an authority is \(item.kindName)", expected: "a path to a PEM file")
            continue
        }
        let absolute = fields.reporter.readable(
            path, at: item.position, "the certificate authority ", expected: "a PEM file")
        guard let absolute else { continue }
        if !authorities.contains(absolute) { authorities.append(absolute) }
    }
    return authorities
}
