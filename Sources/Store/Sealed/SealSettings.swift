package import Age

/// How a store is sealed: its files can be read with an identity only.
package struct SealSettings: Sendable {
    package let recipients: [any AgeRecipient]
    /// Bytes of the newest traffic that stay in memory, for live lists.
    package var window: Int64 = 64 << 20
    /// Bytes in the clear of a segment; a reader holds one segment.
    package var segment = 4 << 20

    package init(recipients: [any AgeRecipient]) { self.recipients = recipients }
}
