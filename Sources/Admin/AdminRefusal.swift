/// Why the admin interface does not do what was asked.
struct AdminRefusal: Error {
    let status: Int
    let message: String
    /// What to do next.
    let advice: String?
    /// Fields beside those of every answer.
    let fields: [(name: String, value: String)]

    init(_ status: Int, _ message: String, advice: String? = nil, fields: [(name: String, value: String)] = []) {
        self.status = status
        self.message = message
        self.advice = advice
        self.fields = fields
    }
}
