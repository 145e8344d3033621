"""Writes apps and settings for `shunt lint` into the working directory: name by name what a release may have, and what not."""
import pathlib
import plistlib
import struct
import sys
import zipfile

AUTHORITY = pathlib.Path(sys.argv[1]).read_bytes()
GOOD = {"CFBundleIdentifier": "test.shop", "NSAppTransportSecurity": {"NSAllowsLocalNetworking": False}}


def transport(**settings):
    return {"CFBundleIdentifier": "test.shop", "NSAppTransportSecurity": settings}


def domain(**settings):
    return transport(NSExceptionDomains={"cdn.shop.test": settings})


def string_pool(strings, utf8):
    offsets, data = [], b""
    for text in strings:
        offsets.append(len(data))
        if utf8:
            raw = text.encode()
            data += bytes([len(text), len(raw)]) + raw + b"\0"
        else:
            data += struct.pack("<H", len(text)) + text.encode("utf-16-le") + b"\0\0"
    data += b"\0" * (-len(data) % 4)
    head = 28 + 4 * len(strings)
    return struct.pack("<HHIIIIII", 1, 28, head + len(data), len(strings), 0, 0x100 if utf8 else 0, head, 0) + struct.pack(
        f"<{len(strings)}I", *offsets) + data


RESOURCES = {"debuggable": 0x0101000F, "usesCleartextTraffic": 0x010104EC, "networkSecurityConfig": 0x01010527}


def android(tree, utf8=True, nameless=False):
    """A tree is (name, {attribute: value}, [trees])."""
    names = list(RESOURCES)
    strings = ["" if nameless else name for name in names]

    def index(text):
        if text not in strings[len(names):]:
            strings.append(text)
        return strings.index(text, len(names))

    def walk(name, attributes, children):
        body = b""
        for key, value in attributes.items():
            number = names.index(key) if key in RESOURCES else index(key)
            if isinstance(value, bool):
                kind, data, raw = 0x12, 0xFFFFFFFF if value else 0, 0xFFFFFFFF
            elif isinstance(value, int):
                kind, data, raw = 0x01, value, 0xFFFFFFFF
            else:
                kind, data = 0x03, index(value)
                raw = data
            body += struct.pack("<IIIHBBI", 0xFFFFFFFF, number, raw, 8, 0, kind, data)
        start = struct.pack("<HHIII", 0x102, 16, 36 + len(body), 1, 0xFFFFFFFF) + struct.pack(
            "<IIHHHHHH", 0xFFFFFFFF, index(name), 20, 20, len(attributes), 0, 0, 0) + body
        end = struct.pack("<HHIIIII", 0x103, 16, 24, 1, 0xFFFFFFFF, 0xFFFFFFFF, index(name))
        return start + b"".join(walk(*child) for child in children) + end

    elements = walk(*tree)
    map_ = struct.pack("<HHI", 0x180, 8, 8 + 4 * len(names)) + struct.pack("<3I", *RESOURCES.values())
    content = string_pool(strings, utf8) + map_ + elements
    return struct.pack("<HHI", 3, 8, 8 + len(content)) + content


