// Package iuid makes and reads identifiers that carry their time, country and entity, as the
// PostgreSQL extension iuid does.
//
//	id, err := iuid.Make(125, 1)        // new, of this moment: country 125, entity 1
//	f := id.Fields()                    // f.Time, f.Country, f.Entity
//	id, err = iuid.Parse("019b76da-a87b-807d-8041-23456789abcd")
//	id, err = iuid.FromName(125, 1, []byte("order 4711")) // the same input, the same identifier
//
// An ID is 16 bytes, as the UUIDs of other packages are: uuid.UUID(id).  database/sql reads and
// writes it, and so does JSON, as text; *ID is one that can be NULL.  The zero value is Nil, which
// Value refuses: as a bound, Nil is Nil.String().  R1 and so on are the rules of doc/format.md.
//
// Installed or copied, this file needs Go 1.18 and nothing else.
//
// Copyright (c) 2026, the iuid authors.  SPDX-License-Identifier: PostgreSQL
package iuid

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"database/sql/driver"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"sync"
	"time"
)

// ID is an identifier.  Compare is the order of time, and so is that of the texts.
type ID [16]byte

// Nil and Max are the ends of the key space (R5).
var (
	Nil = ID{}
	Max = compose(1<<64-1, 1<<64-1)
)

// The errors, for errors.Is; the server's SQLSTATEs are 22P02, 22023 and 22008 (R6).
var (
	ErrSyntax = errors.New("invalid input syntax for type iuid")
	ErrValue  = errors.New("not an iuid, or a country or entity out of range")
	ErrTime   = errors.New("time out of range for type iuid")
)

const (
	lastMs     = 1<<48 - 1
	randomMax  = 1<<54 - 1
	tailBits   = 42
	tailMax    = 1<<tailBits - 1
	tenSeconds = 10_000 << 12
)

// problem has the text of one error and is another one for errors.Is.
type problem struct {
	kind error
	text string
}

func (p problem) Error() string { return p.text }
func (p problem) Unwrap() error { return p.kind }

func fail(kind error, format string, arguments ...any) error {
	return problem{kind, fmt.Sprintf(format, arguments...)}
}

// --- bits (R1, R5) -------------------------------------------------------------------------------

func compose(high, low uint64) (id ID) {
	binary.BigEndian.PutUint64(id[:8], high)
	binary.BigEndian.PutUint64(id[8:], low)
	return id
}

func newID(ms int64, layout, country, entity int, random uint64) ID {
	return compose(uint64(ms)<<16|8<<12|uint64(layout)<<8|uint64(country), 2<<62|uint64(entity)<<54|random)
}

func (id ID) high() uint64 { return binary.BigEndian.Uint64(id[:8]) }
func (id ID) low() uint64  { return binary.BigEndian.Uint64(id[8:]) }

// IsValid tells whether the bytes are an identifier, for those that come from elsewhere.
func (id ID) IsValid() bool {
	return id.high()>>12&0xf == 8 && id.low()>>62 == 2 || id == Nil || id == Max
}

// IsZero tells whether the ID is Nil, as one is that was never set; omitzero of encoding/json asks it.
func (id ID) IsZero() bool { return id == Nil }

// Fields are those of an identifier.  What an identifier does not have is -1 or the zero Time (R4).
type Fields struct {
	Time            time.Time // in UTC
	Ms              int64     // since 1970
	Country, Entity int
	Random          int64
	Layout          int
}

// Fields reads the fields of an identifier.
func (id ID) Fields() Fields {
	f := Fields{Ms: -1, Country: -1, Entity: -1, Random: -1, Layout: -1}
	if !id.IsValid() || id == Nil || id == Max {
		return f
	}
	f.Layout = int(id.high() >> 8 & 0xf)
	if f.Layout <= 1 {
		f.Country, f.Entity, f.Random = id.country(), id.entity(), int64(id.low()&randomMax)
	}
	if f.Layout == 0 {
		f.Ms = int64(id.high() >> 16)
		f.Time = time.UnixMilli(f.Ms).UTC()
	}
	return f
}

