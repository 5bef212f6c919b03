package lambdatest

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// Services are what functions call: a bus and a queue that keep what they get, in
// the protocols of EventBridge and SQS, and a DynamoDB. They answer at one address.
type Services struct {
	env    []string
	server *http.Server
	proxy  *httputil.ReverseProxy
	served chan struct{}
	refuse func(action string) bool

	mu       sync.Mutex
	events   []Event
	messages []string
	calls    map[Call]bool
}

// Event is one that was put on a bus.
type Event struct{ EventBusName, Source, DetailType, Detail string }

// Call is an action of IAM, and what it was called on. One on a stream has no Table.
type Call struct{ Action, Table, Index string }

// Serve serves the services until Close. The DynamoDB is that of cfg. If refuse
// is given, an action for which it returns true is answered with an error.
func Serve(ctx context.Context, cfg aws.Config, refuse func(action string) bool) (*Services, error) {
	endpoint, err := url.Parse(*cfg.BaseEndpoint)
	if err != nil {
		return nil, err
	}
	who, err := cfg.Credentials.Retrieve(ctx)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = nil
	s := &Services{
		env: []string{
			"AWS_ENDPOINT_URL=http://" + listener.Addr().String(), "AWS_REGION=" + cfg.Region,
			"AWS_ACCESS_KEY_ID=" + who.AccessKeyID, "AWS_SECRET_ACCESS_KEY=" + who.SecretAccessKey,
			"AWS_EC2_METADATA_DISABLED=true",
		},
		proxy: &httputil.ReverseProxy{
			Rewrite:        func(r *httputil.ProxyRequest) { r.SetURL(endpoint); r.Out.Host = r.In.Host },
			Transport:      transport,
			ModifyResponse: correctChecksum,
		},
		served: make(chan struct{}),
		refuse: refuse,
		calls:  map[Call]bool{},
	}
	s.server = &http.Server{Handler: s}
	s.server.RegisterOnShutdown(transport.CloseIdleConnections)
	go func() {
		defer close(s.served)
		_ = s.server.Serve(listener)
	}()
	return s, nil
}

// correctChecksum corrects what DynamoDB Local gets wrong. Clients warn of a wrong checksum
// and of a missing one.
func correctChecksum(r *http.Response) error {
	body, err := io.ReadAll(r.Body)
	if err := errors.Join(err, r.Body.Close()); err != nil {
		return err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.Header.Set("X-Amz-Crc32", strconv.FormatUint(uint64(crc32.ChecksumIEEE(body)), 10))
	return nil
}

// Env are the variables by which a function finds the services.
func (s *Services) Env() []string { return s.env }

// URL is where they are served.
func (s *Services) URL() string { return strings.TrimPrefix(s.env[0], "AWS_ENDPOINT_URL=") }

// QueueURL is that of the queue.
func (s *Services) QueueURL() string { return s.URL() + "/000000000000/dead-letters" }

// Events are those that were put so far.
func (s *Services) Events() []Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Event(nil), s.events...)
}

// Messages are the bodies of those that were sent so far.
func (s *Services) Messages() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.messages...)
}

// Calls are those that were made so far, refused ones too.
func (s *Services) Calls() map[Call]bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	calls := map[Call]bool{}
	for call := range s.calls {
		calls[call] = true
	}
	return calls
}

// Close ends the services.
func (s *Services) Close() error {
	err := s.server.Close()
	<-s.served
	s.proxy.Transport.(*http.Transport).CloseIdleConnections()
	return err
}

// ServeHTTP implements http.Handler.
func (s *Services) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 16<<20))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	action, calls, err := readCalls(r.Header.Get("X-Amz-Target"), body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	refused := s.refuse != nil && s.refuse(action)
	s.mu.Lock()
	for _, call := range calls {
		s.calls[call] = true
	}
	s.mu.Unlock()
	switch {
	case refused:
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"__type":"AccessDeniedException","message":"refused"}`)
	case action == "events:PutEvents":
		s.putEvents(w, body)
	case action == "sqs:SendMessage":
		s.sendMessage(w, body)
	default:
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		s.proxy.ServeHTTP(w, r)
	}
}

// readCalls returns the action of a request and the calls that IAM must allow.
func readCalls(target string, body []byte) (action string, calls []Call, err error) {
	service, operation, _ := strings.Cut(target, ".")
	known := map[string]string{
		"AWSEvents": "events:", "AmazonSQS": "sqs:", "DynamoDB_20120810": "dynamodb:", "DynamoDBStreams_20120810": "dynamodb:",
	}[service]
	if known == "" {
		return "", nil, fmt.Errorf("no service serves %q", target)
	}
	var in struct {
		TableName, IndexName string
		TransactItems        []map[string]struct{ TableName string }
		RequestItems         map[string]json.RawMessage // of a batch, by table
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return "", nil, err
	}
	action = known + operation
	for _, item := range in.TransactItems { // a transaction needs what its parts need
		for part, on := range item {
			calls = append(calls, Call{Action: known + part + "Item", Table: on.TableName})
		}
	}
	for table := range in.RequestItems {
		calls = append(calls, Call{Action: action, Table: table})
	}
	if calls == nil {
		calls = []Call{{action, in.TableName, in.IndexName}}
	}
	return action, calls, nil
}

func (s *Services) putEvents(w http.ResponseWriter, body []byte) {
	var in struct{ Entries []Event }
	if err := json.Unmarshal(body, &in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	type entry struct {
		EventID string `json:"EventId"`
	}
	out := struct {
		FailedEntryCount int
		Entries          []entry
	}{}
	s.mu.Lock()
	for _, e := range in.Entries {
		s.events = append(s.events, e)
		out.Entries = append(out.Entries, entry{fmt.Sprintf("event-%d", len(s.events))})
	}
	s.mu.Unlock()
	reply(w, out)
}

func (s *Services) sendMessage(w http.ResponseWriter, body []byte) {
	var in struct{ MessageBody string }
	if err := json.Unmarshal(body, &in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	s.messages = append(s.messages, in.MessageBody)
	id := fmt.Sprintf("message-%d", len(s.messages))
	s.mu.Unlock()
	sum := md5.Sum([]byte(in.MessageBody)) // which clients compare
	reply(w, map[string]string{"MessageId": id, "MD5OfMessageBody": hex.EncodeToString(sum[:])})
}

func reply(w http.ResponseWriter, answer any) {
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	_ = json.NewEncoder(w).Encode(answer)
}
