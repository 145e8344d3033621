import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

/** Asks for each path by Java's HttpClient and prints what came of it: PORT PATH... */
public class FaultClient {
    public static void main(String[] words) throws Exception {
        for (int at = 1; at < words.length; at++) {
            var client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
            var uri = URI.create("http://127.0.0.1:" + words[0] + "/" + words[at]);
            try {
                var response = client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
                System.out.println(words[at] + " " + response.statusCode() + " " + response.body().length());
            } catch (java.io.IOException failure) {
                System.out.println(words[at] + " " + failure.getMessage());
            }
        }
    }
}
