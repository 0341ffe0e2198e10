// gowsdl: a client of the Go code that it generates from the WSDL. The protocol is ../../PROTOCOL.md.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"net/http"
	"os"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"castile/bench/gowsdl/bench"
	"castile/bench/gowsdl/files"

	"github.com/hooklift/gowsdl/soap"
)

type unsupported struct{ why string }

func (u unsupported) Error() string { return u.why }

// Go's monotonic time starts anywhere; this is where CLOCK_MONOTONIC was then.
var begin, beginNanos = time.Now(), clock()

func clock() int64 {
	var at syscall.Timespec
	const monotonic = 1
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, monotonic, uintptr(unsafe.Pointer(&at)), 0)
	return at.Nano()
}

func now() int64 { return beginNanos + int64(time.Since(begin)) }

// ---- the client ----

// gowsdl asks for the connection to be closed after each call; this does not.
type keepAlive struct{ http.Client }

func (c *keepAlive) Do(request *http.Request) (*http.Response, error) {
	request.Close = false
	return c.Client.Do(request)
}

type engine struct {
	clients   map[string]*soap.Client
	senders   map[sending]call
	keep      bool
	username  bool
	mime      bool
	sets      []any
	searches  int32
	operation string
	result    any
}

func (e *engine) client(url string) *soap.Client {
	client := e.clients[url]
	if client == nil {
		options := []soap.Option{}
		if e.keep {
			options = append(options, soap.WithHTTPClient(&keepAlive{}))
		}
		client = soap.NewClient(url, options...)
		if e.username {
			client.AddHeader(soap.NewWSSSecurityHeader("bench", "bench", "", "1"))
		}
		e.clients[url] = client
	}
	return client
}

// A call of an operation with values of its type, which gives the generated response.
type call func(values any) (any, error)

func (e *engine) call(operation, url string) (call, error) {
	if e.mime {
		return e.attached(operation, url)
	}
	b := bench.NewBench(e.client(url))
	f := files.NewFiles(e.client(url))
	found := map[string]call{
		"echoVoid":       func(any) (any, error) { return b.EchoVoid(&bench.EchoVoid{}) },
		"doGoogleSearch": func(any) (any, error) { return b.DoGoogleSearch(e.search()) },
		"echoDoubles":    func(v any) (any, error) { return b.EchoDoubles(&bench.EchoDoubles{Values: v.(*bench.ArrayOfDouble)}) },
		"sendDoubles":    func(v any) (any, error) { return b.SendDoubles(&bench.SendDoubles{Values: v.(*bench.ArrayOfDouble)}) },
		"echoInts":       func(v any) (any, error) { return b.EchoInts(&bench.EchoInts{Values: v.(*bench.ArrayOfInt)}) },
		"sendInts":       func(v any) (any, error) { return b.SendInts(&bench.SendInts{Values: v.(*bench.ArrayOfInt)}) },
		"echoStrings":    func(v any) (any, error) { return b.EchoStrings(&bench.EchoStrings{Values: v.(*bench.ArrayOfString)}) },
		"sendStrings":    func(v any) (any, error) { return b.SendStrings(&bench.SendStrings{Values: v.(*bench.ArrayOfString)}) },
		"echoBytes":      func(v any) (any, error) { return b.EchoBytes(&bench.EchoBytes{Values: v.([]byte)}) },
		"sendBytes":      func(v any) (any, error) { return b.SendBytes(&bench.SendBytes{Values: v.([]byte)}) },
		"echoPacked":     func(v any) (any, error) { return b.EchoPacked(&bench.EchoPacked{Values: v.([]byte)}) },
		"sendPacked":     func(v any) (any, error) { return b.SendPacked(&bench.SendPacked{Values: v.([]byte)}) },
		"echoMios":       func(v any) (any, error) { return b.EchoMios(&bench.EchoMios{Values: v.(*bench.ArrayOfMio)}) },
		"sendMios":       func(v any) (any, error) { return b.SendMios(&bench.SendMios{Values: v.(*bench.ArrayOfMio)}) },
		"echoEvents":     func(v any) (any, error) { return b.EchoEvents(&bench.EchoEvents{Values: v.(*bench.ArrayOfEvent)}) },
		"sendEvents":     func(v any) (any, error) { return b.SendEvents(&bench.SendEvents{Values: v.(*bench.ArrayOfEvent)}) },
		"echoAttributes": func(v any) (any, error) {
			return b.EchoAttributes(&bench.EchoAttributes{Values: v.(*bench.ArrayOfAttribute)})
		},
		"sendAttributes": func(v any) (any, error) {
			return b.SendAttributes(&bench.SendAttributes{Values: v.(*bench.ArrayOfAttribute)})
		},
		"echoClassAds": func(v any) (any, error) {
			return b.EchoClassAds(&bench.EchoClassAds{Values: v.(*bench.ArrayOfClassAd)})
		},
		"sendClassAds": func(v any) (any, error) {
			return b.SendClassAds(&bench.SendClassAds{Values: v.(*bench.ArrayOfClassAd)})
		},
		"echoFiles": func(v any) (any, error) { return f.EchoFiles(&files.EchoFiles{Values: v.(*files.ArrayOfFile)}) },
		"sendFiles": func(v any) (any, error) { return f.SendFiles(&files.SendFiles{Values: v.(*files.ArrayOfFile)}) },
	}[operation]
	if found == nil {
		return nil, unsupported{"no operation " + operation}
	}
	return found, nil
}

// Where what goes.
type sending struct {
	url   string
	files *files.ArrayOfFile
}

