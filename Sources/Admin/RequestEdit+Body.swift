import Inspection

extension RequestEdit {
    /// What a body says of a request that is to be sent.
    init(_ method: String?, _ url: String?, _ fields: [[String]]?, _ body: String?) throws {
        guard fields?.allSatisfy({ $0.count == 2 }) ?? true else {
            throw AdminRefusal(
                400, "\"fields\" is no list of names and values", advice: "Send [[\"NAME\", \"VALUE\"]].")
        }
        self.init(
            method: method, url: url, fields: fields?.map { HeadText.Field($0[0], $0[1]) },
            body: body.map { Array($0.utf8) })
    }
}
