package poller_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"

	"github.com/plaza-sdk/plaza/internal/dynamotest/wire"
)

// script is a stream over HTTP that does what DynamoDB Local's never does: shards
// with two children, parents that stay open, many pages, and failures.
type script struct {
	mu     sync.Mutex
	arn    string
	view   string
	status string
	page   int // of DescribeStream
	most   int // records of an answer
	shards []*scriptShard
	next   int  // sequence numbers are those of the whole stream
	empty  int  // so many answers have no records yet
	late   bool // there are empty answers before the last record, so every shard that splits is closed
	odd    int  // the record that cannot be decoded: DynamoDB writes no such kind
	epoch  int  // iterators of earlier ones have expired
	calls  []scriptCall

	// fail returns the error's code for a request, "" for none; "reset" for a connection
	// that is closed, and "empty" for an answer that has nothing.
	fail func(op, shard string) string
}

type scriptShard struct {
	id, parent string
	seqs       []int
	at         []int64 // when they were written
	trimmed    int     // the first that are gone
	closed     bool    // its end can be read
	unlisted   bool
	gone       bool
}

type scriptCall struct {
	op, shard string
	at        time.Time
}

func newScript() *script {
	return &script{
		arn:  "arn:aws:dynamodb:us-east-1:123456789012:table/source/stream/2026-01-02T03:04:05.678",
		view: "NEW_AND_OLD_IMAGES", status: "ENABLED", page: 100, most: 1000, next: 1000,
		fail: func(string, string) string { return "" },
	}
}

// add opens a shard that has n records.
func (s *script) add(id, parent string, n int) *scriptShard {
	s.mu.Lock()
	sh := &scriptShard{id: id, parent: parent}
	s.shards = append(s.shards, sh)
	s.mu.Unlock()
	s.write(id, n)
	return sh
}

func (s *script) write(id string, n int) {
	s.change(func() {
		sh := s.shard(id)
		for range n {
			s.next++
			sh.seqs, sh.at = append(sh.seqs, s.next), append(sh.at, time.Now().Unix())
		}
	})
}

// split gives the open shard number i two children, and returns what is open then. The
// parent's end can be read, or it stays open, unless the script is late. N is how many
// shards there are.
func (s *script) split(open []string, i, n int, closed bool) []string {
	parent := open[i]
	s.change(func() { s.shard(parent).closed = closed || s.late })
	open = slices.Delete(open, i, i+1)
	for k := range 2 {
		child := fmt.Sprint("shard-", n+k)
		s.add(child, parent, 0)
		open = append(open, child)
	}
	return open
}

