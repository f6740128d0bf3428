// A gateway for HTTP: the identifier in the path says which region's service has the row.
//
//	gateway ADDRESS SERVICES
//
// SERVICES is a file of lines "country,entity,URL of a service" (README.md).  The first identifier in
// the path of a request counts.  Each request takes one hop: to the service of the most specific
// line, where an empty country or entity means any.
package main

import (
	"encoding/csv"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"strconv"
	"strings"

	"gateway/iuid" // clients/go
)

type services map[[2]string]*url.URL

func read(name string) services {
	file, err := os.Open(name)
	if err != nil {
		log.Fatal(err)
	}
	lines := csv.NewReader(file)
	lines.FieldsPerRecord = 3
	records, err := lines.ReadAll()
	if err != nil {
		log.Fatal(err)
	}
	found := services{}
	for _, r := range records {
		if found[[2]string{r[0], r[1]}], err = url.ParseRequestURI(r[2]); err != nil {
			log.Fatal(err)
		}
	}
	return found
}

// The service that has the row of the path, or nil.
func (s services) of(path string) *url.URL {
	for _, part := range strings.Split(path, "/") {
		id, err := iuid.Parse(part)
		if f := id.Fields(); err == nil && f.Country >= 0 {
			country, entity := strconv.Itoa(f.Country), strconv.Itoa(f.Entity)
			for _, line := range [][2]string{{country, entity}, {country, ""}, {"", entity}, {"", ""}} {
				if service := s[line]; service != nil {
					return service
				}
			}
		}
	}
	return nil
}

func main() {
	known := read(os.Args[2])
	log.Fatal(http.ListenAndServe(os.Args[1], http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if service := known.of(r.URL.Path); service != nil {
			httputil.NewSingleHostReverseProxy(service).ServeHTTP(w, r)
		} else {
			http.Error(w, "no identifier in the path has a service", http.StatusNotFound)
		}
	})))
}
