// Only newest: Debian 12 does not have GORM for PostgreSQL.
package main

import (
	"bytes"
	"fmt"
	"log"
	"os"
	"strings"
	"time"

	"github.com/google/uuid"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

type Order struct {
	ID   uuid.UUID `gorm:"type:iuid;default:gen_iuid(125, 1);primaryKey"`
	Note *string
}

type Line struct {
	Number  int `gorm:"primaryKey"`
	OrderID uuid.UUID
	Order   Order
}

var (
	database   *gorm.DB
	statements bytes.Buffer
)

func scan(sql string, parameters []any, into ...any) {
	must(database.Raw(sql, parameters...).Row().Scan(into...))
}

func typeOf(column string) (name string) {
	scan("SELECT format_type(atttypid, NULL) FROM pg_attribute WHERE attrelid = ?::regclass AND attname = ?",
		[]any{strings.Split(column, ".")[0], strings.Split(column, ".")[1]}, &name)
	return name
}

func text(value string) *string { return &value }

// What a second AutoMigrate changes.
func migrateAgain() any {
	statements.Reset()
	must(database.AutoMigrate(&Order{}, &Line{}))
	var changes []string
	for _, line := range strings.Split(statements.String(), "\n") {
		if at := strings.Index(line, "ALTER TABLE"); at >= 0 {
			changes = append(changes, strings.ReplaceAll(line[at:], `"`, ""))
		}
	}
	if changes == nil {
		return "no change"
	}
	return strings.Join(changes, "; ")
}

func main() {
	var err error
	logs := logger.New(log.New(&statements, "", 0), logger.Config{LogLevel: logger.Info, SlowThreshold: time.Hour})
	address := fmt.Sprintf("host=127.0.0.1 port=%s", os.Getenv("PGPORT"))
	database, err = gorm.Open(postgres.Open(address), &gorm.Config{Logger: logs})
	must(err)
	pool, err := database.DB()
	must(err)
	pool.SetMaxOpenConns(1)
	report("version", version("golang-gorm-gorm-dev")+", pgx "+version("golang-github-jackc-pgx-v5-dev"))
	check("table", func() any {
		must(database.AutoMigrate(&Order{}, &Line{}))
		return typeOf("orders.id")
	})
	check("default", func() any {
		order := Order{}
		must(database.Create(&order).Error)
		return count("id = ?", order.ID) == 1
	})
	check("UUID", func() any {
		must(database.Create([]Order{{A, text("A")}, {B, text("B")}}).Error)
		return count("note = 'A' AND id::text = ?", A.String()) == 1
	})
	check("look-up", func() any {
		return lookUp(func() bool {
			order := Order{}
			must(database.First(&order, "id = ?", A).Error)
			return *order.Note == "A"
		})
	})
	check("IN", func() any {
		orders := []Order{}
		must(database.Find(&orders, "id IN ?", []uuid.UUID{A, B}).Error)
		return len(orders) == 2
	})
	check("= ANY", func() any { return count("id = ANY (?)", fmt.Sprintf("{%s,%s}", A, B)) == 2 })
	check("reads as", func() any {
		order := Order{}
		must(database.First(&order, "note = 'A'").Error)
		return strings.TrimPrefix(fmt.Sprintf("%T", order.ID), "uuid.")
	})
	check("array", func() any {
		var ids any
		scan("SELECT array_agg(id) FROM orders", nil, &ids)
		return fmt.Sprintf("%T", ids)
	})
	report("COPY text", "–")
	report("COPY binary", "–")
	check("id >= $1", func() any { return count("id >= ? AND id < ?", begin, end) == 2 })
	check("id >= iuid_floor($1)", func() any { return count("id >= iuid_floor(?) AND id < iuid_floor(?)", begin, end) == 2 })
	check("id >= $1::timestamptz", func() any { return count("id >= ?::timestamptz AND id < ?::timestamptz", begin, end) == 2 })
	check("gen_iuid($1, $2)", func() any { return country("gen_iuid(?, ?)", 125, 1) })
	check("gen_iuid($1::int, $2::int)", func() any { return country("gen_iuid(?::int, ?::int)", 125, 1) })
	check("join over a foreign key", func() any {
		must(database.Create(&Line{Number: 1, OrderID: A}).Error)
		line := Line{}
		must(database.Joins("Order").First(&line, "note = 'A'").Error)
		return line.OrderID == A && *line.Order.Note == "A"
	})
	check("type of the foreign key", func() any { return typeOf("lines.order_id") })
	check("AutoMigrate again", migrateAgain)
}
