#if canImport(Darwin) || SHUNT_KQUEUE
public enum LocalNetwork {
    /// Without an answer to its question macOS 15 lets a program reach no other machine of the local network, and says
    /// that there is no way to it.
    public static let advice: String? = """
        macOS also asks whether the program that started Shunt may find devices in the local network: System Settings, \
        Privacy & Security, Local Network.
        """
}
#endif
