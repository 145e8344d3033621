// What libFuzzer calls. Bytes are read whole and cut in two places that they choose themselves: both must come to
// the same, and nothing may lie outside what was given. A broken invariant traps.

struct Cuts {
    let input: [UInt8]
    let points: [Int]
    let isFinished: Bool

    /// The last two bytes say where to cut.
    init(_ all: [UInt8], isFinished: Bool) {
        self.isFinished = isFinished
        let seed = isFinished ? all.suffix(2).map { Int($0) } : []
        input = Array(all.dropLast(2)) + (isFinished ? [0x0A] : [])
        let size = input.count + 1
        guard seed.count == 2 else {
            points = [input.count]
            return
        }
        points = [min(seed[0] * 3, seed[1]) % size, max(seed[0] * 3, seed[1]) % size].sorted() + [input.count]
    }
}

enum Read: Equatable {
    case incomplete
    case refused(HTTPFailure.Kind, Int)
    case head([Int])
}

func check(_ range: Range<Int>, within length: Int) {
    precondition(range.lowerBound >= 0 && range.upperBound <= length, "a range lies outside its head")
}

func numbers(of fields: [Field], length: Int) -> [Int] {
    var numbers: [Int] = []
    var end: Int?
    for field in fields {
        check(field.line, within: length)
        precondition(end == nil || end == field.line.lowerBound, "lines are not neighbours")
        end = field.line.upperBound
        precondition(field.name.lowerBound == field.line.lowerBound && !field.name.isEmpty)
        precondition(
            field.name.upperBound < field.value.lowerBound && field.value.upperBound <= field.line.upperBound - 2)
        numbers += [field.name.upperBound, field.value.lowerBound, field.value.upperBound, field.line.upperBound]
        numbers += [Int(field.id.rawValue), field.isHopByHop ? 1 : 0]
    }
    return numbers
}

func number(_ framing: BodyFraming) -> Int {
    switch framing {
    case .none: -1
    case .length(let length): Int(length)
    case .chunked: -2
    case .untilClose: -3
    case .tunnel: -4
    case .stream: -5
    }
}

func readRequest(_ head: inout RequestHead, _ cuts: [Int], _ input: [UInt8], _ limits: HeadLimits) -> Read {
    do throws(HTTPFailure) {
        for cut in cuts {
            guard let length = try head.parse(input.span.extracting(0..<cut), limits: limits) else { continue }
            precondition(length > 0 && length <= cut && length <= limits.bytes && head.fields.count <= limits.fields)
            let ranges = [
                head.methodRange, head.target, head.path, head.query, head.pathAndQuery, head.authority, head.host,
                head.upgradeRange,
            ]
            for range in ranges { check(range, within: length) }
            precondition(head.version == .http10 || head.field(.host) != nil)
            precondition(head.framing != .chunked || head.field(.contentLength) == nil)
            let flags = [head.keepAlive, head.expectsContinue, head.upgrade, head.acceptsTrailers].map { $0 ? 1 : 0 }
            return .head(
                [length, Int(head.method.rawValue), Int(head.port ?? 0), number(head.framing)] + flags
                    + ranges.flatMap { [$0.lowerBound, $0.upperBound] } + numbers(of: head.fields, length: length))
        }
        return .incomplete
    } catch {
        precondition((400...505).contains(error.status) && !error.reason.isEmpty)
        return .refused(error.kind, error.status)
    }
}

func readResponse(
    _ head: inout ResponseHead, _ cuts: [Int], _ input: [UInt8], to method: Method, _ limits: HeadLimits
) -> Read {
    do throws(HTTPFailure) {
        for cut in cuts {
            guard let length = try head.parse(input.span.extracting(0..<cut), to: method, limits: limits) else {
                continue
            }
            precondition(length > 0 && length <= cut && length <= limits.bytes && head.fields.count <= limits.fields)
            precondition((100...999).contains(head.status))
            check(head.reason, within: length)
            return .head(
                [length, head.status, head.reason.lowerBound, head.reason.upperBound, number(head.framing)]
                    + [head.keepAlive ? 1 : 0] + numbers(of: head.fields, length: length))
        }
        return .incomplete
    } catch {
        precondition(error.status == 502 && !error.reason.isEmpty)
        return .refused(error.kind, error.status)
    }
}

/// The body, how many bytes were used up, and how it ended.
struct Content: Equatable {
    var bytes: [UInt8] = []
    var used = 0
    var trailers: [Int] = []
    var end = Read.incomplete
}

