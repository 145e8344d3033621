// Prints what OkHttp with a cache gets for each path: java -cp JARS OkHttpCache.java URL FOLDER PATH...
import java.io.File;
import okhttp3.Cache;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;

public class OkHttpCache {
    public static void main(String[] arguments) throws Exception {
        OkHttpClient client = new OkHttpClient.Builder().cache(new Cache(new File(arguments[1]), 1 << 20)).build();
        for (int index = 2; index < arguments.length; index++) {
            Request request = new Request.Builder().url(arguments[0] + arguments[index]).build();
            try (Response response = client.newCall(request).execute()) {
                System.out.println(response.body().string() + response.request().url().encodedPath());
            }
        }
        client.cache().flush();
        System.exit(0);
    }
}
