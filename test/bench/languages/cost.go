package main

import (
	"crypto/rand"
	"fmt"
	"os"
	"strconv"
	"time"

	"cost/iuid"
)

func main() {
	count, _ := strconv.Atoi(os.Args[1])
	measure := func(way string, call func()) {
		begin := time.Now()
		for i := 0; i < count; i++ {
			call()
		}
		fmt.Printf("%s\t%g\n", way, float64(time.Since(begin).Nanoseconds())/float64(count))
	}
	measure("Make(7, 1)", func() { iuid.Make(7, 1) })
	var id [16]byte
	measure("16 bytes of crypto/rand", func() { rand.Read(id[:]) })
}
