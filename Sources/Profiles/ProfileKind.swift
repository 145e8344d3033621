/// What sort of environment a profile is; the guards go by it.
public enum ProfileKind: String, Sendable, CaseIterable {
    case local, staging, production
}
