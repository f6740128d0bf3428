// What the programs in this folder share: two identifiers, a second around them, and a check.
package main

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/google/uuid"
)

var (
	A     = uuid.MustParse("019b76da-a87b-807d-8041-23456789abcd")
	B     = uuid.MustParse("019b76da-a87b-807d-8041-23456789abce")
	begin = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	end   = begin.Add(time.Second)
)

const create = "CREATE TABLE orders (id iuid DEFAULT gen_iuid(125, 1) PRIMARY KEY, note text)"

func report(name string, result any) { fmt.Printf("%s\t%v\n", name, result) }

// version is that of a package of Debian: the sources do not say it.
func version(name string) string {
	out, err := exec.Command("dpkg-query", "--show", "--showformat=${source:Upstream-Version}", name).Output()
	must(err)
	return string(out)
}

// check reports what a check gives, or its error: the SQLSTATE, if the error has one.
func check(name string, run func() any) {
	defer func() {
		if found := recover(); found != nil {
			var server interface{ SQLState() string }
			if errors.As(found.(error), &server) {
				report(name, server.SQLState())
			} else {
				report(name, "error")
			}
		}
	}()
	result := run()
	switch result {
	case true:
		result = "ok"
	case false:
		result = "wrong"
	}
	report(name, result)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// lookUp says whether a look-up finds its row, and reads one entry of the index for that.
func lookUp(run func() bool) any {
	before := rowsRead()
	if !run() {
		return false
	}
	if rowsRead() != before+1 {
		return "scan"
	}
	return "index"
}

func rowsRead() (rows int64) {
	scan("SELECT pg_stat_force_next_flush()::text", nil, new(string))
	scan("SELECT idx_tup_read FROM pg_stat_user_indexes WHERE relname = 'orders'", nil, &rows)
	return rows
}

func count(condition string, parameters ...any) (rows int64) {
	scan("SELECT count(*) FROM orders WHERE "+condition, parameters, &rows)
	return rows
}

func inRange(bound string) any {
	return count(fmt.Sprintf("id >= %s AND id < %s", bound, strings.Replace(bound, "$1", "$2", 1)), begin, end) == 2
}

func country(call string, parameters ...any) any {
	var number int64
	scan("SELECT iuid_country("+call+")", parameters, &number)
	return number == 125
}
