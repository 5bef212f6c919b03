package stream

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"time"
)

// Limits bound what is read. The zero value works.
type Limits struct {
	Bytes   int // of an event; defaults to 6 MiB, Lambda's limit
	Records int // of an event; defaults to 10,000, Lambda's limit
	Depth   int // of lists and maps inside each other; defaults to 32, DynamoDB's limit
}

// The most that Lambda gives to a function at once.
const (
	maxEvent   = 6 << 20
	maxRecords = 10_000
)

func (l Limits) bytes() int   { return cmp.Or(max(l.Bytes, 0), maxEvent) }
func (l Limits) records() int { return cmp.Or(max(l.Records, 0), maxRecords) }
func (l Limits) depth() int   { return cmp.Or(max(l.Depth, 0), maxDepth) }

// Decode reads a Lambda event of a DynamoDB stream. A record that cannot be read
// is an Item with an ErrRecord; one without both images has an ErrView. It does
// not keep the others from being read. If the whole event cannot be read, there
// are no sequence numbers to report, and the error is ErrEvent.
//
// Records are read strictly: an attribute of no type or of two, null, an empty
// set, a malformed number, text that is not Unicode and a name that occurs twice
// are all refused.
func Decode(raw []byte, limits Limits) ([]Item, error) {
	if len(raw) > limits.bytes() {
		return nil, fmt.Errorf("%w: it has %d bytes, at most %d are allowed", ErrEvent, len(raw), limits.bytes())
	}
	items, err := (&eventReader{scanner{b: raw}, limits.depth()}).event(limits.records())
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrEvent, err)
	}
	return items, nil
}

// eventReader reads the JSON that Lambda gives to a function.
type eventReader struct {
	scanner
	depth int
}

func (r *eventReader) event(most int) ([]Item, error) {
	var items []Item
	found := false
	err := r.fields(func(name string) error {
		if name != "Records" {
			return r.skip()
		}
		found = true
		return r.array(func() error {
			if len(items) == most {
				return r.fault("there are too many records")
			}
			item, err := r.item()
			items = append(items, item)
			return err
		})
	})
	if err == nil && !found {
		err = r.fault("there are no Records")
	}
	if err == nil {
		err = r.end()
	}
	if err != nil {
		return nil, err
	}
	return items, nil
}

// item reads a record. Its error means that the event's JSON is broken.
func (r *eventReader) item() (Item, error) {
	r.next()
	start := r.i
	record, err := r.record()
	if err == nil {
		return Item{Seq: record.Seq, Record: record}, nil
	}
	r.i = start
	if err := r.skip(); err != nil {
		return Item{}, err
	}
	raw := r.b[start:r.i:r.i]
	named := nameOf(raw)
	return Item{Seq: named.Seq, Record: named, Err: err, Raw: raw}, nil
}

// record reads a record of an event.
func (r *eventReader) record() (Record, error) {
	start := r.i
	var record Record
	var view string
	err := r.fields(func(name string) error {
		var err error
		switch name {
		case "eventID":
			record.ID, err = r.text()
		case "eventName":
			var kind string
			kind, err = r.text()
			record.Kind = Kind(kind)
		case "eventSource":
			var source string
			if source, err = r.text(); err == nil && source != "aws:dynamodb" {
				err = r.fault("the source is not DynamoDB")
			}
		case "eventSourceARN":
			if record.Stream, err = r.text(); err == nil {
				var ok bool
				if record.Table, ok = TableOf(record.Stream); !ok {
					err = r.fault("the stream's ARN is malformed")
				}
			}
		case "userIdentity":
			record.ByTTL, err = r.byTTL()
		case "dynamodb":
			view, err = r.change(&record)
		default:
			err = r.skip()
		}
		return err
	})
	switch {
	case err != nil:
		if broken, ok := err.(*fault); ok { //nolint:errorlint // the scanner's own, never wrapped
			broken.at -= start
		}
		return record, fmt.Errorf("%w: %w", ErrRecord, err)
	case record.ID == "" || record.Stream == "" || record.Seq == "":
		return record, fmt.Errorf("%w: its id, its stream or its sequence number is missing", ErrRecord)
	case view != bothImages:
		return record, fmt.Errorf("%w: stream %s", ErrView, record.Stream)
	}
	if reason := record.checkShape(); reason != "" {
		return record, fmt.Errorf("%w: %s", ErrRecord, reason)
	}
	return record, nil
}

const bothImages = "NEW_AND_OLD_IMAGES"

// change reads what was changed, and returns the stream's view.
func (r *eventReader) change(record *Record) (view string, err error) {
	err = r.fields(func(name string) error {
		var err error
		switch name {
		case "ApproximateCreationDateTime":
			record.At, err = r.seconds()
		case "SequenceNumber":
			record.Seq, err = r.text()
		case "StreamViewType":
			view, err = r.text()
		case "Keys":
			record.Keys, err = r.attributes(0)
		case "NewImage":
			if !r.word("null") {
				record.New, err = r.attributes(r.depth)
			}
		case "OldImage":
			if !r.word("null") {
				record.Old, err = r.attributes(r.depth)
			}
		default:
			err = r.skip()
		}
		return err
	})
	return view, err
}

// byTTL reads who made a change, and reports whether it was DynamoDB's expiry.
func (r *eventReader) byTTL() (bool, error) {
	if r.word("null") {
		return false, nil
	}
	var kind, principal string
	err := r.fields(func(name string) error {
		var err error
		switch name {
		case "type":
			kind, err = r.text()
		case "principalId":
			principal, err = r.text()
		default:
			err = r.skip()
		}
		return err
	})
	return isTTL(kind, principal), err
}

func isTTL(kind, principal string) bool {
	return kind == "Service" && principal == "dynamodb.amazonaws.com"
}

// seconds reads a time as DynamoDB writes it: a number of seconds since 1970,
// perhaps with a fraction or an exponent.
func (r *eventReader) seconds() (time.Time, error) {
	text, err := r.number()
	if err != nil {
		return time.Time{}, err
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || n < 0 || n > 1e11 { // the year 5138; beyond it are milliseconds
		return time.Time{}, r.fault("a time is out of range")
	}
	return time.UnixMilli(int64(math.Round(n * 1000))).UTC(), nil
}

// nameOf reads what it can of a damaged record: what a dead letter needs to find it
// again.
func nameOf(raw []byte) Record {
	var named Record
	r := &eventReader{scanner: scanner{b: raw}}
	text := func(into *string) error {
		start := r.i
		text, err := r.text()
		if err != nil {
			r.i = start
			return r.skip()
		}
		if *into == "" {
			*into = text
		}
		return nil
	}
	_ = r.object(func(name string) error {
		switch name {
		case "eventID":
			return text(&named.ID)
		case "eventSourceARN":
			return text(&named.Stream)
		case "dynamodb":
			if r.next() != '{' {
				break
			}
			return r.object(func(name string) error {
				switch name {
				case "SequenceNumber":
					return text(&named.Seq)
				case "ApproximateCreationDateTime":
					start := r.i
					at, err := r.seconds()
					if err == nil {
						named.At = at
						return nil
					}
					r.i = start
				}
				return r.skip()
			})
		}
		return r.skip()
	})
	named.Table, _ = TableOf(named.Stream)
	if !isSequence(named.Seq) {
		named.Seq = ""
	}
	return named
}
