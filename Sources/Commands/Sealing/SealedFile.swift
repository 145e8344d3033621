import Age
import Platform

/// A file that is read once, from front to back, while another one is written.
final class SealedFile {
    static let size = 256 << 10

    private let name: String
    private let input: CInt
    private let output: ExportFile

    /// - Parameter name: `-` for standard input; as output for standard output.
    init(reading name: String, writing path: String) throws {
        guard name == "-" || Path.absolute(name) != Path.absolute(path) else {
            throw UsageError("FILE and OUT are the same", advice: "Name another file with -o OUT.")
        }
        guard path != "-" || !Terminal.isTerminal(1) || !name.hasSuffix(".age") else {
            throw UsageError("the bytes would go to the terminal", advice: "Name a file with -o OUT.")
        }
        self.name = name
        input = try ImportCommand.opened(name)
        output = try ExportFile(path)
    }

    deinit { if input != 0 { close(input) } }

    /// Lets `body` read all and write all; only then does the output get its name.
    func run(_ body: (MeteredSource, DescriptorSink) throws(AgeFailure) -> Void) throws {
        let source = MeteredSource(input)
        do throws(AgeFailure) {
            defer { source.progress.end() }
            try body(source, DescriptorSink(output.descriptor))
        } catch .system(let code) where source.failure == nil {
            throw CommandFailure("\(output.name) cannot be written: \(String(cString: strerror(code)))")
        } catch {
            throw CommandFailure.sealed(name, error)
        }
        try output.complete()
    }
}

/// A descriptor that is read, with what was read of it shown.
final class MeteredSource: ByteSource {
    private let source: DescriptorSource
    fileprivate var progress: Progress
    /// Why it could not be read.
    fileprivate var failure: AgeFailure?

    init(_ descriptor: CInt) {
        source = DescriptorSource(descriptor)
        progress = Progress(reading: descriptor)
    }

    deinit { progress.end() }

    /// Makes room for what is said next.
    func endProgress() { progress.end() }

    func read(into room: UnsafeMutableRawBufferPointer) throws(AgeFailure) -> Int {
        do throws(AgeFailure) {
            let count = try source.read(into: room)
            progress.show(Int64(source.count))
            return count
        } catch {
            progress.end()
            failure = error
            throw error
        }
    }

    /// Reads some bytes into an array; nil at the end.
    func next(_ room: inout [UInt8]) throws(AgeFailure) -> Int? {
        var failed: AgeFailure?
        let count = room.withUnsafeMutableBytes { room -> Int in
            do throws(AgeFailure) { return try read(into: room) } catch { failed = error }
            return 0
        }
        if let failed { throw failed }
        return count == 0 ? nil : count
    }
}

extension ByteSink {
    /// Writes the first bytes of an array.
    func write(_ bytes: [UInt8], _ count: Int) throws(AgeFailure) {
        var failure: AgeFailure?
        bytes.withUnsafeBytes { bytes in
            do throws(AgeFailure) { try write(UnsafeRawBufferPointer(rebasing: bytes[..<count])) } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }
}
