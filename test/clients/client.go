// clients/go for check.py.
package main

import (
	"bufio"
	"bytes"
	"database/sql"
	"database/sql/driver"
	"encoding/gob"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"example.org/iuid"
)

var (
	clock time.Time
	bits  bytes.Reader
	maker *iuid.Maker
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	check(err)
	return n
}

func at(text string) time.Time { return time.UnixMicro(int64(number(text))) }

func unhex(text string) []byte {
	b, err := hex.DecodeString(text)
	check(err)
	return b
}

func bitsOf(text string) (id [16]byte) {
	copy(id[:], unhex(strings.ReplaceAll(text, "-", "")))
	return id
}

func start() { maker = iuid.NewMaker(func() time.Time { return clock }, &bits) }

func setClock(text string) {
	seconds, fraction, _ := strings.Cut(text, ".")
	clock = time.Unix(int64(number(seconds)), int64(number((fraction + "000000000")[:9])))
}

func name(country, entity int, name []byte, time string) (iuid.ID, error) {
	if time == "~" {
		return iuid.FromName(country, entity, name)
	}
	return iuid.FromNameAt(country, entity, name, at(time))
}

func sorted(texts []string, compare func(a, b iuid.ID) int) string {
	ids := make([]iuid.ID, len(texts))
	for i := range ids {
		ids[i] = bitsOf(texts[i])
	}
	sort.Slice(ids, func(i, j int) bool { return compare(ids[i], ids[j]) < 0 })
	return strings.Trim(fmt.Sprint(ids), "[]")
}

func fields(id iuid.ID) string {
	f := id.Fields()
	if f.Ms >= 0 && f.Time.UnixMilli() != f.Ms || f.Ms < 0 && !f.Time.IsZero() {
		panic("two times")
	}
	return strings.ReplaceAll(fmt.Sprint(f.Ms, f.Country, f.Entity, f.Random, f.Layout), "-1", "~")
}

func answer(call string, a []string) (any, error) {
	switch call {
	case "read":
		return iuid.Parse(string(unhex(a[0])))
	case "from_uuid_bits":
		b := bitsOf(a[0])
		return iuid.FromBytes(b[:])
	case "fields":
		return fields(bitsOf(a[0])), nil
	case "floor":
		return iuid.Floor(at(a[0])), nil
	case "country_floor":
		return iuid.CountryFloor(number(a[0]), number(a[1]))
	case "byte_order":
		return sorted(a, iuid.Compare), nil
	case "country_order":
		return sorted(a, iuid.CompareCountry), nil
	case "name", "name_bytes":
		return name(number(a[0]), number(a[1]), unhex(a[2]), a[3])
	case "hide", "reveal":
		var key [32]byte
		if copy(key[:], unhex(a[1])) != len(unhex(a[1])) || len(a[1]) != 64 {
			return nil, errors.New("the compiler says: a key must have 32 bytes")
		}
		if call == "hide" {
			hidden, err := iuid.Hide(bitsOf(a[0]), key)
			return iuid.ID(hidden), err
		}
		if id, ok := iuid.Reveal(bitsOf(a[0]), key); ok {
			return id, nil
		}
		return "~", nil
	case "uuid":
		if a[3] == "~" {
			return iuid.FromUUID(bitsOf(a[0]), number(a[1]), number(a[2]))
		}
		return iuid.FromUUIDAt(bitsOf(a[0]), number(a[1]), number(a[2]), at(a[3]))
	case "make_at":
		bits.Reset(unhex(a[3]))
		return maker.MakeAt(number(a[0]), number(a[1]), at(a[2]))
	case "start":
		start()
		return "~", nil
	case "make":
		setClock(a[2])
		bits.Reset(unhex(a[3]))
		return maker.Make(number(a[0]), number(a[1]))
	}
	panic(call)
}

func vectors() {
	start()
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		call := strings.Split(in.Text(), "\t")
		if value, err := answer(call[0], call[1:]); err != nil {
			fmt.Println("!", err)
		} else {
			fmt.Println("=", value)
		}
	}
}

func makeInThreads(count int) {
	var made [4][]iuid.ID
	var all sync.WaitGroup
	for thread := range made {
		all.Add(1)
		go func(thread int) {
			defer all.Done()
			for i := 0; i < count; i++ {
				id, err := iuid.Make(7, 1)
				check(err)
				made[thread] = append(made[thread], id)
			}
		}(thread)
	}
	all.Wait()
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for thread, ids := range made {
		for _, id := range ids {
			fmt.Fprintln(out, thread, id)
		}
	}
}

func takeTurns() {
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		id, err := iuid.Make(7, 1)
		check(err)
		fmt.Println(id)
	}
}

func must(what string, holds bool) {
	if !holds {
		panic(what)
	}
}

// A source of random bytes that starts another goroutine, and sees whether it makes an identifier meanwhile.
type waiting struct {
	asked  int32
	shared *iuid.Maker
	made   chan bool
	seen   bool
}

