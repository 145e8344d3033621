#if os(Linux) && !SHUNT_KQUEUE
public enum LocalNetwork {
    /// What else keeps a process from machines that are near; nil where nothing does.
    public static let advice: String? = nil
}
#endif
