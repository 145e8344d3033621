// Each key is one line, whose last text editors show as its description.
// swift-format-ignore-file

import JSON

extension FileSettings {
    static let keys = Keys<FileSettings>(
        "files", "a route",
        [
            .one("files", \.path, .text("a folder or a file, relative to the profile, like \"../site\"", schema: Schema.fullText) { !$0.isEmpty }, "A folder whose files are the responses, or one file, relative to this profile.", see: "files.md"),
            .own("index", "a file's name like \"index.html\", or an array of them", Schema.any(Schema.fullText, Schema.names), "The file that is sent for a folder, or several, of which the first existing one is sent.", usual: "\"index.html\"") { $2.index = decodeIndex($0.value, $1) },
            .optional("spa", \.spa, .text("a file's path within the folder, like \"index.html\"", schema: Schema.fullText, isRelative), "The file that is sent for paths that name no file, for client-side routers.", usual: "unknown paths are 404", see: "files.md#let-the-browser-route"),
            .one("listing", \.listing, .flag, "true lists folders that have no index.", default: false),
            .own("cacheControl", CacheControlRules.expected, Schema.any(Schema.text, Schema.map(Schema.text)), "The Cache-Control field: one value for all files, or by pattern (*.html, assets/*), of which the first that matches is used.", usual: "no-cache", see: "files.md#set-how-long-browsers-cache-a-file") { $2.cacheControl = CacheControlRules($0.value, $1) },
            .one("fallthrough", \.fallsThrough, .flag, "true asks the route's origin for files that do not exist.", default: false, see: "files.md#put-your-files-before-the-real-site"),
            .one("reload", \.reload, .flag, "true reloads browsers that show a page of these files when a file changes.", default: false, see: "files.md#reload-browsers"),
        ])
}
