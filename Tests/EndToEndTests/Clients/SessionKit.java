// Tests of the kit for JUnit, against the Shunt at BASE; compiled beside the kit, prints ok.
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

class SessionKit {
    static final HttpClient CLIENT =
        HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).proxy(HttpClient.Builder.NO_PROXY).build();

    static String ask(ShuntSession session, String path) throws Exception {
        HttpRequest request = session.apply(HttpRequest.newBuilder(URI.create(System.getenv("BASE") + path))).build();
        return CLIENT.send(request, HttpResponse.BodyHandlers.ofString()).body();
    }

    static void check(boolean isRight, String what) {
        if (!isRight) throw new AssertionError(what);
    }

    static Void apart(int number) throws Exception {
        try (ShuntSession session = ShuntSession.start("test \"" + number + "\"")) {
            session.route("{\"name\": \"cart\", \"path\": \"/cart\", \"mock\": {\"json\": {\"number\": " + number + "}}}");
            session.expect("~u /cart: 1");
            check(ask(session, "/cart").equals("{\"number\":" + number + "}"), "cart of " + number);
            check(ask(session, "/turns").equals("first"), "turns of " + number);
            check(session.hits("cart") == 1, "hits of " + number);
        }
        return null;
    }

    public static void main(String[] words) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(50);
        List<Future<Void>> all = new ArrayList<>();
        for (int number = 0; number < 50; number++) {
            int own = number;
            all.add(pool.submit(() -> apart(own)));
        }
        for (Future<Void> one : all) one.get();
        pool.shutdown();
        String missed = "";
        try (ShuntSession session = ShuntSession.start("miss")) {
            session.mock("/a", "{\"text\": \"mine\"}");
            session.fault("/b", "{\"kind\": \"status\", \"status\": 503}");
            check(ask(session, "/a").equals("mine") && ask(session, "/b").startsWith("503"), "mock and fault");
            session.expect("~m POST & ~u /cart: 1");
        } catch (ShuntSession.ShuntError error) {
            missed = error.getMessage();
        }
        check(missed.contains("nearest"), "a miss was not noticed: " + missed);
        System.out.println("ok");
    }
}
