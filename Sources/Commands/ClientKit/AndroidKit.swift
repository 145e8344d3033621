extension ClientKit {
    static let android = ClientKit(name: "android", summary: "Android's network security configuration") { facts in
        [
            ClientFile(
                path: "app/src/main/res/xml/network_security_config.xml",
                text: """
                    <?xml version="1.0" encoding="utf-8"?>
                    <!-- Made by `shunt client-kit`; AndroidManifest.xml names it:
                         <application android:networkSecurityConfig="@xml/network_security_config">
                         debug-overrides count in debuggable builds alone. -->
                    <network-security-config>
                      <debug-overrides>
                        <trust-anchors>
                          <certificates src="@raw/shunt_ca" />
                          <certificates src="user" />
                        </trust-anchors>
                      </debug-overrides>
                    </network-security-config>

                    """),
            ClientFile(path: "app/src/debug/res/raw/shunt_ca.pem", text: facts.pem),
            // The reference above needs a file in every build; this one holds no certificate.
            ClientFile(path: "app/src/release/res/raw/shunt_ca.pem", text: "none\n"),
        ]
    }
}