// change changes the stream under its lock.
func (s *script) change(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

func (s *script) shard(id string) *scriptShard {
	for _, sh := range s.shards {
		if sh.id == id {
			return sh
		}
	}
	return nil
}

// count is how many requests of an operation there were, and at what times.
func (s *script) count(op string) (times []time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.calls {
		if c.op == op {
			times = append(times, c.at)
		}
	}
	return times
}

// client is one of the SDK that reads the stream. Wrap comes between the two.
func (s *script) client(wrap ...func(aws.HTTPClient) aws.HTTPClient) *dynamodbstreams.Client {
	var c aws.HTTPClient = s
	for _, w := range wrap {
		c = w(c)
	}
	return dynamodbstreams.New(dynamodbstreams.Options{
		Region: "us-east-1", HTTPClient: c, BaseEndpoint: aws.String("http://stream.invalid"),
		Credentials: credentials.NewStaticCredentialsProvider("plaza", "plaza", ""),
	})
}

// Do answers a request.
func (s *script) Do(r *http.Request) (*http.Response, error) {
	req, err := wire.Read(r)
	if err != nil {
		return nil, err
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var in struct {
		Start                                            string `json:"ExclusiveStartShardId"`
		Shard                                            string `json:"ShardId"`
		ShardIteratorType, SequenceNumber, ShardIterator string
	}
	if err := json.Unmarshal(req.Body, &in); err != nil {
		return nil, err
	}
	if in.ShardIterator != "" {
		in.Shard, _, _ = strings.Cut(in.ShardIterator, "|")
	}
	s.calls = append(s.calls, scriptCall{req.Op, in.Shard, time.Now()})
	code := s.fail(req.Op, in.Shard)
	switch code {
	case "reset":
		return nil, &url.Error{Op: "Post", URL: r.URL.String(), Err: io.EOF} // as net/http reports it
	case "empty":
		return req.Answer(http.StatusOK, []byte("{}")), nil
	}
	var out any
	if code == "" {
		switch req.Op {
		case "DescribeStream":
			out = s.describe(in.Start)
		case "GetShardIterator":
			out, code = s.iterator(in.Shard, in.ShardIteratorType, in.SequenceNumber)
		case "GetRecords":
			out, code = s.records(in.ShardIterator)
		}
	}
	if code != "" {
		status := http.StatusBadRequest
		if code == "InternalServerError" {
			status = http.StatusInternalServerError
		}
		body, _ := json.Marshal(map[string]string{"__type": "com.amazonaws.dynamodb.v20120810#" + code, "message": "scripted"})
		return req.Answer(status, body), nil
	}
	body, err := json.Marshal(out)
	return req.Answer(http.StatusOK, body), err
}

type object = map[string]any

func (s *script) describe(start string) any {
	shards := []object{}
	last, begun := "", start == ""
	for _, sh := range s.shards {
		if !begun {
			begun = sh.id == start
			continue
		}
		if sh.unlisted || sh.gone {
			continue
		}
		if len(shards) == s.page {
			last = shards[len(shards)-1]["ShardId"].(string)
			break
		}
		span := object{"StartingSequenceNumber": "1"}
		if sh.closed {
			span["EndingSequenceNumber"] = strconv.Itoa(s.next)
		}
		o := object{"ShardId": sh.id, "SequenceNumberRange": span}
		if sh.parent != "" {
			o["ParentShardId"] = sh.parent
		}
		shards = append(shards, o)
	}
	d := object{"StreamArn": s.arn, "StreamStatus": s.status, "StreamViewType": s.view, "Shards": shards}
	if last != "" {
		d["LastEvaluatedShardId"] = last
	}
	return object{"StreamDescription": d}
}

func (s *script) iterator(id, kind, seq string) (any, string) {
	sh := s.shard(id)
	if sh == nil || sh.gone {
		return nil, "ResourceNotFoundException"
	}
	at := sh.trimmed
	switch kind {
	case "LATEST":
		at = len(sh.seqs)
	case "AFTER_SEQUENCE_NUMBER":
		n, _ := strconv.Atoi(seq)
		for at = 0; at < len(sh.seqs) && sh.seqs[at] <= n; at++ {
		}
		if at <= sh.trimmed && sh.trimmed > 0 {
			return nil, "TrimmedDataAccessException"
		}
	}
	return object{"ShardIterator": s.position(sh, at)}, ""
}

func (s *script) position(sh *scriptShard, at int) string {
	return fmt.Sprintf("%s|%d|%d", sh.id, at, s.epoch)
}

func (s *script) records(iterator string) (any, string) {
	parts := strings.Split(iterator, "|")
	at, _ := strconv.Atoi(parts[1])
	epoch, _ := strconv.Atoi(parts[2])
	sh := s.shard(parts[0])
	switch {
	case sh.gone:
		return nil, "ResourceNotFoundException"
	case epoch < s.epoch:
		return nil, "ExpiredIteratorException"
	case at < sh.trimmed:
		return nil, "TrimmedDataAccessException"
	}
	if s.empty > 0 {
		s.empty--
		return object{"Records": []object{}, "NextShardIterator": iterator}, ""
	}
	end := min(at+s.most, len(sh.seqs))
	records := []object{}
	for i := at; i < end; i++ {
		records = append(records, s.record(sh, i))
	}
	out := object{"Records": records}
	if !sh.closed || end < len(sh.seqs) {
		out["NextShardIterator"] = s.position(sh, end)
	}
	return out, ""
}

// record is the insert of the one item that a shard has: its records stay in
// order even if some of them fail.
func (s *script) record(sh *scriptShard, i int) object {
	pk, seq := object{"S": sh.id}, sh.seqs[i]
	change := object{
		"ApproximateCreationDateTime": sh.at[i],
		"Keys":                        object{"pk": pk},
		"NewImage":                    object{"pk": pk},
		"SequenceNumber":              strconv.Itoa(seq),
		"SizeBytes":                   10,
		"StreamViewType":              "NEW_AND_OLD_IMAGES",
	}
	name := "INSERT"
	if seq == s.odd {
		name = "ODD"
	}
	return object{"eventID": "id" + strconv.Itoa(seq), "eventName": name, "eventVersion": "1.1", "eventSource": "aws:dynamodb", "awsRegion": "us-east-1", "dynamodb": change}
}
