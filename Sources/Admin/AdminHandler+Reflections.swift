import Engine

// Servers that are asked for the schemas of their calls.
extension AdminHandler {
    var reflections: [Record<API.Reflection>] {
        proxy.reflected.map { status in
            Record {
                ($0.origin, $0.profile) = (status.origin, status.profile)
                switch status.result {
                case .known(let services, let methods)?: ($0.services, $0.methods) = (services, methods)
                case .failed(let problem, let advice)?: ($0.problem, $0.advice) = (problem, advice)
                case nil: break
                }
            }
        }
    }
}