func (w *waiting) Read(bytes []byte) (int, error) {
	if atomic.AddInt32(&w.asked, 1) == 1 {
		go func() {
			_, err := w.shared.Make(7, 1)
			check(err)
			w.made <- true
		}()
		select {
		case w.seen = <-w.made:
		case <-time.After(200 * time.Millisecond):
		}
	}
	return len(bytes), nil
}

func makesBeside() bool {
	source := &waiting{made: make(chan bool, 1)}
	source.shared = iuid.NewMaker(time.Now, source)
	_, err := source.shared.Make(7, 1)
	check(err)
	return source.seen
}

func own() {
	var (
		_  sql.Scanner   = new(iuid.ID)
		_  driver.Valuer = iuid.ID{}
		id               = iuid.ID(bitsOf("019b76da-a87b-807d-8041-23456789abcd"))
	)
	type row struct {
		ID   iuid.ID
		None *iuid.ID
		Of   map[iuid.ID]int
	}
	text, err := json.Marshal(row{ID: id, Of: map[iuid.ID]int{id: 1}})
	check(err)
	must(string(text), string(text) == `{"ID":"`+id.String()+`","None":null,"Of":{"`+id.String()+`":1}}`)
	var back row
	check(json.Unmarshal(text, &back))
	must("JSON back", back.ID == id && back.None == nil && back.Of[id] == 1)
	must("JSON refuses", json.Unmarshal([]byte(`{"ID":"919108f7-52d1-4320-9bac-f847db4148a8"}`), &back) != nil)
	for _, source := range []any{id.String(), []byte(id.String()), id[:], [16]byte(id)} {
		var read iuid.ID
		check(read.Scan(source))
		must("Scan", read == id)
	}
	// An ID that nobody set is stored nowhere, as a text of Nil would stand in place of the column's default.
	var unset, other = iuid.ID{}, iuid.ID(bitsOf("919108f7-52d1-4320-9bac-f847db4148a8"))
	must("IsZero", unset.IsZero() && iuid.Nil.IsZero() && !id.IsZero() && !iuid.Max.IsZero())
	for _, refused := range []iuid.ID{unset, iuid.Nil, other} {
		value, err := refused.Value()
		must("Value of "+refused.String(), value == nil && errors.Is(err, iuid.ErrValue))
		value, err = driver.DefaultParameterConverter.ConvertValue(refused)
		must("an argument "+refused.String(), value == nil && errors.Is(err, iuid.ErrValue))
	}
	var none row
	check(json.Unmarshal([]byte(`{"ID":null}`), &none))
	must("JSON of null", none.ID.IsZero())
	for _, taken := range []iuid.ID{id, iuid.Max} {
		value, err := driver.DefaultParameterConverter.ConvertValue(&taken)
		must("Value", err == nil && value == taken.String())
	}
	value, err := driver.DefaultParameterConverter.ConvertValue((*iuid.ID)(nil))
	must("NULL", err == nil && value == nil)
	text, err = unset.MarshalText()
	must("MarshalText of Nil", err == nil && string(text) == unset.String())
	_, err = other.MarshalText()
	must("MarshalText of another UUID", errors.Is(err, iuid.ErrValue))
	_, err = iuid.Hide(other, [32]byte{})
	must("Hide of another UUID", errors.Is(err, iuid.ErrValue))
	must("Fields of another UUID", other.Fields() == iuid.Nil.Fields())
	var stream bytes.Buffer
	var decoded row
	check(gob.NewEncoder(&stream).Encode(row{ID: id}))
	check(gob.NewDecoder(&stream).Decode(&decoded))
	must("gob", decoded.ID == id)
	must("Scan of NULL", new(iuid.ID).Scan(nil) != nil)
	must("Scan of another UUID", new(iuid.ID).Scan(make([]byte, 15)) != nil && new(iuid.ID).Scan(bytes.Repeat([]byte{1}, 16)) != nil && new(iuid.ID).Scan([16]byte{1}) != nil)
	_, err = iuid.Parse("")
	must("ErrSyntax", errors.Is(err, iuid.ErrSyntax))
	_, err = iuid.MakeAt(1, 1, time.Unix(-1, 0))
	must("ErrTime", errors.Is(err, iuid.ErrTime))
	_, err = iuid.Make(256, 1)
	must("ErrValue", errors.Is(err, iuid.ErrValue))
	must("R15: two goroutines are in a Maker at once", !makesBeside())
	// Times that fit into no number of milliseconds.
	must("Floor", iuid.Floor(time.Unix(1<<62, 0)) == iuid.Max && iuid.Floor(time.Unix(-1<<62, 0)) == iuid.Nil && iuid.Floor(time.Time{}) == iuid.Nil)
}

func main() {
	switch os.Args[1] {
	case "vectors":
		vectors()
	case "make":
		makeInThreads(number(os.Args[2]))
	case "turns":
		takeTurns()
	default:
		own()
	}
}