// Files beside the envelope. A client sends all attachments that it was ever given, so each set of files has its own.
func (e *engine) attached(operation, url string) (call, error) {
	if operation != "sendFiles" {
		return nil, unsupported{"of replies it reads attachments only where they are made as its own requests are"}
	}
	return func(v any) (any, error) {
		what := sending{url, v.(*files.ArrayOfFile)}
		send := e.senders[what]
		if send == nil {
			send = what.sender()
			e.senders[what] = send
		}
		return send(nil)
	}, nil
}

func (s sending) sender() call {
	client := soap.NewClient(s.url, soap.WithHTTPClient(&keepAlive{}), soap.WithMIMEMultipartAttachments())
	values := &files.ArrayOfFile{}
	for i, file := range s.files.Item {
		id := fmt.Sprint(i, "@bench")
		client.AddMIMEMultipartAttachment(soap.MIMEMultipartAttachment{Name: id, Data: decoded(file.Data)})
		values.Item = append(values.Item, &files.File{Name: file.Name, Data: []byte("cid:" + id)})
	}
	f := files.NewFiles(client)
	return func(any) (any, error) { return f.SendFiles(&files.SendFiles{Values: values}) }
}

func (e *engine) search() *bench.DoGoogleSearch {
	return &bench.DoGoogleSearch{Key: "0000", Q: "grid computing", MaxResults: max(e.searches, 1), Filter: true}
}

// What `load` makes of a kind.
func empty(kind string) any {
	return map[string]any{
		"doubles": &bench.ArrayOfDouble{}, "ints": &bench.ArrayOfInt{}, "strings": &bench.ArrayOfString{},
		"mios": &bench.ArrayOfMio{}, "events": &bench.ArrayOfEvent{}, "attributes": &bench.ArrayOfAttribute{},
		"classads": &bench.ArrayOfClassAd{}, "files": &files.ArrayOfFile{},
	}[kind]
}

// ---- the protocol ----

func (e *engine) answer(words []string) (string, error) {
	switch words[0] {
	case "hello":
		return " 1 gowsdl 0.5.0, " + runtime.Version(), nil
	case "load":
		count, err := e.load(words[1], words[2])
		return fmt.Sprint(" ", count), err
	case "clear":
		e.sets, e.searches = nil, 0
		e.forget()
	case "set":
		return "", e.set(words[1], words[2])
	case "serve":
		return "", unsupported{"no server"}
	case "call":
		count, err := strconv.Atoi(words[3])
		if err != nil {
			return "", err
		}
		return e.calls(words[1], words[2], count)
	case "dump":
		count, err := e.dump(words[1])
		return fmt.Sprint(" ", count), err
	case "reset":
		e.forget()
	default:
		return "", unsupported{"no command " + words[0]}
	}
	return "", nil
}

// What a trace holds that is none, is an error as well.
func (e *engine) guarded(words []string) (said string, err error) {
	defer func() {
		if problem := recover(); problem != nil {
			err = fmt.Errorf("%v", problem)
		}
	}()
	return e.answer(words)
}

func (e *engine) load(kind, path string) (int, error) {
	lines, err := readLines(path)
	if err != nil {
		return 0, err
	}
	switch made := empty(kind); {
	case kind == "google":
		e.searches = int32(len(lines))
	case kind == "bytes" || kind == "packed":
		e.sets = append(e.sets, bytesOf(kind, lines))
	case made == nil:
		return 0, unsupported{"the code generated for " + kind + " does not compile, or there is none"}
	default:
		fillArray(made, lines)
		e.sets = append(e.sets, made)
	}
	return len(lines), nil
}

func (e *engine) set(name, value string) error {
	switch name + " " + value {
	case "keepalive on", "keepalive off":
		e.keep = value == "on"
	case "security none", "security username":
		e.username = value == "username"
	case "attachments inline", "attachments mime":
		e.mime = value == "mime"
	case "chunk 0":
	default:
		return unsupported{"no " + name + "=" + value}
	}
	e.forget()
	return nil
}

// Makes clients anew.
func (e *engine) forget() {
	e.clients, e.senders = map[string]*soap.Client{}, map[sending]call{}
}

func (e *engine) calls(operation, url string, count int) (string, error) {
	call, err := e.call(operation, url)
	if err != nil {
		return "", err
	}
	sets := e.sets
	if operation == "echoVoid" || operation == "doGoogleSearch" {
		sets = []any{nil}
	}
	var samples strings.Builder
	for i := range count {
		values := sets[i%len(sets)]
		start := now()
		result, err := call(values)
		end := now()
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&samples, " %d,%d", start, end)
		e.operation, e.result = operation, result
	}
	return samples.String(), nil
}

func (e *engine) dump(path string) (int, error) {
	response := reflect.ValueOf(e.result).Elem()
	var lines []string
	switch count := response.FieldByName("Count"); {
	case count.IsValid():
		lines = []string{fmt.Sprint(count.Int())}
	case e.operation == "doGoogleSearch":
		lines = linesOf(response.FieldByName("Return_").Elem().FieldByName("ResultElements"))
	case e.operation == "echoPacked":
		lines = numbersOf(response.FieldByName("Return_").Bytes())
	case e.operation != "echoVoid":
		lines = linesOf(response.FieldByName("Return_"))
	}
	return len(lines), writeLines(path, lines)
}

func main() {
	e := &engine{keep: true}
	e.forget()
	commands := bufio.NewScanner(os.Stdin)
	for commands.Scan() && commands.Text() != "quit" {
		said, err := e.guarded(strings.Fields(commands.Text()))
		why := unsupported{}
		switch {
		case errors.As(err, &why):
			said = "unsupported " + why.why
		case err != nil:
			said = "error " + strings.Join(strings.Fields(err.Error()), " ")
		default:
			said = "ok" + said
		}
		fmt.Println(said)
	}
	fmt.Println("ok")
}
