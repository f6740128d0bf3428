package main

import (
	"database/sql"
	"fmt"

	"github.com/google/uuid"
	"github.com/lib/pq"
)

var database *sql.DB

func scan(query string, parameters []any, into ...any) {
	must(database.QueryRow(query, parameters...).Scan(into...))
}

func execute(query string) {
	_, err := database.Exec(query)
	must(err)
}

func insert() any {
	var text string
	scan("INSERT INTO orders VALUES ($1, 'A'), ($2, 'B') RETURNING id::text", []any{A, B}, &text)
	return text == A.String()
}

func copyText() any {
	transaction, err := database.Begin()
	must(err)
	defer transaction.Rollback()
	copies, err := transaction.Prepare(pq.CopyIn("copies", "id", "note"))
	must(err)
	_, err = copies.Exec(A, "A")
	must(err)
	_, err = copies.Exec()
	must(err)
	must(copies.Close())
	must(transaction.Commit())
	var text string
	scan("SELECT id::text FROM copies WHERE note = 'A'", nil, &text)
	return text == A.String()
}

func main() {
	var err error
	database, err = sql.Open("postgres", "")
	must(err)
	database.SetMaxOpenConns(1)
	execute(create)
	execute("CREATE TABLE copies (id iuid, note text)")
	report("version", version("golang-github-lib-pq-dev"))
	report("table", "–")
	check("default", func() any {
		var id uuid.UUID
		scan("INSERT INTO orders DEFAULT VALUES RETURNING id", nil, &id)
		return count("id = $1", id) == 1
	})
	check("UUID", insert)
	check("look-up", func() any { return lookUp(func() bool { return count("id = $1 AND note = 'A'", A) == 1 }) })
	check("IN", func() any { return count("id IN ($1, $2)", A, B) == 2 })
	check("= ANY", func() any { return count("id = ANY ($1)", pq.Array([]uuid.UUID{A, B})) == 2 })
	check("reads as", func() any {
		var id any
		scan("SELECT id FROM orders WHERE note = 'A'", nil, &id)
		return fmt.Sprintf("%T", id)
	})
	check("array", func() any {
		var ids []uuid.UUID
		scan("SELECT array_agg(id) FROM orders", nil, pq.Array(&ids))
		return fmt.Sprintf("%T", ids)
	})
	check("COPY text", copyText)
	report("COPY binary", "–")
	check("id >= $1", func() any { return inRange("$1") })
	check("id >= iuid_floor($1)", func() any { return inRange("iuid_floor($1)") })
	check("id >= $1::timestamptz", func() any { return inRange("$1::timestamptz") })
	check("gen_iuid($1, $2)", func() any { return country("gen_iuid($1, $2)", 125, 1) })
	check("gen_iuid($1::int, $2::int)", func() any { return country("gen_iuid($1::int, $2::int)", 125, 1) })
}