/// Gives the bytes up to each cut in turn, as a connection does: what is not used up is given again.
func decode(_ framing: BodyFraming, _ cuts: [Int], _ input: [UInt8]) -> Content {
    var decoder = BodyDecoder(framing, trailerLimits: HeadLimits(bytes: 256, fields: 8))
    var body = Content()
    do throws(HTTPFailure) {
        for cut in cuts {
            pieces: while true {
                let span = input.span.extracting(body.used..<cut)
                switch try decoder.next(span) {
                case .framing(let count):
                    precondition(count > 0 && count <= span.count)
                    body.used += count
                case .trailers(let count):
                    precondition(count > 0 && count <= span.count && decoder.isFinished)
                    body.trailers = numbers(of: decoder.trailers, length: count)
                    body.used += count
                case .data(let count):
                    precondition(count > 0 && count <= span.count)
                    let taken = (count + 1) / 2
                    body.bytes += input[body.used..<body.used + taken]
                    body.used += taken
                    decoder.advance(taken)
                case .needMore: break pieces
                case .end:
                    body.end = .head([])
                    return body
                }
            }
        }
        try decoder.endOfInput()
        precondition(decoder.isFinished)
    } catch {
        body.end = .refused(error.kind, error.status)
    }
    return body
}

/// What is taken for a usual line is one, byte by byte.
func checkUsualLines(_ input: [UInt8]) {
    for start in input.indices where start == 0 || input[start - 1] == 0x0A {
        guard let line = FieldLine(input.span, from: start, to: input.count) else { continue }
        let name = input[start..<line.colon]
        precondition(!name.isEmpty && name.allSatisfy { Scan.isToken($0) } && input[line.colon] == 0x3A)
        precondition(line.end <= input.count && input[line.end - 2] == 0x0D && input[line.end - 1] == 0x0A)
        precondition(input[line.colon + 1..<line.end - 2].allSatisfy { $0 >= 0x20 && $0 < 0x7F })
        let rest = input[line.colon + 1..<line.end - 2]
        precondition(rest[..<line.value.lowerBound].allSatisfy { $0 == 0x20 })
        precondition(line.value.upperBound == line.end - 2 && rest.last != 0x20)
        precondition(line.value.isEmpty || input[line.value.lowerBound] != 0x20)
        if line.id != .other {
            precondition(String(decoding: name, as: UTF8.self).lowercased() == "\(line.id.text)".lowercased())
        }
    }
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHTTP(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let all = Array(UnsafeBufferPointer(start: start, count: count))
    guard let selector = all.first else { return 0 }
    // An unfinished line that trickles in is looked at when it ends, and a whole one at once; so one is finished.
    let cuts = Cuts(Array(all.dropFirst()), isFinished: selector & 0x40 == 0)
    let input = cuts.input
    checkUsualLines(input)
    let limits = selector & 0x80 == 0 ? HeadLimits() : HeadLimits(bytes: 128, fields: 4)
    switch selector & 3 {
    case 0:
        var head = RequestHead()
        let whole = readRequest(&head, [input.count], input, limits)
        var other = RequestHead()
        precondition(whole == readRequest(&other, cuts.points, input, limits), "whole and cut requests differ")
        precondition(!cuts.isFinished || whole == readRequest(&head, Array(0...input.count), input, limits))
    case 1:
        let method: Method = selector & 4 == 0 ? .get : selector & 8 == 0 ? .head : .connect
        var head = ResponseHead()
        let whole = readResponse(&head, [input.count], input, to: method, limits)
        var other = ResponseHead()
        precondition(
            whole == readResponse(&other, cuts.points, input, to: method, limits), "whole and cut responses differ")
        precondition(
            !cuts.isFinished || whole == readResponse(&head, Array(0...input.count), input, to: method, limits))
    default:
        let framing: BodyFraming =
            selector & 2 == 2 && selector & 4 == 0
            ? .chunked : selector & 8 == 0 ? .length(UInt64(selector >> 4)) : .untilClose
        let whole = decode(framing, [input.count], input)
        let cut = decode(framing, cuts.points, input)
        let trickled = cuts.isFinished ? decode(framing, Array(0...input.count), input) : whole
        // What was handed over before a failure depends on the cuts; what it all comes to does not.
        precondition(whole.end == cut.end && whole.end == trickled.end, "whole and cut bodies end differently")
        if whole.end == .head([]) {
            precondition(whole == cut && whole == trickled, "whole and cut bodies differ")
        }
    }
    return 0
}
