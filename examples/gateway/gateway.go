// A gateway for HTTP: the identifier in the path says which region's service has the row.
//
//	gateway ADDRESS SERVICES TIMEOUT LIMIT
//
// SERVICES is a file of lines "country,entity,URL of a service" (README.md).  The first identifier in
// the path of a request counts.  Each request takes one hop: to the service of the most specific
// line, where an empty country or entity means any.  A client has TIMEOUT, such as 10s, to send the
// headers.  A service has it to take a connection, to take each piece of the request, and to begin
// its answer.  LIMIT, such as 1h, is for all of a request and its answer.
package main

import (
	"context"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"gateway/iuid" // clients/go
)

const via = "1.1 iuid-gateway"

var (
	format = regexp.MustCompile("^" + strings.Repeat(`(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d|),`, 2) +
		`(https?://(?:\[[\da-f:]+\]|[\w.-]+)(?::\d+)?(?:/[^?#]*)?)$`)

	// A path that leaves that of the service's URL, as one server or another reads it.
	outside = regexp.MustCompile(`(^|[/\\])\.\.([/\\;]|$)`)

	// Headers of a proxy before the gateway, which a client can send too.  Some servers read _ as -.
	claim = regexp.MustCompile(`(?i)^(forwarded|x.forwarded.*|x.real.ip)$`)

	// The header Via of a request from a gateway, which none takes: where their files differ, it could
	// go in a circle.
	circle = regexp.MustCompile(`(^|,)\s*` + regexp.QuoteMeta(via) + `\s*(,|$)`)
)

func check(what string, err error) {
	if err != nil {
		log.Fatal(what, ": ", err)
	}
}

type services map[[2]string]*url.URL

func read(name string) services {
	text, err := os.ReadFile(name)
	check("SERVICES", err)
	found := services{}
	for _, line := range strings.Fields(string(text)) {
		f := format.FindStringSubmatch(line)
		if f == nil || found[[2]string{f[1], f[2]}] != nil {
			log.Fatal(line, ": not another country, entity and http://HOST:PORT/PATH")
		}
		service, err := url.Parse(f[3])
		check(line, err)
		_, err = net.LookupPort("tcp", service.Port())
		check(line, err)
		found[[2]string{f[1], f[2]}] = service
	}
	if len(found) == 0 {
		log.Fatal("no services in ", name)
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

// A connection to a service, for which net/http has no limit of writing.
type connection struct {
	net.Conn
	timeout time.Duration
}

func (c connection) Write(b []byte) (int, error) {
	c.SetWriteDeadline(time.Now().Add(c.timeout))
	return c.Conn.Write(b)
}

type transport struct{ *http.Transport }

// Here the headers that the client's Connection names are gone, so that it cannot name Via.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	r.Header.Add("Via", via)
	answer, err := t.Transport.RoundTrip(r)
	if err == nil && answer.StatusCode < 100 {
		answer.Body.Close()
		err = fmt.Errorf("%v has the status %d", r.URL, answer.StatusCode)
	}
	return answer, err
}

func duration(text string) time.Duration {
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		log.Fatalf("%q is not a time such as 10s", text)
	}
	return d
}

func main() {
	if len(os.Args) != 5 {
		log.Fatal("usage: gateway ADDRESS SERVICES TIMEOUT LIMIT")
	}
	known, timeout, limit := read(os.Args[2]), duration(os.Args[3]), duration(os.Args[4])
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := (&net.Dialer{Timeout: timeout}).DialContext(ctx, network, address)
		return connection{c, timeout}, err
	}
	way := transport{&http.Transport{DialContext: dial, TLSHandshakeTimeout: timeout, ResponseHeaderTimeout: timeout,
		ExpectContinueTimeout: time.Second, IdleConnTimeout: time.Minute, DisableCompression: true}}
	handle := func(w http.ResponseWriter, r *http.Request) {
		service := known.of(r.URL.Path)
		switch {
		case service == nil:
			http.Error(w, "no identifier in the path has a service", http.StatusNotFound)
		case outside.MatchString(r.URL.Path):
			http.Error(w, "the path has a part ..", http.StatusBadRequest)
		case r.Method == "CONNECT" || r.Method == "TRACE":
			http.Error(w, "no service is asked for "+r.Method, http.StatusNotImplemented)
		case circle.MatchString(strings.Join(r.Header.Values("Via"), ",")):
			http.Error(w, "this request comes from a gateway, which must hand it on to a service", http.StatusLoopDetected)
		default:
			for name := range r.Header {
				if claim.MatchString(name) {
					delete(r.Header, name)
				}
			}
			r.Header.Del("Upgrade") // LIMIT would not hold
			r.Host = ""             // that of the service's URL
			ctx, cancel := context.WithTimeout(r.Context(), limit)
			defer cancel()
			proxy := httputil.NewSingleHostReverseProxy(service)
			proxy.Transport = way
			proxy.ServeHTTP(w, r.WithContext(ctx))
		}
	}
	server := http.Server{Addr: os.Args[1], Handler: http.HandlerFunc(handle),
		ReadHeaderTimeout: timeout, ReadTimeout: limit, WriteTimeout: limit, IdleTimeout: 2 * time.Minute}
	log.Fatal(server.ListenAndServe())
}
