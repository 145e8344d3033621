extension ClientKit {
    static let environment = ClientKit(
        name: "environment", summary: "ShuntEnvironment.swift: a debug screen where the environment is chosen"
    ) { facts in
        let cases = facts.profiles.map {
            "Choice(profile: \(ClientFacts.quoted($0.name)), kind: \(ClientFacts.quoted($0.kind))),"
        }
        return [
            ClientFile(
                path: "ShuntEnvironment.swift",
                text: """
                    // Made by `shunt client-kit`: names of environments and addresses, no secret. Nothing of it is in a release.
                    #if DEBUG
                    import Foundation
                    import SwiftUI

                    /// Which environment responds to this app: the one that Shunt has chosen for the device, or one chosen here.
                    @MainActor
                    final class ShuntEnvironment: ObservableObject {
                        struct Choice: Hashable, Sendable {
                            let profile: String
                            let kind: String
                        }

                        /// What Shunt says: which profile responds to this device, and why.
                        struct Status: Decodable, Sendable {
                            let profile: String?
                            let source: String?
                            let device: String?
                        }

                        static let shared = ShuntEnvironment()
                        static let choices = [
                    \(ClientKits.indented(cases, by: 8))
                        ]

                        /// Shunt's pages for devices; another machine's address on a phone, as `shunt pair` prints it.
                        @Published var pages = URL(string: \(ClientFacts.quoted(facts.pagesURL)))
                        /// nil follows Shunt: `shunt use`, or what is chosen for the paired device.
                        @Published var chosen: Choice? {
                            didSet { UserDefaults.standard.set(chosen?.profile, forKey: "ShuntEnvironment") }
                        }
                        @Published private(set) var status: Status?
                        @Published private(set) var problem: String?

                        private init() {
                            let kept = UserDefaults.standard.string(forKey: "ShuntEnvironment")
                            chosen = Self.choices.first { $0.profile == kept }
                        }

                        /// To be added to every request: `headers.forEach { request.setValue($1, forHTTPHeaderField: $0) }`
                        var headers: [String: String] { chosen.map { ["Shunt-Profile": $0.profile] } ?? [:] }

                        func refresh() async {
                            guard let url = pages?.appendingPathComponent("status.json") else { return }
                            var request = URLRequest(url: url)
                            headers.forEach { request.setValue($1, forHTTPHeaderField: $0) }
                            do {
                                let (body, _) = try await URLSession.shared.data(for: request)
                                status = try JSONDecoder().decode(Status.self, from: body)
                                problem = nil
                            } catch {
                                problem = error.localizedDescription
                            }
                        }
                    }

                    struct ShuntEnvironmentView: View {
                        @ObservedObject private var environment = ShuntEnvironment.shared

                        var body: some View {
                            List {
                                Picker("Environment", selection: $environment.chosen) {
                                    Text("As Shunt says").tag(ShuntEnvironment.Choice?.none)
                                    ForEach(ShuntEnvironment.choices, id: \\.self) { choice in
                                        Text("\\(choice.profile) (\\(choice.kind))").tag(ShuntEnvironment.Choice?.some(choice))
                                    }
                                }
                                Text(environment.problem ?? "\\(environment.status?.profile ?? "Shunt") responds")
                            }
                            .task(id: environment.chosen) { await environment.refresh() }
                        }
                    }
                    #endif

                    """)
        ]
    }
}