func (id ID) country() int { return int(id.high() & 0xff) }
func (id ID) entity() int  { return int(id.low() >> 54 & 0xff) }

// --- orders (R7) ---------------------------------------------------------------------------------

// Compare is negative, 0 or positive, by the bytes: time first.
func Compare(a, b ID) int { return bytes.Compare(a[:], b[:]) }

// CompareCountry compares the countries, then the entities, then the bytes.
func CompareCountry(a, b ID) int {
	if a.country() != b.country() {
		return a.country() - b.country()
	}
	if a.entity() != b.entity() {
		return a.entity() - b.entity()
	}
	return Compare(a, b)
}

// --- texts (R2, R3), JSON and SQL ----------------------------------------------------------------

// Parse reads every text that the server reads.
func Parse(text string) (id ID, err error) {
	digits := make([]byte, 0, 36)
	rest := text
	if n := len(rest); n > 1 && rest[0] == '{' && rest[n-1] == '}' {
		rest = rest[1 : n-1]
	}
	for i := 0; i < len(rest) && i < 40; i++ {
		// A hyphen stands after four digits, and before others.
		if rest[i] == '-' && len(digits)%4 == 0 && i > 0 && rest[i-1] != '-' && i < len(rest)-1 {
			continue
		}
		digits = append(digits, rest[i])
	}
	if len(rest) > 39 || len(digits) != 32 {
		return id, fail(ErrSyntax, "invalid input syntax for type iuid: %q", text)
	}
	if _, err = hex.Decode(id[:], digits); err != nil || !id.IsValid() {
		return Nil, fail(ErrSyntax, "invalid input syntax for type iuid: %q", text)
	}
	return id, nil
}

// FromBytes takes the 16 bytes of a UUID that is an identifier, such as u[:] of a uuid.UUID.
func FromBytes(b []byte) (id ID, err error) {
	if len(b) != len(id) {
		return id, fail(ErrValue, "%d bytes are not an iuid", len(b))
	}
	copy(id[:], b)
	if !id.IsValid() {
		return Nil, fail(ErrValue, "uuid %q is not an iuid", id)
	}
	return id, nil
}

