// A gateway for HTTP: the identifier in the path says which region's service has the row.
//
//	gateway ADDRESS SERVICES TIMEOUT
//
// SERVICES is a file of lines "country,entity,URL of a service" (README.md).  The first identifier in
// the path of a request counts.  Each request takes one hop: to the service of the most specific
// line, where an empty country or entity means any.  A service has TIMEOUT, such as 10s, to take a
// connection, and again to begin its answer.
package main

import (
	"encoding/csv"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

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
	if len(records) == 0 {
		log.Fatal("no services in ", name)
	}
	found := services{}
	for _, r := range records {
		if found[[2]string{r[0], r[1]}], err = url.ParseRequestURI(r[2]); err != nil {
			log.Fatal(strings.Join(r, ","), ": ", err)
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

// What gateways say of themselves in the header Via.  No gateway takes a request from a gateway: where
// their files differ, it could go in a circle.
const via = "1.1 iuid-gateway"

func main() {
	if len(os.Args) != 4 {
		log.Fatal("usage: gateway ADDRESS SERVICES TIMEOUT")
	}
	known := read(os.Args[2])
	timeout, err := time.ParseDuration(os.Args[3])
	if err != nil {
		log.Fatal(err)
	}
	transport := http.DefaultTransport.(*http.Transport)
	transport.DialContext = (&net.Dialer{Timeout: timeout}).DialContext
	transport.ResponseHeaderTimeout = timeout
	log.Fatal(http.ListenAndServe(os.Args[1], http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		service := known.of(r.URL.Path)
		switch {
		case service == nil:
			http.Error(w, "no identifier in the path has a service", http.StatusNotFound)
		case strings.Contains(strings.Join(r.Header.Values("Via"), ","), via):
			http.Error(w, "this request comes from a gateway, which must hand it on to a service", http.StatusLoopDetected)
		default:
			r.Header.Add("Via", via)
			httputil.NewSingleHostReverseProxy(service).ServeHTTP(w, r)
		}
	})))
}
