import Bytes
import HTTP

extension Field {
    /// Whether it has a name, which is in small letters.
    func isNamed(_ name: some Collection<UInt8>, in bytes: Span<UInt8>) -> Bool {
        self.name.count == name.count && zip(self.name, name).allSatisfy { ByteSearch.lowercased(bytes[$0]) == $1 }
    }
}

/// The head of a request with the bytes that its ranges count in.
///
/// It owns the bytes, so that no reader of the body can use them up: head and bytes are there until the next
/// head is read, and go together.
final class OwnedHead {
    private let content = Box(RequestHead())
    private var memory = Buffer()

    init() {}

    /// A head that was made by changes; its memory is its own.
    init(_ text: [UInt8], limits: Limits, isStream: Bool, hasBody: Bool) throws(HTTPFailure) {
        change {
            $0.grow(by: text.count)
            _ = $0.appendWhole(text)
        }
        _ = try content.value.parse(Span(_unsafeElements: elements), limits: limits.ofRequests)
        if isStream { try content.value.isCarried(byStream: !hasBody) }
    }

    var head: RequestHead {
        // Not a getter: that would copy the head.
        _read { yield content.value }
    }

    /// The head as it stands, with its empty line.
    var bytes: Span<UInt8> {
        @_lifetime(borrow self)
        get { _overrideLifetime(Span(_unsafeElements: elements), borrowing: self) }
    }

    /// The same, for those that own it.
    var elements: UnsafeBufferPointer<UInt8> { memory.unsafeBytes.assumingMemoryBound(to: UInt8.self) }

    /// A part of the head as text, or as bytes to keep.
    func text(_ range: Range<Int>) -> String { String(bytes.extracting(range)) }
    func array(_ range: Range<Int>) -> [UInt8] { [UInt8](bytes.extracting(range)) }

    /// It is a gRPC call, whose client may wait for the response before it sends more.
    var isGRPC: Bool {
        guard head.names.contains(.contentType), let type = head.field(.contentType) else { return false }
        return bytes.extracting(type.value).begins(with: "application/grpc")
    }

    /// Takes the head at the front of `input` once all of it is there; false if more is needed.
    func read(_ input: inout Buffer, _ state: WorkerState) throws(HTTPFailure) -> Bool {
        guard let length = try parse(input.bytes, state) else { return false }
        take(length, of: &input, state)
        return true
    }

    /// Takes the text of a stream's head at once, since that of trailers may come in its place.
    func take(_ stream: StreamChannel) { change { stream.takeHead(&$0) } }

    /// Reads the head of a stream, which frames the body (RFC 9113 8.1); false if it is not whole.
    func read(_ stream: StreamChannel, _ state: WorkerState) throws(HTTPFailure) -> Bool {
        guard try parse(bytes, state) != nil, !stream.isHeadTooLong else { return false }
        try content.value.isCarried(byStream: stream.hasEndedWithHead)
        return true
    }

    /// Takes so many bytes from the front of the path.
    func dropFromPath(_ count: Int) { content.value.dropFromPath(count) }

    /// Puts a slash among the bytes, which are read anew.
    func insertSlash(at place: Int, _ state: WorkerState, of stream: StreamChannel?) throws(HTTPFailure) {
        let text = array(0..<place) + [UInt8(ascii: "/")] + array(place..<bytes.count)
        let other = try OwnedHead(
            text, limits: state.limits, isStream: stream != nil, hasBody: stream?.hasEndedWithHead == false)
        exchange(with: other)
        other.release(state)
    }

    /// Another head takes its place, which `other` gets.
    func exchange(with other: OwnedHead) {
        swap(&content.value, &other.content.value)
        change { mine in other.change { swap(&mine, &$0) } }
    }

    private func parse(_ bytes: Span<UInt8>, _ state: WorkerState) throws(HTTPFailure) -> Int? {
        try content.value.parse(bytes, limits: state.limits.ofRequests)
    }

    // Taken out meanwhile, as with a channel's ``Channel/input``.
    @inline(__always)
    private func change(_ change: (inout Buffer) -> Void) {
        var taken = Buffer()
        swap(&taken, &memory)
        change(&taken)
        swap(&taken, &memory)
    }

    /// Takes bytes that are no head.
    func takeUnreadable(_ input: inout Buffer, _ state: WorkerState) { take(input.count, of: &input, state) }

    /// Forgets the head of what could not be read, and keeps the bytes for the log.
    func forget() { content.value = RequestHead() }

    private func take(_ length: Int, of input: inout Buffer, _ state: WorkerState) {
        change {
            if length <= state.loop.smallBuffers.size {
                $0.reserve(from: state.loop.smallBuffers)
            } else {
                $0.grow(by: length)
            }
            $0.append(UnsafeRawBufferPointer(rebasing: input.unsafeBytes[..<length]))
        }
        input.consume(length)
    }

    /// Keeps no more memory than the head needs, since its response lasts.
    func shrink(_ state: WorkerState) { change { $0.shrink(from: state.loop.smallBuffers) } }

    /// Lets go of head and bytes, and keeps the memory of the list of fields.
    func release(_ state: WorkerState) {
        guard memory.hasMemory else { return }
        content.value.removeAll()
        change { $0.release(to: state.loop.smallBuffers) }
    }

    /// The same with the list of fields.
    func clear(_ state: WorkerState) {
        content.value = RequestHead()
        change { $0.release(to: state.loop.smallBuffers) }
    }
}
