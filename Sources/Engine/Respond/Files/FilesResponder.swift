import HTTP
import Profiles
import Reactor
import Rewriting

/// Responds with files of this machine.
final class FilesResponder: RouteResponder {
    let settings: FileSettings
    let route: Route
    let folder: Folder
    private let sender: LocalSender
    /// nil where the settings of the files decide what clients store.
    let cache: CacheRules?
    /// Responds if the file does not exist.
    let rest: RoutePlan?
    /// nil where browsers are not reloaded.
    let watch: ReloadWatch?
    /// HTML is put into pages.
    let injects: Bool
    /// Edits of files' content; nil where there are none.
    let edits: BodyEdits?

    private init(_ settings: FileSettings, of route: Route, in profile: Profile, rest: RoutePlan?, _ folder: Folder) {
        (self.settings, self.route, self.rest, self.folder) = (settings, route, rest, folder)
        cache = CacheRules(route, in: profile)
        injects = route.changes?.injects ?? false
        edits = route.changes?.response?.body.map { BodyEdits($0) }
        watch = settings.reload ? ReloadWatch(folder) : nil
        sender = LocalSender("files", of: route, in: profile)
    }

    static func make(
        for route: Route, in profile: Profile, _ compiler: inout EnvironmentCompiler
    ) throws(ProxyError) -> FilesResponder? {
        let (settings, rest): (FileSettings, RoutePlan?)
        if let files = route.first as? FileSettings {
            settings = files
            rest = try compiler.plan(route.withoutFirst, in: profile, compiler.mocks.scenarios(of: profile))
        } else {
            guard case .local(let files as FileSettings) = route.responder else { return nil }
            (settings, rest) = (files, nil)
        }
        return FilesResponder(settings, of: route, in: profile, rest: rest, compiler.folder(settings.place))
    }

    /// If an origin follows, only methods that files support are looked up.
    func claims(_ exchange: ClientExchange) -> Bool {
        rest == nil || exchange.request.head.method == .get || exchange.request.head.method == .head
    }

    func respond(in exchange: ClientExchange, _ step: ChainStep?) async throws(EngineFailure) {
        guard exchange.request.head.method == .get || exchange.request.head.method == .head else {
            return try await refuseMethod(in: exchange, step)
        }
        if let watch, asksForReloads(exchange) { return try await sendReloads(of: watch, in: exchange) }
        switch lookUp(exchange) {
        case .file(let found):
            if let watch {
                watch.note(found.name, found.file.state)
            }
            if isChanged(found) {
                let page = try await exchange.client.onThread { [watches = watch != nil] in
                    Self.changedPage(found, watches: watches)
                }
                return try await sender.send(page, in: exchange)
            }
            let response = response(with: found, to: exchange)
            try sender.begin(response.status, in: exchange)
            try await FileTransfer(exchange: exchange, file: found.file).send(response, extra: sender.extra(exchange))
        case .listing(let folder, let path):
            let page = try await exchange.client.onThread { [cache] in
                FolderListing(file: folder, path: path).response.marked(by: cache)
            }
            try await sender.send(page, in: exchange)
        case .other(let response): try await sender.send(response.marked(by: cache), in: exchange)
        case .missing:
            guard let rest else { throw missing(exchange) }
            try await exchange.respond(by: rest, step)
        }
    }

    private func refuseMethod(in exchange: ClientExchange, _ step: ChainStep?) async throws(EngineFailure) {
        if step?.fallback != nil {
            throw EngineFailure(.origin, .wait, status: 405, "files can be got alone", kind: .declined)
        }
        let response = LocalResponse(
            405, "Allow: GET, HEAD\r\nContent-Type: text/plain; charset=utf-8\r\n",
            "405 Method Not Allowed\nshunt: files respond to GET and HEAD alone\n")
        try await sender.send(response, in: exchange)
    }

    /// In a chain, the next candidate is tried, as for a profile without a matching route.
    @inline(never)
    private func missing(_ exchange: ClientExchange) -> EngineFailure {
        let bytes = exchange.headBytes
        let path = String(bytes.extracting(exchange.request.head.path))
        guard let name = FilePath(bytes.extracting(exchange.request.head.path), of: route) else {
            return EngineFailure(
                .client, .route, status: 404, "the route \(route.label) has no file for \(path)",
                advice: """
                    The path names no file: names that begin with a dot are hidden, and `..`, `\\`, `//` and an encoded `/` \
                    lead nowhere.
                    """)
        }
        if DescriptorReserve.isReached { return .outOfDescriptors("the file \(path) cannot be opened") }
        let looked = ([settings.path] + (name.bytes.isEmpty ? [] : [String(decoding: name.bytes, as: UTF8.self)]))
            .joined(separator: "/")
        let index = settings.index.joined(separator: " or ")
        let advice =
            name.isFolder || name.bytes.isEmpty
            ? "Looked for \(index) in \(looked)." : "Looked for \(looked), relative to \(route.file)."
        return EngineFailure(
            .client, .route, status: 404, "the route \(route.label) has no file for \(path)", advice: advice)
    }
}
