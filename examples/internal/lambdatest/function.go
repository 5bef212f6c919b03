// Package lambdatest runs functions of Lambda in tests, without Docker: it
// serves them the runtime API of Lambda, and the services that they call.
package lambdatest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"strconv"
	"sync"
	"time"
)

// Function is a process of a function, as Lambda runs one: it handles one event
// at a time.
type Function struct {
	next   chan *invocation
	ended  chan struct{} // closed when the process has
	cmd    *exec.Cmd
	server *http.Server
	served chan struct{}

	mu      sync.Mutex
	current *invocation
	count   int
}

// invocation is an event on its way to a function and back.
type invocation struct {
	id       string
	payload  []byte
	deadline time.Time
	answer   chan answer
}

type answer struct {
	body []byte
	err  error
}

// FunctionError is a function's answer that it failed.
type FunctionError struct {
	Message string `json:"errorMessage"`
	Type    string `json:"errorType"`
}

func (e *FunctionError) Error() string { return "the function failed: " + e.Type + ": " + e.Message }

// errEnded is returned when the function's process has ended.
var errEnded = errors.New("the function's process has ended")

const maxAnswer = 6 << 20 // as Lambda's

// Start runs the program of a function with these environment variables. What
// the function prints goes to log.
func Start(program string, env []string, log io.Writer) (*Function, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	f := &Function{next: make(chan *invocation), ended: make(chan struct{}), served: make(chan struct{})}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /2018-06-01/runtime/invocation/next", f.serveNext)
	mux.HandleFunc("POST /2018-06-01/runtime/invocation/{id}/response", f.serveResponse)
	mux.HandleFunc("POST /2018-06-01/runtime/invocation/{id}/error", f.serveError)
	mux.HandleFunc("POST /2018-06-01/runtime/init/error", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusAccepted) })
	f.server = &http.Server{Handler: mux}

	f.cmd = exec.Command(program)
	f.cmd.Env = append([]string{
		"AWS_LAMBDA_RUNTIME_API=" + listener.Addr().String(),
		"AWS_LAMBDA_FUNCTION_NAME=local", "AWS_LAMBDA_FUNCTION_VERSION=$LATEST", "AWS_LAMBDA_FUNCTION_MEMORY_SIZE=128",
	}, env...)
	f.cmd.Stdout, f.cmd.Stderr = log, log
	if err := f.cmd.Start(); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	go func() {
		defer close(f.served)
		_ = f.server.Serve(listener)
	}()
	go func() {
		_ = f.cmd.Wait() // Close kills it; what else it died of is in the log
		close(f.ended)
	}()
	return f, nil
}

// Invoke gives the function an event and returns its answer. If the function
// failed, the error is a FunctionError. The function has until ctx ends.
func (f *Function) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	deadline, ok := ctx.Deadline()
	if !ok {
		deadline = time.Now().Add(15 * time.Minute) // Lambda's longest
	}
	f.mu.Lock()
	f.count++
	in := &invocation{id: "local-" + strconv.Itoa(f.count), payload: payload, deadline: deadline, answer: make(chan answer, 1)}
	f.mu.Unlock()
	select {
	case f.next <- in:
	case <-f.ended:
		return nil, errEnded
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	select {
	case a := <-in.answer:
		return a.body, a.err
	case <-f.ended:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	select {
	case a := <-in.answer: // it answered, then ended
		return a.body, a.err
	default:
		return nil, errEnded
	}
}

// Alive reports whether the process still runs.
func (f *Function) Alive() bool {
	select {
	case <-f.ended:
		return false
	default:
		return true
	}
}

// Close ends the process.
func (f *Function) Close() error {
	_ = f.cmd.Process.Kill()
	<-f.ended
	err := f.server.Close()
	<-f.served
	return err
}

func (f *Function) serveNext(w http.ResponseWriter, r *http.Request) {
	select {
	case in := <-f.next:
		f.mu.Lock()
		f.current = in
		f.mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Lambda-Runtime-Aws-Request-Id", in.id)
		w.Header().Set("Lambda-Runtime-Deadline-Ms", strconv.FormatInt(in.deadline.UnixMilli(), 10))
		w.Header().Set("Lambda-Runtime-Invoked-Function-Arn", "arn:aws:lambda:us-east-1:000000000000:function:local")
		_, _ = w.Write(in.payload)
	case <-r.Context().Done():
	}
}

func (f *Function) serveResponse(w http.ResponseWriter, r *http.Request) {
	f.finish(w, r, func(body []byte) answer { return answer{body: body} })
}

func (f *Function) serveError(w http.ResponseWriter, r *http.Request) {
	f.finish(w, r, func(body []byte) answer {
		failed := new(FunctionError)
		if err := json.Unmarshal(body, failed); err != nil {
			return answer{err: fmt.Errorf("the function's error cannot be read: %w", err)}
		}
		return answer{err: failed}
	})
}

func (f *Function) finish(w http.ResponseWriter, r *http.Request, read func([]byte) answer) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxAnswer))
	f.mu.Lock()
	in := f.current
	if in != nil && in.id == r.PathValue("id") {
		f.current = nil
	} else {
		in = nil
	}
	f.mu.Unlock()
	if in == nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if err != nil {
		in.answer <- answer{err: fmt.Errorf("the function's answer: %w", err)}
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		return
	}
	in.answer <- read(body)
	w.WriteHeader(http.StatusAccepted)
}
