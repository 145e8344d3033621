/// What a profile stands for: the guards go by it.
public enum ProfileKind: String, Sendable, CaseIterable {
    case local, staging, production
}
