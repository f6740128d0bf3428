import java.io.StringReader;
import java.io.StringWriter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.time.OffsetDateTime;
import java.util.UUID;
import org.postgresql.PGConnection;

class Pgjdbc {
    static final UUID A = UUID.fromString("019b76da-a87b-807d-8041-23456789abcd");
    static final UUID B = UUID.fromString("019b76da-a87b-807d-8041-23456789abce");
    static final OffsetDateTime BEGIN = OffsetDateTime.parse("2026-01-01T00:00:00Z");
    static final OffsetDateTime END = BEGIN.plusSeconds(1);

    static Connection connection;

    interface Check {
        Object run() throws Exception;
    }

    static void report(String name, Object result) {
        System.out.println(name + "\t" + result);
    }

    /** Reports what a check gives, or its error: the SQLSTATE, if the error has one. */
    static void check(String name, Check check) {
        Object result;
        try {
            result = check.run();
        } catch (SQLException error) {
            result = error.getSQLState();
        } catch (Exception error) {
            result = error.getClass().getSimpleName();
        }
        report(name, result.equals(true) ? "ok" : result.equals(false) ? "wrong" : result);
    }

    static ResultSet row(String sql, Object... parameters) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        for (int n = 0; n < parameters.length; n++)
            statement.setObject(n + 1, parameters[n]);
        ResultSet row = statement.executeQuery();
        row.next();
        return row;
    }

    static String value(String sql, Object... parameters) throws SQLException {
        return row(sql, parameters).getString(1);
    }

    static void execute(String sql) throws SQLException {
        connection.createStatement().execute(sql);
    }

    static boolean count(int rows, String condition, Object... parameters) throws SQLException {
        return row("SELECT count(*) FROM orders WHERE " + condition, parameters).getInt(1) == rows;
    }

    static long rowsRead() throws SQLException {
        value("SELECT pg_stat_force_next_flush()");
        return row("SELECT idx_tup_read FROM pg_stat_user_indexes WHERE relname = 'orders'").getLong(1);
    }

    static Object lookUp() throws SQLException {
        long before = rowsRead();
        if (!count(1, "id = ? AND note = 'A'", A))
            return false;
        return rowsRead() == before + 1 ? "index" : "scan";
    }

    static Object copy() throws Exception {
        var copies = connection.unwrap(PGConnection.class).getCopyAPI();
        copies.copyIn("COPY copies FROM STDIN", new StringReader(A + "\tA\n"));
        var back = new StringWriter();
        copies.copyOut("COPY copies TO STDOUT", back);
        return back.toString().equals(A + "\tA\n");
    }

    static boolean inRange(String bound) throws SQLException {
        return count(2, "id >= " + bound + " AND id < " + bound, BEGIN, END);
    }

    static boolean country(String call) throws SQLException {
        return row("SELECT iuid_country(" + call + ")", 125, 1).getInt(1) == 125;
    }

    static String kind(Object[] list) {
        return list[0].getClass().getSimpleName() + "[]";
    }

    /** An iuid and an array as the driver gives them. */
    static Object[] read() throws SQLException {
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT id, array_agg(id) FROM orders GROUP BY id LIMIT 1");
        row.next();
        Object id = row.getObject(1);
        Object[] ids = (Object[]) row.getArray(2).getArray();
        // SET-UP
        return new Object[] {id, ids};
    }

    public static void main(String[] arguments) throws Exception {
        connection = DriverManager.getConnection("jdbc:postgresql://127.0.0.1:" + System.getenv("PGPORT") + "/"
            + System.getenv("PGDATABASE"), System.getenv("PGUSER"), "");
        execute("CREATE TABLE orders (id iuid DEFAULT gen_iuid(125, 1) PRIMARY KEY, note text)");
        execute("CREATE TABLE copies (id iuid, note text)");
        report("version", connection.getMetaData().getDriverVersion());
        report("table", "–");
        check("default", () -> row("INSERT INTO orders DEFAULT VALUES RETURNING iuid_country(id)").getInt(1) == 125);
        check("UUID", () -> value("INSERT INTO orders VALUES (?, 'A'), (?, 'B') RETURNING id::text", A, B).equals(A.toString()));
        check("look-up", () -> lookUp());
        check("IN", () -> count(2, "id IN (?, ?)", A, B));
        check("= ANY", () -> count(2, "id = ANY (?)", connection.createArrayOf("uuid", new UUID[] {A, B})));
        check("reads as", () -> read()[0].getClass().getSimpleName());
        check("array", () -> kind((Object[]) read()[1]));
        check("COPY text", () -> copy());
        report("COPY binary", "–");
        check("id >= $1", () -> inRange("?"));
        check("id >= iuid_floor($1)", () -> inRange("iuid_floor(?)"));
        check("id >= $1::timestamptz", () -> inRange("?::timestamptz"));
        check("gen_iuid($1, $2)", () -> country("gen_iuid(?, ?)"));
        check("gen_iuid($1::int, $2::int)", () -> country("gen_iuid(?::int, ?::int)"));
        check("`getObject(1, UUID.class)`", () -> row("SELECT id FROM orders").getObject(1, UUID.class) != null);
        check("`setString`: `id = ?`", () -> count(1, "id = ?", A.toString()));
        check("`setString`: `id = ?::iuid`", () -> count(1, "id = ?::iuid", A.toString()));
        check("`setTimestamp`: `id >= ?`", () -> count(3, "id >= ?", Timestamp.from(BEGIN.toInstant())));
        check("`setTimestamp`: `id >= iuid_floor(?)`", () -> count(3, "id >= iuid_floor(?)", Timestamp.from(BEGIN.toInstant())));
    }
}
