import JSON
import Platform

/// The notifications of a command, one after the other, in memory of a piece of the input.
struct PushJobs {
    enum Source {
        /// Device tokens.
        case tokens([String])
        /// A descriptor with a device token in each line.
        case lines(CInt)
        /// A descriptor with an object in each line.
        case objects(CInt)
    }

    private let template: PushTemplate
    /// That of the template; nil where each line may have its own.
    private let message: PushMessage?
    private var tokens: [String] = []
    private var lines: LineReader?
    private var number = 0

    /// Fails where the template or a token of the command line cannot be sent.
    init(_ template: PushTemplate, _ source: Source) throws {
        self.template = template
        switch source {
        case .tokens(let given):
            for token in given { try Self.check(token) }
            (tokens, message) = (given, try template.message())
        case .lines(let descriptor): (lines, message) = (LineReader(descriptor), try template.message())
        case .objects(let descriptor): (lines, message) = (LineReader(descriptor), nil)
        }
    }

    /// How many there are; nil where only reading tells.
    var total: Int64? { if let lines { lines.countLines() } else { Int64(tokens.count) } }

    /// nil at the end.
    mutating func next() throws -> PushJob? {
        if number < tokens.count, let message {
            number += 1
            return PushJob(number: number, token: tokens[number - 1], message: message)
        }
        while let line = try nextLine() {
            number += 1
            if line.isEmpty { continue }
            do {
                return try job(line)
            } catch {
                let failure = CommandFailure(error)
                throw CommandFailure("line \(number) of the input: \(failure.message)", advice: failure.advice)
            }
        }
        return nil
    }

    private func job(_ line: [UInt8]) throws -> PushJob {
        if let message {
            let token = String(decoding: line, as: UTF8.self)
            try Self.check(token)
            return PushJob(number: number, token: token, message: message)
        }
        guard let value = try? JSONReader.read(line, dialect: .strict), let token = value["token"]?.string else {
            throw UsageError(
                "it is no notification", advice: "Each line is an object: {\"token\": \"…\", \"payload\": {…}}.")
        }
        try Self.check(token)
        return PushJob(number: number, token: token, message: try template.merged(with: value).message())
    }

    /// The token becomes a segment of a path; whether it is a right one is for APNs to say.
    private static func check(_ token: String) throws {
        let isSegment = token.utf8.allSatisfy {
            ($0 | 0x20) &- 0x61 < 26 || $0 &- 0x30 < 10 || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
        }
        guard isSegment, !token.isEmpty else {
            throw UsageError(
                "“\(token)” cannot be sent as a device token", advice: "Give the hexadecimal digits that the app got.")
        }
    }

    private mutating func nextLine() throws -> [UInt8]? { try lines?.next() }
}