def archive(name, entries, method=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(name, "w", method) as file:
        for path, content in entries:
            file.writestr(path, content)


def ipa(name, plist, *more):
    archive(name, [("Payload/Shop.app/Info.plist", plistlib.dumps(plist, fmt=plistlib.FMT_BINARY)), *more])


def apk(name, application, *more, utf8=True, nameless=False):
    manifest = android(("manifest", {}, [("application", application, [])]), utf8, nameless)
    archive(name, [("AndroidManifest.xml", manifest), *more])


def certificates(source, around="base-config"):
    return ("network-security-config", {}, [(around, {}, [("trust-anchors", {}, [("certificates", {"src": source}, [])])])])


plists = {
    "good": GOOD, "local": transport(NSAllowsLocalNetworking=True), "pinned": transport(NSPinnedDomains={"a.test": {}}),
    "strict-domain": domain(NSIncludesSubdomains=True, NSExceptionMinimumTLSVersion="TLSv1.3"),
    "loads": transport(NSAllowsArbitraryLoads=True), "loads-number": transport(NSAllowsArbitraryLoads=1),
    "loads-text": transport(NSAllowsArbitraryLoads="YES"), "web": transport(NSAllowsArbitraryLoadsInWebContent=True),
    "media": transport(NSAllowsArbitraryLoadsForMedia=True), "domain": domain(NSExceptionAllowsInsecureHTTPLoads=True),
    "temporary": domain(NSTemporaryExceptionAllowsInsecureHTTPLoads=True),
    "old-tls": domain(NSExceptionMinimumTLSVersion="TLSv1.0"), "secrecy": domain(NSExceptionRequiresForwardSecrecy=False),
}
for name, value in plists.items():
    for form, suffix in [(plistlib.FMT_XML, ""), (plistlib.FMT_BINARY, "-binary")]:
        folder = pathlib.Path("plists") / (name + suffix)
        folder.mkdir(parents=True)
        (folder / "Info.plist").write_bytes(plistlib.dumps(value, fmt=form))

ipa("good.ipa", GOOD, ("Payload/Shop.app/Shop", b"\xcf\xfa\xed\xfe" + b"\0" * 5000))
ipa("loads.ipa", plists["loads"])
extension = plistlib.dumps(plists["domain"], fmt=plistlib.FMT_BINARY)
ipa("extension.ipa", GOOD, ("Payload/Shop.app/PlugIns/Share.appex/Info.plist", extension))
ipa("pem.ipa", GOOD, ("Payload/Shop.app/dev.pem", AUTHORITY))
text = b"".join(AUTHORITY.split(b"\n")[1:-2])
der = __import__("base64").b64decode(text)
ipa("der.ipa", GOOD, ("Payload/Shop.app/dev.cer", der))
for shift in range(3):
    shifted = __import__("base64").b64encode(b"\1" * shift + der)
    lines = b"\n    ".join(shifted[at:at + 19] for at in range(0, len(shifted), 19))
    ipa(f"base64-{shift}.ipa", GOOD, ("Payload/Shop.app/Shop", b"\0" * 99 + lines + b"\0"))
ipa("kit.ipa", GOOD, ("Payload/Shop.app/Shop", b"\0_$s4Shop10ShuntTrustO\0"))
ipa("disabled.ipa", GOOD, ("Payload/Shop.app/Shop", b"\0$s9Alamofire22DisabledTrustEvaluatorC\0"))
ipa("alamofire.ipa", GOOD, ("Payload/Shop.app/Frameworks/Alamofire.framework/Alamofire", b"22DisabledTrustEvaluatorC"))


def folder(name, entries):
    for path, content in entries:
        file = pathlib.Path(name) / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)


def machine(*words):
    return b"\xcf\xfa\xed\xfe" + b"\0".join([b"\0" * 99, *words, b""])


CHALLENGE = b"URLSession:didReceiveChallenge:completionHandler:"
accepting = machine(CHALLENGE, b"initWithTrust:")
judging = machine(CHALLENGE, b"credentialForTrust:", b"_SecTrustEvaluateWithError")
ipa("accepting.ipa", GOOD, ("Payload/Shop.app/Shop", accepting))
ipa("judging.ipa", GOOD, ("Payload/Shop.app/Shop", judging))
ipa("challenged.ipa", GOOD, ("Payload/Shop.app/Shop", machine(CHALLENGE)))
binary = plistlib.dumps(GOOD, fmt=plistlib.FMT_BINARY)
folder("good.app", [("Info.plist", binary), ("Shop", judging)])
folder("accepting.app", [("Info.plist", binary), ("Shop", judging), ("Frameworks/Net.framework/Net", accepting)])
folder("pem.app", [("Info.plist", binary), ("deep/er/dev.pem", AUTHORITY)])
folder("empty.app", [("readme", b"nothing")])
(pathlib.Path("good.app") / "round").symlink_to(".")
archived = "Products/Applications/Shop.app/"
folder("good.xcarchive", [("Info.plist", extension), (archived + "Info.plist", binary), ("dSYMs/Shop", accepting)])
folder("loads.xcarchive", [(archived + "Info.plist", plistlib.dumps(plists["loads"]))])


