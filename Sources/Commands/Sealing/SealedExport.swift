import Age
import Platform

/// Seals what an export writes.
final class SealedExport {
    private let file: ExportFile
    private let armor: ArmorSink?
    private let writer: AgeWriter

    init(_ file: ExportFile, _ recipients: [any AgeRecipient], hasArmor: Bool) throws {
        self.file = file
        do throws(AgeFailure) {
            let sink = DescriptorSink(file.descriptor)
            armor = hasArmor ? try ArmorSink(sink) : nil
            writer = try AgeWriter(to: armor ?? sink, recipients)
        } catch {
            throw CommandFailure.sealed(file.name, error)
        }
    }

    /// False where it could not be written.
    func append(_ bytes: [UInt8]) -> Bool {
        do throws(AgeFailure) {
            try writer.write(bytes)
            return true
        } catch {
            if case .system(let code) = error { file.fail(code) }
            return false
        }
    }

    func finish() throws {
        do throws(AgeFailure) {
            try writer.finish()
            try armor?.finish()
        } catch {
            throw CommandFailure.sealed(file.name, error)
        }
    }
}
