// What JDBC's metadata say of the columns of table "orders", as tools read them that copy tables: of a
// result, and of the table.  A line for each column: name, type and name of the type, of both.

import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;

class Metadata {
    public static void main(String[] arguments) throws Exception {
        try (var connection = DriverManager.getConnection(arguments[0])) {
            ResultSetMetaData result = connection.createStatement().executeQuery("SELECT * FROM orders").getMetaData();
            ResultSet columns = connection.getMetaData().getColumns(null, "public", "orders", "%");
            for (int n = 1; columns.next(); n++)
                System.out.printf("%s %d %s %d %s%n", result.getColumnName(n), result.getColumnType(n), result.getColumnTypeName(n),
                    columns.getInt("DATA_TYPE"), columns.getString("TYPE_NAME").replace("\"", ""));
        }
    }
}
