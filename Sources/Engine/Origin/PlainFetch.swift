import Bytes
import HTTP
import Profiles
import Reactor

/// Why nothing came from a URL, in words.
struct FetchFailure: Error {
    let reason: String
}

/// Gets small things over plain HTTP, as certificates name them, on a connection of its own.
///
/// It follows no redirects: the URL comes from a certificate, which must not lead requests to where its owner wishes.
struct PlainFetch {
    struct Request {
        let url: String
        /// Sent by POST; nil for GET.
        var content: (type: String, bytes: [UInt8])?
        /// Of the response's body.
        let limit: Int
        /// Addresses of one's own network may be asked.
        let allowsPrivate: Bool
    }

    let request: Request
    let state: WorkerState
    let waiter: Waiter

    /// The body of a response with status 200, until the waiter's deadline.
    func run() async throws(FetchFailure) -> [UInt8] {
        let scheme = "http://"
        guard request.url.lowercased().hasPrefix(scheme) else { throw FetchFailure(reason: "it is not http://") }
        let rest = request.url.dropFirst(scheme.count)
        let authority = rest.prefix { !"/?#".contains($0) }
        let path = rest[authority.endIndex...].prefix { $0 != "#" }
        guard let base = BaseURL(scheme + authority), !authority.contains("@"),
            path.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw FetchFailure(reason: "it is no URL") }
        let socket = try await connect(base.named)
        let channel = SocketChannel(socket, state.loop.buffers)
        defer {
            channel.close()
            channel.releaseBuffers()
        }
        let target = path.hasPrefix("/") ? String(path) : "/" + path
        let head =
            "\(request.content == nil ? "GET" : "POST") \(target) HTTP/1.1\r\nHost: \(base.named.authority)\r\n"
            + "User-Agent: shunt\r\nAccept: */*\r\nConnection: close\r\n"
            + (request.content.map { "Content-Type: \($0.type)\r\nContent-Length: \($0.bytes.count)\r\n" } ?? "")
        var exchange = SmallExchange(channel, waiter)
        var isWhole = false
        do throws(SmallExchange.Failure) {
            try await exchange.ask(Array((head + "\r\n").utf8), content: request.content?.bytes ?? [])
            if exchange.head.status == 200 { isWhole = try await exchange.readContent(limit: request.limit) }
        } catch {
            throw FetchFailure(reason: "it \(error.reason)")
        }
        let status = exchange.head.status
        guard status == 200 else { throw FetchFailure(reason: "it responded with \(status)") }
        guard isWhole else { throw FetchFailure(reason: "it sent more than \(request.limit) bytes") }
        return exchange.content
    }

    private func connect(_ host: NamedHost) async throws(FetchFailure) -> Socket {
        var addresses: [SocketAddress]
        do throws(ResolutionError) {
            addresses = try await state.resolver.addresses(of: host.host, on: waiter)
        } catch {
            throw FetchFailure(reason: "its name has no address")
        }
        if !request.allowsPrivate {
            addresses.removeAll { !isPublicHost($0.host) }
            guard !addresses.isEmpty else {
                throw FetchFailure(reason: "it is in a private network, and the origin is not")
            }
        }
        do throws(ConnectError) {
            let opened = try await Connector.connect(to: addresses, port: host.port ?? 80, on: waiter)
            opened.socket.notify(waiter)
            return opened.socket
        } catch {
            throw FetchFailure(reason: error.isTimeout ? "no connection in time" : "the connection was refused")
        }
    }
}
