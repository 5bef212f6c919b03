import com.amazonaws.services.dynamodbv2.local.server.DynamoDBProxyServer;
import com.amazonaws.services.dynamodbv2.local.server.LocalDynamoDBRequestHandler;
import com.amazonaws.services.dynamodbv2.local.server.LocalDynamoDBServerHandler;

/**
 * Runs DynamoDB Local in memory with its test control, which no option of its command line switches on. A put into the
 * table [TEST_CONTROL] then rolls the shards of all streams over, or makes everything in them older.
 */
class Control {
    public static void main(String[] args) throws Exception {
        var constructor = LocalDynamoDBRequestHandler.class.getDeclaredConstructor(
                int.class, boolean.class, String.class, boolean.class, boolean.class, boolean.class);
        constructor.setAccessible(true);
        var requests = constructor.newInstance(0, true, null, false, false, true);
        var server = new DynamoDBProxyServer(Integer.parseInt(args[0]), new LocalDynamoDBServerHandler(requests, null));
        server.start();
    }
}
