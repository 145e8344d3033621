import CWeb

// Sessions for tests: files in the languages of the tests, which the compiler puts into the program as they are.
extension ClientKit {
    static let junit = ClientKit(
        name: "junit", summary: "sessions for JUnit 5 and other tests on the JVM", session: shunt_session_java())
    static let pytest = ClientKit(
        name: "pytest", summary: "sessions for pytest and other tests in Python", session: shunt_session_python())
    static let playwright = ClientKit(
        name: "playwright", summary: "sessions for Playwright and other tests in JavaScript",
        session: shunt_session_javascript())

    private init(name: String, summary: String, session file: shunt_file) {
        let text = String(decoding: UnsafeBufferPointer(start: file.bytes, count: file.count), as: UTF8.self)
        let path = String(cString: file.name)
        self.init(name: name, summary: summary) { _ in [ClientFile(path: path, text: text)] }
    }
}
