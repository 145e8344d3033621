import Bytes
import Exchanges
import HTTP
import Reactor
import Store

/// A response with a file, on its way to a client.
struct FileTransfer {
    /// Bytes after which others have their turn.
    private static let turn: UInt64 = 1 << 20
    /// Bytes that are read at once: two records of TLS.
    private static let maxPiece = 32 << 10

    let exchange: ClientExchange
    let file: OpenFile
    private var client: Client { exchange.client }
    private var state: WorkerState { exchange.state }

    /// - Throws: if the body is incomplete; closing the connection or stream has to show it.
    func send(_ response: FileResponse, extra: [UInt8]) async throws(EngineFailure) {
        let delivery = LocalDelivery(exchange: exchange)
        let head = delivery.writeHead(response.status, response.fields, extra, length: response.length)
        if case .doesNotFit = head { return await delivery.refuseHead() }
        if case .withBody = head {
            for part in response.parts {
                switch part {
                case .bytes(let bytes):
                    if let recording = exchange.recording { bytes.withUnsafeBytes { recording.add(.response, $0) } }
                    exchange.metrics.bytes.response &+= UInt64(bytes.count)
                    guard await client.deliver(bytes) else { throw .clientLeft("it did not take the whole file") }
                case .file(let range):
                    if try appendSmall(range) { continue }
                    try await send(range)
                }
            }
        }
        await delivery.end()
    }

    /// Puts a range that fits behind the head, so that both leave at once; false where it does not fit.
    private func appendSmall(_ range: Range<UInt64>) throws(EngineFailure) -> Bool {
        let channel = client.channel
        let count = Int(range.count)
        guard count <= channel.readSizeHint else { return false }
        channel.reserveOutput(count)
        guard channel.output.room >= count else { return false }
        let room = UnsafeMutableRawBufferPointer(rebasing: channel.output.unsafeRoom[..<count])
        guard file.read(into: room, from: range.lowerBound) == count else { throw .fileChanged }
        channel.output.didFill(count)
        didSend(UnsafeRawBufferPointer(room))
        return true
    }

    private func didSend(_ bytes: UnsafeRawBufferPointer) {
        exchange.metrics.bytes.response &+= UInt64(bytes.count)
        exchange.recording?.add(.response, bytes)
    }

    private func send(_ range: Range<UInt64>) async throws(EngineFailure) {
        // The rest goes past the output.
        guard await client.flush() else { throw .clientLeft("it did not take the whole file") }
        var (at, pause) = (range.lowerBound, range.lowerBound + Self.turn)
        client.waiter.deadline = state.core.now.after(state.limits.bodyTime)
        while at < range.upperBound {
            guard let sent = try sendPiece(at..<range.upperBound) else { throw .fileChanged }
            at += UInt64(sent)
            if sent > 0 { client.waiter.deadline = state.core.now.after(state.limits.bodyTime) }
            if at == range.upperBound { return }
            if at >= pause {
                pause = at + Self.turn
                await client.waiter.yield()
            } else if sent == 0 {
                await client.waiter.park()
                if client.waiter.isExpired { throw .clientLeft("it stopped to take the file") }
            }
            if state.isAborting { throw .aborted }
        }
    }

    /// Sends as much of a range as the client takes at once.
    ///
    /// Bytes that were read and not taken are read again later, so that a slow client holds no memory.
    /// - Returns: nil where the file has changed.
    private func sendPiece(_ range: Range<UInt64>) throws(EngineFailure) -> Int? {
        guard file.isUnchanged else { return nil }
        let channel = client.channel
        do throws(ChannelFailure) {
            if let socket = channel as? SocketChannel, !socket.isSecure, socket.network?.isShaped != true,
                exchange.recording?.keepsResponse != true
            {
                guard try socket.flush() else { return 0 }
                return try sendDirectly(range, socket)
            }
            guard try channel.flush() else { return 0 }
            var piece = Buffer()
            piece.reserve(from: state.loop.buffers)
            defer { piece.release(to: state.loop.buffers) }
            let count = min(Int(clamping: range.count), channel.readSizeHint, Self.maxPiece)
            let room = UnsafeMutableRawBufferPointer(rebasing: piece.unsafeRoom[..<count])
            let got = file.read(into: room, from: range.lowerBound)
            let sent = try channel.send(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(room)[..<got]))
            didSend(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(room)[..<sent]))
            return got == count ? sent : nil
        } catch {
            throw .clientLeft(error.message)
        }
    }

    private func sendDirectly(
        _ range: Range<UInt64>, _ channel: SocketChannel
    ) throws(ChannelFailure) -> Int? {
        do throws(SystemError) {
            let count = min(Int(clamping: range.count), Int(Self.turn))
            let sent = try channel.socket.send(file, from: range.lowerBound, count: count)
            if sent == 0, channel.socket.readiness.pointee.isWritable { return nil }
            exchange.metrics.bytes.response &+= UInt64(sent)
            exchange.recording?.skipResponse()
            return sent
        } catch {
            throw .system(error)
        }
    }
}

extension EngineFailure {
    fileprivate static var fileChanged: EngineFailure {
        EngineFailure(
            .proxy, .deliver, status: 500, "the file changed while it was sent, so that the response was cut off")
    }
}