// String gives the text that the server writes.
func (id ID) String() string {
	h := hex.EncodeToString(id[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// MarshalText is for JSON, XML and flags, and UnmarshalText reads it.
func (id ID) MarshalText() ([]byte, error) {
	if !id.IsValid() {
		return nil, fail(ErrValue, "uuid %q is not an iuid", id)
	}
	return []byte(id.String()), nil
}

func (id *ID) UnmarshalText(text []byte) (err error) {
	*id, err = Parse(string(text))
	return err
}

// Value gives database/sql the text.
func (id ID) Value() (driver.Value, error) {
	if id.IsZero() {
		return nil, fail(ErrValue, "an iuid was not set; *iuid.ID can be NULL")
	}
	if !id.IsValid() {
		return nil, fail(ErrValue, "uuid %q is not an iuid", id)
	}
	return id.String(), nil
}

// Scan reads a column of type iuid or uuid from database/sql, in text or in binary.
func (id *ID) Scan(source any) (err error) {
	switch s := source.(type) {
	case string:
		*id, err = Parse(s)
	case []byte:
		if len(s) == len(id) {
			*id, err = FromBytes(s)
		} else {
			*id, err = Parse(string(s))
		}
	case [16]byte:
		*id, err = FromBytes(s[:])
	default:
		err = fmt.Errorf("cannot read an iuid from %T; *iuid.ID can be NULL", source)
	}
	return err
}

// --- new identifiers (R10 to R15) ----------------------------------------------------------------

// Maker makes identifiers that ascend.  Goroutines can share it, and most programs call Make, which is
// that of one Maker for the process.
type Maker struct {
	clock   func() time.Time
	random  io.Reader
	lock    sync.Mutex
	begun   bool
	reading int64 // times are 4096ths of a millisecond since 1970
	time    int64
	tail    uint64
}

// NewMaker makes a Maker with a clock and a source of random bytes of its own.
func NewMaker(clock func() time.Time, random io.Reader) *Maker {
	return &Maker{clock: clock, random: random}
}

var process = NewMaker(time.Now, bufio.NewReader(rand.Reader))

// Make makes a new identifier of this moment.
func Make(country, entity int) (ID, error) { return process.Make(country, entity) }

// MakeAt makes a new identifier of a given time; all its random bits are random (R14).
func MakeAt(country, entity int, at time.Time) (ID, error) {
	return process.MakeAt(country, entity, at)
}

// Make makes the next identifier.
func (m *Maker) Make(country, entity int) (ID, error) {
	if err := checkOrigin(country, entity, 255); err != nil {
		return Nil, err
	}
	m.lock.Lock()
	defer m.lock.Unlock()
	clock := m.clock()
	ms, err := msOf(clock)
	if err != nil {
		return Nil, fail(ErrTime, "system clock is out of range for type iuid: %v", clock.UTC())
	}
	now := ms<<12 | int64(clock.Nanosecond()%1e6)<<12/1e6
	random, err := m.draw(6)
	if err != nil {
		return Nil, err
	}
	if !m.begun || m.reading-now > tenSeconds || now > m.time {
		m.begun, m.reading, m.time, m.tail = true, now, now, random&tailMax
	} else {
		tail := m.tail + random&(1<<32-1) + 1
		m.time += int64(tail >> tailBits)
		m.tail = tail & tailMax
	}
	if m.time>>12 > lastMs {
		m.begun = false
		return Nil, fail(ErrTime, "system clock is out of range for type iuid: no room after the last identifier")
	}
	return newID(m.time>>12, 0, country, entity, uint64(m.time&0xfff)<<tailBits|m.tail), nil
}

// MakeAt makes a new identifier of a given time.
func (m *Maker) MakeAt(country, entity int, at time.Time) (ID, error) {
	ms, err := checkAll(country, entity, at)
	if err != nil {
		return Nil, err
	}
	m.lock.Lock()
	defer m.lock.Unlock()
	random, err := m.draw(8)
	if err != nil {
		return Nil, err
	}
	return newID(ms, 0, country, entity, random&randomMax), nil
}

func (m *Maker) draw(count int) (uint64, error) {
	var word [8]byte
	_, err := io.ReadFull(m.random, word[8-count:])
	return binary.BigEndian.Uint64(word[:]), err
}

// --- bounds (R8, R9) -----------------------------------------------------------------------------

// Floor is the smallest identifier at or after a time.
func Floor(at time.Time) ID {
	if at.Unix() < 0 {
		return Nil
	}
	ms, err := msOf(at)
	if at.Nanosecond()%1e6 > 0 {
		ms++
	}
	if err != nil || ms > lastMs {
		return Max
	}
	return newID(ms, 0, 0, 0, 0)
}

// CountryFloor is the smallest identifier of a country and entity in order by origin; both can be 256.
func CountryFloor(country, entity int) (ID, error) {
	if err := checkOrigin(country, entity, 256); err != nil {
		return Nil, err
	}
	if entity == 256 {
		country, entity = country+1, 0
	}
	if country > 255 {
		return Max, nil
	}
	return newID(0, 0, country, entity, 0), nil
}

// --- derived identifiers (R16 to R19) ------------------------------------------------------------

// FromName derives an identifier of layout 1 from a name.
func FromName(country, entity int, name []byte) (ID, error) {
	if err := checkOrigin(country, entity, 255); err != nil {
		return Nil, err
	}
	high, low := digest("iuid.name", name)
	return newID(int64(high>>16), 1, country, entity, low&randomMax), nil
}

// FromNameAt derives an identifier with a time from a name.
func FromNameAt(country, entity int, name []byte, at time.Time) (ID, error) {
	return digestAt(country, entity, "iuid.name", name, at)
}

// FromUUID derives an identifier from a UUID of version 1, 6 or 7, with its time.
func FromUUID(uuid [16]byte, country, entity int) (ID, error) {
	if err := checkOrigin(country, entity, 255); err != nil {
		return Nil, err
	}
	id := ID(uuid)
	high, low := id.high(), id.low()
	version := high >> 12 & 0xf
	if low>>62 != 2 {
		version = 0
	}
	var ticks int64 // of 100 ns since 1582-10-15
	switch version {
	case 1:
		ticks = int64(high&0xfff<<48 | high>>16&0xffff<<32 | high>>32)
	case 6:
		ticks = int64(high>>16<<12 | high&0xfff)
	case 7:
		return newID(int64(high>>16), 0, country, entity, high&0xfff<<42|low<<2>>22), nil
	default:
		return Nil, fail(ErrValue, "uuid %q has no time for an iuid: only UUIDs of versions 1, 6 and 7 have one", id)
	}
	ticks -= 0x01B21DD213814000
	if ticks < 0 {
		return Nil, fail(ErrTime, "uuid %q has no time for an iuid: its time is before 1970", id)
	}
	_, low = digest("iuid.uuid", uuid[:])
	return newID(ticks/10000, 0, country, entity, low&randomMax), nil
}

// FromUUIDAt derives an identifier from any UUID and a time.
func FromUUIDAt(uuid [16]byte, country, entity int, at time.Time) (ID, error) {
	return digestAt(country, entity, "iuid.uuid", uuid[:], at)
}

func digestAt(country, entity int, personal string, message []byte, at time.Time) (ID, error) {
	ms, err := checkAll(country, entity, at)
	if err != nil {
		return Nil, err
	}
	_, low := digest(personal, message)
	return newID(ms, 0, country, entity, low&randomMax), nil
}

// --- hidden identifiers (R20, R21) ---------------------------------------------------------------

const (
	hideRounds = 30
	half       = 1<<61 - 1
)

// Hide gives a UUID of version 4 that tells nothing without the key.
func Hide(id ID, key [32]byte) ([16]byte, error) {
	if id.Fields().Country < 0 {
		return Nil, fail(ErrValue, "iuid %q cannot be hidden", id)
	}
	k0, k1 := roundKey(key)
	left, right := id.halves()
	for round := uint64(0); round < hideRounds; round++ {
		left, right = right, left^sipHash(k0, k1, round, right)&half
	}
	return fromHalves(left, right, 4), nil
}

// Reveal gives the identifier that was hidden; false for a UUID that no identifier gives.
func Reveal(hidden [16]byte, key [32]byte) (ID, bool) {
	id := ID(hidden)
	if id.high()>>12&0xf != 4 || id.low()>>62 != 2 {
		return Nil, false
	}
	k0, k1 := roundKey(key)
	left, right := id.halves()
	for round := uint64(hideRounds); round > 0; round-- {
		left, right = right^sipHash(k0, k1, round-1, left)&half, left
	}
	id = fromHalves(left, right, 8)
	if id.high()>>8&0xf > 1 {
		return Nil, false
	}
	return id, true
}

// roundKey is BLAKE2b with a key, whose first block is the key.
func roundKey(key [32]byte) (uint64, uint64) {
	var block [128]byte
	copy(block[:], key[:])
	high, low := keyedDigest("iuid.hide", len(key), block[:])
	return bits.ReverseBytes64(high), bits.ReverseBytes64(low)
}

// halves are the 122 bits without version and variant.
func (id ID) halves() (left, right uint64) {
	high, low := id.high(), id.low()<<2>>2
	return high>>16<<13 | high&0xfff<<1 | low>>61, low & half
}

func fromHalves(left, right, version uint64) ID {
	return compose(left>>13<<16|version<<12|left>>1&0xfff, 2<<62|left&1<<61|right)
}

// sipHash is SipHash-2-4 of two words.
func sipHash(k0, k1, first, second uint64) uint64 {
	a, b, c, d := k0^0x736f6d6570736575, k1^0x646f72616e646f6d, k0^0x6c7967656e657261, k1^0x7465646279746573
	mix := func(rounds int) {
		for ; rounds > 0; rounds-- {
			a, c = a+b, c+d
			b, d = bits.RotateLeft64(b, 13)^a, bits.RotateLeft64(d, 16)^c
			a = bits.RotateLeft64(a, 32)
			a, c = a+d, c+b
			b, d = bits.RotateLeft64(b, 17)^c, bits.RotateLeft64(d, 21)^a
			c = bits.RotateLeft64(c, 32)
		}
	}
	for _, word := range [3]uint64{first, second, 16 << 56} {
		d ^= word
		mix(2)
		a ^= word
	}
	c ^= 0xff
	mix(4)
	return a ^ b ^ c ^ d
}

// --- arguments (R6) ------------------------------------------------------------------------------

func checkOrigin(country, entity, limit int) error {
	if country < 0 || country > limit {
		return fail(ErrValue, "country %d is out of range for type iuid: 0 to %d", country, limit)
	}
	if entity < 0 || entity > limit {
		return fail(ErrValue, "entity %d is out of range for type iuid: 0 to %d", entity, limit)
	}
	return nil
}

func checkAll(country, entity int, at time.Time) (int64, error) {
	if err := checkOrigin(country, entity, 255); err != nil {
		return 0, err
	}
	return msOf(at)
}

// msOf rounds down.  The seconds come first, as those of any Time do not fit as milliseconds.
func msOf(at time.Time) (int64, error) {
	if at.Unix() < 0 || at.Unix() > lastMs/1000 || at.UnixMilli() > lastMs {
		return 0, fail(ErrTime, "time %v is out of range for type iuid", at.UTC())
	}
	return at.UnixMilli(), nil
}

// --- BLAKE2b with personalization, which Go's library does not have (R16) ------------------------

var blake2bIV = [8]uint64{
	0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
	0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
}

var blake2bSigma = [10][16]byte{
	{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
	{14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
	{11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
	{7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
	{9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
	{2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
	{12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
	{13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
	{6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
	{10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
}

func digest(personal string, message []byte) (high, low uint64) {
	return keyedDigest(personal, 0, message)
}

// keyedDigest gives the 16 bytes as two big-endian words.  A key is the first block of the message.
func keyedDigest(personal string, keyLength int, message []byte) (high, low uint64) {
	// The parameter block: 16 bytes of digest, the key, fanout and depth 1; from byte 48 the personalization.
	var parameters [64]byte
	copy(parameters[:], []byte{16, byte(keyLength), 1, 1})
	copy(parameters[48:], personal)
	h := blake2bIV
	for i := range h {
		h[i] ^= binary.LittleEndian.Uint64(parameters[8*i:])
	}
	for done := uint64(0); ; {
		var block [128]byte
		count := copy(block[:], message)
		message = message[count:]
		done += uint64(count)
		compress(&h, &block, done, len(message) == 0)
		if len(message) == 0 {
			return bits.ReverseBytes64(h[0]), bits.ReverseBytes64(h[1])
		}
	}
}

// compress is the function F of RFC 7693, section 3.2.
func compress(h *[8]uint64, block *[128]byte, done uint64, last bool) {
	var m, v [16]uint64
	for i := range m {
		m[i] = binary.LittleEndian.Uint64(block[8*i:])
	}
	copy(v[:8], h[:])
	copy(v[8:], blake2bIV[:])
	v[12] ^= done
	if last {
		v[14] = ^v[14]
	}
	mix := func(a, b, c, d int, x, y uint64) {
		v[a] += v[b] + x
		v[d] = bits.RotateLeft64(v[d]^v[a], -32)
		v[c] += v[d]
		v[b] = bits.RotateLeft64(v[b]^v[c], -24)
		v[a] += v[b] + y
		v[d] = bits.RotateLeft64(v[d]^v[a], -16)
		v[c] += v[d]
		v[b] = bits.RotateLeft64(v[b]^v[c], -63)
	}
	for round := 0; round < 12; round++ {
		s := &blake2bSigma[round%10]
		for i := 0; i < 4; i++ {
			mix(i, 4+i, 8+i, 12+i, m[s[2*i]], m[s[2*i+1]])
		}
		for i := 0; i < 4; i++ {
			mix(i, 4+(i+1)%4, 8+(i+2)%4, 12+(i+3)%4, m[s[8+2*i]], m[s[9+2*i]])
		}
	}
	for i := range h {
		h[i] ^= v[i] ^ v[i+8]
	}
}
