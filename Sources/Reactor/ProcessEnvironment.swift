import CSystem
import Platform

/// Environment variables, as this process has them or as a child shall have them.
package struct ProcessEnvironment: Sendable {
    /// In their order, those without `=` left out.
    private var pairs: [(name: String, value: String)] = []

    /// This process's own.
    package static var current: ProcessEnvironment {
        var environment = ProcessEnvironment()
        var next: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = shunt_environment()
        while let entry = next?.pointee {
            let text = String(cString: entry)
            if let equals = text.firstIndex(of: "=") {
                environment.pairs.append((String(text[..<equals]), String(text[text.index(after: equals)...])))
            }
            next = next?.advanced(by: 1)
        }
        return environment
    }

    /// `NAME=VALUE` each.
    package var texts: [String] { pairs.map { "\($0.name)=\($0.value)" } }

    package subscript(_ name: String) -> String? {
        get { pairs.first { $0.name == name }?.value }
        set {
            pairs.removeAll { $0.name == name }
            if let newValue { pairs.append((name, newValue)) }
        }
    }

    /// Those of a server that Shunt starts: without Shunt's own, some of which are secrets.
    package static func ofServer(port: UInt16) -> ProcessEnvironment {
        var environment = current
        environment.pairs.removeAll { $0.name.hasPrefix("SHUNT_") }
        environment["PORT"] = "\(port)"
        return environment
    }
}
