import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * Java's HttpClient. Usage: java JavaClient.java URL AUTHORITY
 *
 * <p>Prints one line of JSON for each case: {"case": name, "ok": bool, "saw": text}. With an http URL it asks for an
 * upgrade to h2c, which RFC 9113 has no more: the answers come in HTTP/1.1.
 */
public final class JavaClient {
    private final String url;
    private final HttpClient client;
    private final HttpClient.Version version;

    private JavaClient(String url, String authority) throws Exception {
        this.url = url;
        version = url.startsWith("https") ? HttpClient.Version.HTTP_2 : HttpClient.Version.HTTP_1_1;
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        store.setCertificateEntry("authority", CertificateFactory.getInstance("X.509")
                .generateCertificate(new ByteArrayInputStream(Files.readAllBytes(Path.of(authority)))));
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        client = HttpClient.newBuilder().sslContext(context).version(HttpClient.Version.HTTP_2)
                .connectTimeout(Duration.ofSeconds(10)).build();
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(url + path)).timeout(Duration.ofSeconds(30));
    }

    private HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return client.send(request(path).build(), BodyHandlers.ofString());
    }

    private static void expect(Object saw, Object wanted) {
        if (!wanted.equals(saw)) throw new AssertionError(saw + " instead of " + wanted);
    }

    private Map<String, Callable<Void>> cases() {
        Map<String, Callable<Void>> cases = new LinkedHashMap<>();
        cases.put("version", () -> {
            HttpResponse<String> answer = get("/hello");
            expect(answer.statusCode(), 200);
            expect(answer.version(), version);
            return null;
        });
        cases.put("head, 204, 404", () -> {
            HttpRequest head = request("/hello").method("HEAD", BodyPublishers.noBody()).build();
            HttpResponse<String> answer = client.send(head, BodyHandlers.ofString());
            expect(answer.body(), "");
            expect(answer.headers().firstValueAsLong("content-length").orElse(0) > 50, true);
            expect(List.of(get("/empty").statusCode(), get("/missing").statusCode()), List.of(204, 404));
            return null;
        });
        cases.put("upload", () -> {
            byte[] content = new byte[10_000_000];
            HttpRequest post = request("/sum").POST(BodyPublishers.ofByteArray(content)).build();
            String told = client.send(post, BodyHandlers.ofString()).body();
            expect(told.startsWith("{\"bytes\":10000000,"), true);
            return null;
        });
        cases.put("a hundred requests at once", () -> {
            List<CompletableFuture<HttpResponse<byte[]>>> all = IntStream.range(0, 100)
                    .mapToObj(number -> client.sendAsync(
                            request("/bytes?count=" + number * 997).build(), BodyHandlers.ofByteArray()))
                    .toList();
            for (int number = 0; number < all.size(); number++) {
                HttpResponse<byte[]> answer = all.get(number).get();
                expect(answer.body().length, number * 997);
                expect(answer.version(), version);
            }
            return null;
        });
        cases.put("fields", () -> {
            HttpRequest asked = request("/hello").header("x-one", "a").header("cookie", "a=1; b=2").build();
            String told = client.send(asked, BodyHandlers.ofString()).body();
            expect(told.contains("\"x-one\":\"a\"") && told.contains("\"cookie\":\"a=1; b=2\""), true);
            return null;
        });
        return cases;
    }

    public static void main(String[] arguments) throws Exception {
        JavaClient program = new JavaClient(arguments[0], arguments[1]);
        program.cases().forEach((name, run) -> {
            String saw = "";
            try {
                run.call();
            } catch (Throwable error) {
                saw = error.toString();
            }
            System.out.printf("{\"case\": \"%s\", \"ok\": %b, \"saw\": \"%s\"}%n",
                    name, saw.isEmpty(), saw.replaceAll("[\\\\\"\\p{Cntrl}]", "?"));
        });
        System.exit(0);
    }
}