def dex(methods):
    """Classes with one method each: (class, method, [types of parameters], [instructions])."""
    strings, types, lists, protos, ids = [], [], [], [], []

    def index(items, item):
        if item not in items:
            items.append(item)
        return items.index(item)

    def type_(name):
        return index(types, index(strings, name))

    for owner, name, parameters, _ in methods:
        proto = index(protos, tuple(type_(parameter) for parameter in parameters))
        ids.append((type_(owner), proto, index(strings, name)))
    void = type_("V")
    sizes = [4 * len(strings), 4 * len(types), 12 * len(protos), 8 * len(ids), 32 * len(methods)]
    starts = [0x70 + sum(sizes[:at]) for at in range(6)]
    data = bytearray()

    def put(content, align=4):
        data.extend(b"\0" * (-(starts[5] + len(data)) % align))
        place = starts[5] + len(data)
        data.extend(content)
        return place

    texts = [put(bytes([len(text)]) + text.encode() + b"\0", 1) for text in strings]
    for proto in protos:
        lists.append(put(struct.pack(f"<I{len(proto)}H", len(proto), *proto)) if proto else 0)
    classes = b""
    for at, (owner, _, _, code) in enumerate(methods):
        item = put(struct.pack(f"<HHHHII{len(code)}H", 4, 3, 2, 0, 0, len(code), *code)) if code else 0

        def leb(value):
            out = b""
            while True:
                out += bytes([value & 0x7F | (0x80 if value > 0x7F else 0)])
                value >>= 7
                if not value:
                    return out
        members = put(b"\0\0\0\1" + leb(at) + leb(1) + leb(item), 1)
        classes += struct.pack("<8I", type_(owner), 1, 0xFFFFFFFF, 0, 0xFFFFFFFF, 0, members, 0)
    tables = struct.pack(f"<{len(texts)}I", *texts) + struct.pack(f"<{len(types)}I", *types)
    tables += b"".join(struct.pack("<III", 0, void, place) for place in lists)
    tables += b"".join(struct.pack("<HHI", *method) for method in ids) + classes
    head = b"dex\n035\0" + bytes(24) + struct.pack("<III", starts[5] + len(data), 0x70, 0x12345678) + bytes(12)
    for count, start in zip([len(strings), len(types), len(protos), 0, len(ids), len(methods)],
                            [starts[0], starts[1], starts[2], 0, starts[3], starts[4]]):
        head += struct.pack("<II", count, start)
    head += struct.pack("<II", len(data), starts[5])
    return head + tables + bytes(data)


def classes(name, *methods):
    apk(name, {}, ("classes2.dex", dex([("Lshop/A;", "unrelated", [], [0x0E]), *methods])))


CHAIN = ["[Ljava/security/cert/X509Certificate;", "Ljava/lang/String;"]
VERIFY = ["Ljava/lang/String;", "Ljavax/net/ssl/SSLSession;"]
ERROR = ["Landroid/webkit/WebView;", "Landroid/webkit/SslErrorHandler;", "Landroid/net/http/SslError;"]
classes("empty-trust.apk", ("Lshop/Trust;", "checkServerTrusted", CHAIN, [0x0E]))
classes("trust.apk", ("Lshop/Trust;", "checkServerTrusted", CHAIN, [0x206E, 0, 0x21, 0x0E]))
classes("clients.apk", ("Lshop/Trust;", "checkClientTrusted", CHAIN, [0x0E]))
classes("any-name.apk", ("Lshop/Names;", "verify", VERIFY, [0x1012, 0x000F]))
classes("no-name.apk", ("Lshop/Names;", "verify", VERIFY, [0x0012, 0x000F]))
classes("other-verify.apk", ("Lshop/Names;", "verify", ["Ljava/lang/String;"], [0x1012, 0x000F]))
classes("proceed.apk", ("Lshop/Page;", "onReceivedSslError", ERROR, [0x106E, 2, 0x0002, 0x0E]),
        ("Lhandler;", "proceed", [], []))
