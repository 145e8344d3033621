// Made by `shunt client-kit`. One file without dependencies (Java 17): a session of Shunt for each test.
//   class CartTest {
//       ShuntSession shunt;
//       @BeforeEach void start(TestInfo test) { shunt = ShuntSession.start(test.getDisplayName()); }
//       @AfterEach void end() { shunt.close(); }
//       @Test void cart() throws Exception {
//           shunt.mock("/v1/cart", "{\"json\": {\"items\": []}}");
//           shunt.fault("/v1/pay", "\"reset\"");
//           shunt.expect("~m POST & ~u /orders: 1");
//           client.send(shunt.apply(HttpRequest.newBuilder(uri)).build(), BodyHandlers.ofString());
//       }
//   }
// At the end of a test its expectations are checked, and the session ends with all that belongs to it.
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Routes, states and expectations for the requests that carry its field or its cookie. */
public final class ShuntSession implements AutoCloseable {
    /** What went wrong, or was expected and did not happen. */
    public static final class ShuntError extends AssertionError {
        ShuntError(String message) { super(message); }
    }

    /** The field, whose value is {@link #id}. */
    public static final String FIELD = "Shunt-Session";
    // The admin interface of this machine is reached by no proxy.
    private static final HttpClient CLIENT =
        HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).proxy(HttpClient.Builder.NO_PROXY).build();

    public final String id;
    /** The session's own port where it was started with one; null without. */
    public final String url;
    private final String admin, token;
    private boolean expects;

    /** A session over the active profile. */
    public static ShuntSession start(String name) {
        return startWith("{\"name\": " + quoted(name.substring(0, Math.min(name.length(), 100))) + "}");
    }

    /** The same with settings: {"profile": "staging", "name": "cart", "port": true, "network": "3g"}. */
    public static ShuntSession startWith(String settings) { return new ShuntSession(settings); }

    private ShuntSession(String settings) {
        Map<?, ?> running = running();
        admin = (String) running.get("admin");
        token = (String) running.get("token");
        Map<?, ?> facts = ask("POST", "", settings);
        id = (String) facts.get("id");
        url = (String) facts.get("url");
    }

    /** The admin interface and its token: of SHUNT_ADMIN and SHUNT_TOKEN, else of the Shunt of this folder. */
    private static Map<?, ?> running() {
        Map<String, String> environment = System.getenv();
        if (environment.containsKey("SHUNT_ADMIN")) {
            return Map.of("admin", environment.get("SHUNT_ADMIN"), "token", environment.get("SHUNT_TOKEN"));
        }
        for (Path folder = Path.of("").toAbsolutePath(); folder != null; folder = folder.getParent()) {
            Path records = folder.resolve(".shunt");
            if (!Files.isDirectory(records)) continue;
            try (Stream<Path> names = Files.list(records)) {
                List<Path> found =
                    names.filter(path -> path.getFileName().toString().matches("[0-9]+\\.json")).sorted().toList();
                if (!found.isEmpty()) return (Map<?, ?>) new Reader(Files.readString(found.get(0))).value();
            } catch (IOException error) {
                throw new ShuntError(records + " cannot be read: " + error.getMessage());
            }
        }
        throw new ShuntError("no Shunt runs here: start `shunt serve`, or set SHUNT_ADMIN and SHUNT_TOKEN");
    }

    /** Lets a request belong to the session. */
    public HttpRequest.Builder apply(HttpRequest.Builder request) { return request.header(FIELD, id); }

    /** Adds routes, as JSON as a profile has them: one, or an array. */
    public void route(String routes) { ask("POST", "/" + id + "/routes", routes); }

    /** Responds: mock("/v1/cart", "{\"status\": 200, \"json\": {}}"), with the keys of a mock. */
    public void mock(String path, String mock) { route("{\"path\": " + quoted(path) + ", \"mock\": " + mock + "}"); }

    /** Lets requests fail: fault("/v1/pay", "\"reset\""); the rest goes on to the profile. */
    public void fault(String path, String fault) {
        route("{\"path\": " + quoted(path) + ", \"fault\": " + fault + "}");
    }

    /** How often the route of a name has responded. */
    public long hits(String name) {
        for (Object route : (List<?>) ask("GET", "/" + id + "/routes", null).get("routes")) {
            Map<?, ?> facts = (Map<?, ?>) route;
            if (name.equals(facts.get("name"))) return ((Number) facts.get("hits")).longValue();
        }
        throw new ShuntError("the session has no route " + name);
    }

    /** Texts such as "~c 5xx: 0". */
    public void expect(String... expectations) {
        expectJSON(Stream.of(expectations).map(ShuntSession::quoted).collect(Collectors.joining(", ", "[", "]")));
    }

    /** Expectations as JSON, as in a file of `shunt expect`: one, or an array. */
    public void expectJSON(String expectations) {
        ask("POST", "/" + id + "/expectations", expectations);
        expects = true;
    }

    /** Throws unless all expectations are met, with the nearest miss of each that is not. */
    public void verify() {
        Map<?, ?> result = ask("GET", "/" + id + "/verify", null);
        if (Boolean.TRUE.equals(result.get("met"))) return;
        throw new ShuntError(
            ((List<?>) result.get("failures")).stream().map(Object::toString).collect(Collectors.joining("\n")));
    }

    /** Checks what was expected, and ends the session. */
    @Override public void close() {
        try {
            if (expects) verify();
        } finally {
            ask("DELETE", "/" + id, null);
        }
    }

    private Map<?, ?> ask(String method, String path, String body) {
        HttpRequest request = HttpRequest.newBuilder(URI.create(admin + "/v1/sessions" + path))
            .header("Authorization", "Bearer " + token).header("Content-Type", "application/json")
            .timeout(Duration.ofSeconds(60))
            .method(method, body == null ? HttpRequest.BodyPublishers.noBody()
                : HttpRequest.BodyPublishers.ofString(body))
            .build();
        try {
            HttpResponse<String> response = CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
            Map<?, ?> value = (Map<?, ?>) new Reader(response.body()).value();
            if (response.statusCode() < 300) return value;
            throw new ShuntError(value.get("detail") + ". " + (value.get("advice") == null ? "" : value.get("advice")));
        } catch (IOException error) {
            throw new ShuntError("Shunt cannot be reached at " + admin + ": " + error.getMessage());
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
            throw new ShuntError("interrupted while Shunt was asked");
        }
    }

    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (char letter : text.toCharArray()) {
            if (letter == '"' || letter == '\\') quoted.append('\\').append(letter);
            else if (letter < 0x20) quoted.append(String.format("\\u%04x", (int) letter));
            else quoted.append(letter);
        }
        return quoted.append('"').toString();
    }

    /** Reads JSON that Shunt has written. */
    private static final class Reader {
        private final String text;
        private int at;

        Reader(String text) { this.text = text; }

        Object value() {
            char first = peek();
            if (first == '{') return object();
            if (first == '[') return array();
            if (first == '"') return string();
            int start = at;
            while (at < text.length() && ",]} \n\r\t".indexOf(text.charAt(at)) < 0) at++;
            String word = text.substring(start, at);
            return switch (word) {
                case "true" -> Boolean.TRUE;
                case "false" -> Boolean.FALSE;
                case "null" -> null;
                default -> Double.valueOf(word);
            };
        }

        private char peek() {
            while (Character.isWhitespace(text.charAt(at))) at++;
            return text.charAt(at);
        }

        private boolean isMore(char end) {
            char next = peek();
            at++;
            return next != end;
        }

        private Map<String, Object> object() {
            Map<String, Object> members = new LinkedHashMap<>();
            at++;
            if (peek() == '}') at++;
            else do {
                peek();
                String name = string();
                peek();
                at++;
                members.put(name, value());
            } while (isMore('}'));
            return members;
        }

        private List<Object> array() {
            List<Object> items = new ArrayList<>();
            at++;
            if (peek() == ']') at++;
            else do items.add(value()); while (isMore(']'));
            return items;
        }

        private String string() {
            StringBuilder string = new StringBuilder();
            for (at++; text.charAt(at) != '"'; at++) {
                if (text.charAt(at) != '\\') {
                    string.append(text.charAt(at));
                    continue;
                }
                char escape = text.charAt(++at);
                if (escape == 'u') {
                    string.append((char) Integer.parseInt(text.substring(at + 1, at + 5), 16));
                    at += 4;
                } else {
                    int known = "nrtbf".indexOf(escape);
                    string.append(known < 0 ? escape : "\n\r\t\b\f".charAt(known));
                }
            }
            at++;
            return string.toString();
        }
    }
}
