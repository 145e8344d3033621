extension ClientKit {
    static let retrofit = ClientKit(name: "retrofit", summary: "Retrofit 2, on the kit for OkHttp") { facts in
        ClientKit.okhttp.files(facts) + [
            ClientFile(
                path: "app/src/debug/kotlin/shunt/ShuntRetrofit.kt",
                text: """
                    // Made by `shunt client-kit`. In the source set `debug`: no release is built with it.
                    package shunt

                    import okhttp3.OkHttpClient
                    import retrofit2.Retrofit

                    /** An emulator reaches this machine as 10.0.2.2; with `adb reverse tcp:\(facts.port) tcp:\(facts.port)` as localhost. */
                    fun shuntRetrofit(baseUrl: String = \(ClientFacts.quoted(facts.url + "/"))): Retrofit.Builder =
                        Retrofit.Builder().baseUrl(baseUrl).client(OkHttpClient.Builder().trustShunt().build())

                    """)
        ]
    }
}
