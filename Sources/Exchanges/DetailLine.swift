import Bytes

/// What stands below the line of an exchange with `serve --verbose`: its route, its connections, where its time went.
struct DetailLine {
    let color: Bool

    func append(_ exchange: Exchange, to line: inout [UInt8]) {
        var facts = ["client \(exchange.client.address) \(exchange.client.version)"]
        if let tls = exchange.client.tls { facts[0] += " \(tls)" }
        if let app = exchange.client.app { facts[0] += " of \(app)" }
        if let session = exchange.session { facts.append("session \(session)") }
        if let route = exchange.route { facts.append("route \(route)") }
        if let responder = exchange.responder, responder != "origin" { facts.append("by \(responder)") }
        if let origin = exchange.origin, let address = origin.address {
            facts.append((["at \(address)", origin.version, origin.tls].compactMap { $0 }).joined(separator: " "))
        }
        let timings = exchange.timings
        let phases = [
            ("blocked", timings.blocked), ("dns", timings.dns), ("connect", timings.connect), ("tls", timings.tls),
            ("send", timings.send), ("wait", timings.wait), ("receive", timings.receive),
        ].compactMap { name, time in time.map { "\(name) \(TextLine.duration($0))" } }
        if !phases.isEmpty { facts.append(phases.joined(separator: " ")) }
        let text = "    " + PlainText.clean(facts.joined(separator: "; "))
        line.append(contentsOf: (color ? "\u{1b}[2m\(text)\u{1b}[0m\n" : text + "\n").utf8)
    }
}
