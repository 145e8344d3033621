import Postgres
import Testing

@Suite struct AddressTests {
    @Test(arguments: [
        ("postgres://ada@db.example:6432/shunt", "PostgreSQL at db.example:6432, database shunt"),
        ("postgresql://db.example/shunt?sslmode=require", "PostgreSQL at db.example, database shunt"),
        ("postgres://ada@[::1]:5432/traffic", "PostgreSQL at ::1:5432, database traffic"),
        ("service=traffic", "PostgreSQL service traffic"),
    ])
    func `an address is described without its user`(_ text: String, _ description: String) throws {
        #expect(try PostgresAddress(text).description == description)
    }

    @Test(arguments: [
        "postgres://ada:s3cret@db.example/shunt", "postgres://db.example/shunt?password=s3cret",
        "host=db.example password=s3cret", "postgres://ada:s3cret@db.example:70000000/%zz",
        "postgres://ada@db.example/shunt?sslpassword=s3cret",
    ])
    func `a password in an address is refused and not repeated`(_ text: String) throws {
        let failure = #expect(throws: PostgresFailure.self) { try PostgresAddress(text) }
        #expect(failure?.kind == .address)
        #expect(failure?.message.contains("s3cret") == false)
    }

    @Test func `only URLs of PostgreSQL are addresses`() {
        #expect(PostgresAddress.isOne("postgres://host/db"))
        #expect(PostgresAddress.isOne("postgresql:///db"))
        for text in ["traffic.db", "./postgres", "postgres:", "mysql://host/db", "/var/postgres://x"] {
            #expect(!PostgresAddress.isOne(text), "\(text)")
        }
    }

    @Test(arguments: [
        ("postgres://db.example/shunt", "verify-full"), ("postgres://db.example/shunt?sslmode=require", "require"),
        ("postgres:///shunt?host=/run/postgresql", nil), ("postgres://127.0.0.1/shunt", "verify-full"),
    ])
    func `certificates are verified unless the address says otherwise`(_ text: String, _ mode: String?) throws {
        #expect(try PostgresAddress(text).sslMode == mode)
    }
}
