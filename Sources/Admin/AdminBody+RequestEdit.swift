import Inspection
import JSON

extension AdminBody {
    private static let edit = """
        {"method": "POST", "url": "https://api.shop.test/cart", "fields": [["NAME", "VALUE"]], "body": "TEXT"}
        """

    /// What is to be changed in a recorded request.
    func requestEdit() throws(AdminRefusal) -> RequestEdit {
        RequestEdit(
            method: try optionalText("method", example: Self.edit), url: try optionalText("url", example: Self.edit),
            fields: try fields(), body: try optionalText("body", example: Self.edit).map { Array($0.utf8) })
    }

    private func fields() throws(AdminRefusal) -> [HeadText.Field]? {
        guard let member = value?["fields"], !member.isNull else { return nil }
        let fields = member.array?.compactMap { item in
            let texts = item.array?.compactMap(\.string) ?? []
            return texts.count == 2 && item.array?.count == 2 ? HeadText.Field(texts[0], texts[1]) : nil
        }
        guard let fields, fields.count == member.array?.count else {
            throw AdminRefusal(
                400, "\"fields\" is no list of names and values", advice: "Send \(Self.edit).")
        }
        return fields
    }
}
