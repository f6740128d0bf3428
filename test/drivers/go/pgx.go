// Only newest: Debian 12 has pgx 4.
package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

var (
	ctx        = context.Background()
	connection *pgx.Conn
	_          pgtype.UUIDCodec
)

func scan(sql string, parameters []any, into ...any) {
	must(connection.QueryRow(ctx, sql, parameters...).Scan(into...))
}

func execute(sql string) {
	_, err := connection.Exec(ctx, sql)
	must(err)
}

// The type of the value that comes where none is asked for.
func kind(sql string) any {
	rows, err := connection.Query(ctx, sql)
	must(err)
	defer rows.Close()
	rows.Next()
	values, err := rows.Values()
	must(err)
	return fmt.Sprintf("%T", values[0])
}

func insert() any {
	var text string
	scan("INSERT INTO orders VALUES ($1, 'A'), ($2, 'B') RETURNING id::text", []any{A, B}, &text)
	return text == A.String()
}

func copyText() any {
	_, err := connection.PgConn().CopyFrom(ctx, strings.NewReader(A.String()+"\tA\n"), "COPY copies FROM STDIN")
	must(err)
	var back bytes.Buffer
	_, err = connection.PgConn().CopyTo(ctx, &back, "COPY copies TO STDOUT")
	must(err)
	return back.String() == A.String()+"\tA\n"
}

func copyBinary() any {
	_, err := connection.CopyFrom(ctx, pgx.Identifier{"copies"}, []string{"id", "note"}, pgx.CopyFromRows([][]any{{B, "B"}}))
	must(err)
	var text string
	scan("SELECT id::text FROM copies WHERE note = 'B'", nil, &text)
	return text == B.String()
}

func setUp(ctx context.Context, connection *pgx.Conn) error {
	// SET-UP
	return nil
}

func main() {
	var err error
	connection, err = pgx.Connect(ctx, "")
	must(err)
	must(setUp(ctx, connection))
	execute(create)
	execute("CREATE TABLE copies (id iuid, note text)")
	report("version", version("golang-github-jackc-pgx-v5-dev"))
	report("table", "–")
	check("default", func() any {
		var id uuid.UUID
		scan("INSERT INTO orders DEFAULT VALUES RETURNING id", nil, &id)
		return count("id = $1", id) == 1
	})
	check("UUID", insert)
	check("look-up", func() any { return lookUp(func() bool { return count("id = $1 AND note = 'A'", A) == 1 }) })
	check("IN", func() any { return count("id IN ($1, $2)", A, B) == 2 })
	check("= ANY", func() any { return count("id = ANY ($1)", []uuid.UUID{A, B}) == 2 })
	check("reads as", func() any { return kind("SELECT id FROM orders WHERE note = 'A'") })
	check("array", func() any {
		var ids []uuid.UUID
		scan("SELECT array_agg(id) FROM orders", nil, &ids)
		return fmt.Sprintf("%T", ids)
	})
	check("COPY text", copyText)
	check("COPY binary", copyBinary)
	check("id >= $1", func() any { return inRange("$1") })
	check("id >= iuid_floor($1)", func() any { return inRange("iuid_floor($1)") })
	check("id >= $1::timestamptz", func() any { return inRange("$1::timestamptz") })
	check("gen_iuid($1, $2)", func() any { return country("gen_iuid($1, $2)", 125, 1) })
	check("gen_iuid($1::int, $2::int)", func() any { return country("gen_iuid($1::int, $2::int)", 125, 1) })
}