classes("cancel.apk", ("Lshop/Page;", "onReceivedSslError", ERROR, [0x106E, 2, 0x0002, 0x0E]),
        ("Lhandler;", "cancel", [], []))
torn = dex([("Lshop/Trust;", "checkServerTrusted", CHAIN, [0x0E])])
apk("torn.apk", {}, ("classes.dex", torn[:-3]))
for at in range(0x38, len(torn)):
    apk(f"turned-dex-{at}.apk", {}, ("classes.dex", torn[:at] + bytes([torn[at] ^ 0xFF]) + torn[at + 1:]))
broken = plistlib.dumps(GOOD, fmt=plistlib.FMT_BINARY)
archive("cut.ipa", [("Payload/Shop.app/Info.plist", broken[:-1])])
archive("loop.ipa", [("Payload/Shop.app/Info.plist", b"bplist00\xa1\x00" + b"\x08" + b"\0" * 6 + b"\1\1"
                      + struct.pack(">QQQ", 1, 0, 10) )])
archive("other.ipa", [("readme", b"nothing")])
pathlib.Path("none.ipa").write_bytes(b"PK")
import warnings
warnings.simplefilter("ignore")
archive("twice.apk", [("AndroidManifest.xml", b"a"), ("AndroidManifest.xml", b"b")])
whole = pathlib.Path("good.ipa").read_bytes()
place = whole.index(b"\xcf\xfa\xed\xfe") if b"\xcf\xfa\xed\xfe" in whole else 60
pathlib.Path("damaged.ipa").write_bytes(whole[:60] + bytes([whole[60] ^ 0xFF]) + whole[61:])

apk("good.apk", {"networkSecurityConfig": 0x7F150001}, ("res/xml/a.xml", android(certificates("system"))))
apk("debug-overrides.apk", {}, ("res/xml/a.xml", android(certificates("user", "debug-overrides"))))
apk("user.apk", {}, ("res/q1.xml", android(certificates("user"))))
apk("user16.apk", {}, ("res/q1.xml", android(certificates("user"), utf8=False)), utf8=False)
apk("debuggable.apk", {"debuggable": True})
apk("nameless.apk", {"debuggable": True}, nameless=True)
apk("not-debuggable.apk", {"debuggable": False})
apk("cleartext.apk", {"usesCleartextTraffic": True})
apk("raw.apk", {}, ("res/raw/ca.pem", AUTHORITY))
deep = ("a", {}, [])
for _ in range(100):
    deep = ("a", {}, [deep])
apk("deep.apk", {}, ("res/xml/a.xml", android(deep)))
manifest = android(("manifest", {}, []))
archive("cut.apk", [("AndroidManifest.xml", manifest[:-3])])
for at in range(8, len(manifest)):
    # Each byte turned over: none may do more than be unread.
    archive(f"turned-{at}.apk", [("AndroidManifest.xml", manifest[:at] + bytes([manifest[at] ^ 0xFF]) + manifest[at + 1:])])
for at in range(8, len(broken)):
    ipa_bytes = broken[:at] + bytes([broken[at] ^ 0xFF]) + broken[at + 1:]
    archive(f"turned-{at}.ipa", [("Payload/Shop.app/Info.plist", ipa_bytes)])
