extension ClientKit {
    static let nuke = ClientKit(name: "nuke", summary: "Nuke 12") { facts in
        ClientKit.urlsession.files(facts) + [
            ClientFile(
                path: "ShuntTrust+Nuke.swift",
                text: """
                    #if DEBUG
                    import Foundation
                    import Nuke

                    /// ImagePipeline.shared = ShuntTrust.imagePipeline
                    extension ShuntTrust {
                        static var imagePipeline: ImagePipeline {
                            let loader = DataLoader()
                            loader.delegate = ShuntSessionDelegate()
                            return ImagePipeline { $0.dataLoader = loader }
                        }
                    }
                    #endif

                    """)
        ]
    }
}
