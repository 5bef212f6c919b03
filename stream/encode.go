package stream

import (
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Encode writes a record as JSON of at most limit bytes, for a bus or a queue; 0
// is no limit. To stay within it, Encode drops the old image, then the new one,
// and marks the record as Truncated. If even the keys do not fit, the error is
// ErrTooLarge. A record that DynamoDB would not write is an ErrRecord.
//
// The JSON is an object. Its attributes look as they do in DynamoDB's own JSON,
// so that the rules of a bus can match them:
//
//	{"v":1,"id":"…","stream":"arn:…","seq":"…","shard":"…","table":"…","kind":"MODIFY",
//	 "at":"2026-01-02T15:04:05Z","ttl":true,"truncated":true,
//	 "keys":{"Id":{"S":"a"}},"new":{…},"old":{…}}
//
// Empty members are left out. Readers must ignore members that they do not know.
func Encode(r Record, limit int) ([]byte, error) {
	if reason := r.check(maxDepth); reason != "" {
		return nil, fmt.Errorf("%w: %s", ErrRecord, reason)
	}
	raw := appendRecord(make([]byte, 0, 512), r)
	if limit <= 0 || len(raw) <= limit {
		return raw, nil
	}
	for r.Old != nil || r.New != nil {
		if r.Old != nil {
			r.Old = nil
		} else {
			r.New = nil
		}
		r.Truncated = true
		if raw = appendRecord(raw[:0], r); len(raw) <= limit {
			return raw, nil
		}
	}
	return nil, fmt.Errorf("%w: the record has %d bytes without its images, at most %d are allowed", ErrTooLarge, len(raw), limit)
}

// format is the version of Encode's JSON. A change that old readers would misread
// raises it.
const format = "1"

func appendRecord(b []byte, r Record) []byte {
	b = append(b, `{"v":`+format...)
	for _, field := range []struct{ name, text string }{
		{"id", r.ID}, {"stream", r.Stream}, {"seq", r.Seq}, {"shard", r.Shard}, {"table", r.Table}, {"kind", string(r.Kind)},
	} {
		if field.text != "" {
			b = appendText(appendName(b, field.name), field.text)
		}
	}
	if !r.At.IsZero() {
		b = append(appendName(b, "at"), '"')
		b = append(r.At.UTC().AppendFormat(b, time.RFC3339Nano), '"')
	}
	if r.ByTTL {
		b = append(appendName(b, "ttl"), "true"...)
	}
	if r.Truncated {
		b = append(appendName(b, "truncated"), "true"...)
	}
	b = appendAttributes(appendName(b, "keys"), r.Keys)
	if r.New != nil {
		b = appendAttributes(appendName(b, "new"), r.New)
	}
	if r.Old != nil {
		b = appendAttributes(appendName(b, "old"), r.Old)
	}
	return append(b, '}')
}

func appendName(b []byte, name string) []byte {
	b = append(b, ',', '"')
	b = append(b, name...)
	return append(b, '"', ':')
}

// DecodeEvent reads what Encode wrote. Anything else is an ErrRecord.
func DecodeEvent(raw []byte) (Record, error) {
	s := &scanner{b: raw}
	record, err := s.encoded()
	if err == nil {
		err = s.end()
	}
	if err != nil {
		return Record{}, fmt.Errorf("%w: %w", ErrRecord, err)
	}
	if reason := record.checkShape(); reason != "" {
		return Record{}, fmt.Errorf("%w: %s", ErrRecord, reason)
	}
	return record, nil
}

func (s *scanner) encoded() (Record, error) {
	var record Record
	var v string
	err := s.fields(func(name string) error {
		var err error
		switch name {
		case "v":
			v, err = s.number()
		case "id":
			record.ID, err = s.text()
		case "stream":
			record.Stream, err = s.text()
		case "seq":
			record.Seq, err = s.text()
		case "shard":
			record.Shard, err = s.text()
		case "table":
			record.Table, err = s.text()
		case "kind":
			var kind string
			kind, err = s.text()
			record.Kind = Kind(kind)
		case "at":
			var text string
			if text, err = s.text(); err == nil {
				if record.At, err = time.Parse(time.RFC3339Nano, text); err != nil {
					err = s.fault("a time is malformed")
				}
				record.At = record.At.UTC()
			}
		case "ttl":
			record.ByTTL, err = s.flag()
		case "truncated":
			record.Truncated, err = s.flag()
		case "keys":
			record.Keys, err = s.attributes(0)
		case "new":
			record.New, err = s.attributes(maxDepth)
		case "old":
			record.Old, err = s.attributes(maxDepth)
		default:
			err = s.skip()
		}
		return err
	})
	if err == nil && v != format {
		err = s.fault("the format is missing or unknown")
	}
	return record, err
}

func (s *scanner) flag() (bool, error) {
	if s.word("true") {
		return true, nil
	}
	if s.word("false") {
		return false, nil
	}
	return false, s.fault("a flag is neither true nor false")
}

// appendAttributes appends an item, its names in order. The item was checked.
func appendAttributes(b []byte, item map[string]types.AttributeValue) []byte {
	b = append(b, '{')
	for i, name := range slices.Sorted(maps.Keys(item)) {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendText(b, name), ':')
		b = appendAttribute(b, item[name])
	}
	return append(b, '}')
}

func appendAttribute(b []byte, v types.AttributeValue) []byte {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		b = appendText(append(b, `{"S":`...), v.Value)
	case *types.AttributeValueMemberN:
		b = appendText(append(b, `{"N":`...), v.Value)
	case *types.AttributeValueMemberB:
		b = appendBinary(append(b, `{"B":`...), v.Value)
	case *types.AttributeValueMemberBOOL:
		b = strconv.AppendBool(append(b, `{"BOOL":`...), v.Value)
	case *types.AttributeValueMemberNULL:
		b = append(b, `{"NULL":true`...)
	case *types.AttributeValueMemberSS:
		b = appendSet(append(b, `{"SS":`...), v.Value, appendText)
	case *types.AttributeValueMemberNS:
		b = appendSet(append(b, `{"NS":`...), v.Value, appendText)
	case *types.AttributeValueMemberBS:
		b = appendSet(append(b, `{"BS":`...), v.Value, appendBinary)
	case *types.AttributeValueMemberL:
		b = appendSet(append(b, `{"L":`...), v.Value, appendAttribute)
	case *types.AttributeValueMemberM:
		b = appendAttributes(append(b, `{"M":`...), v.Value)
	}
	return append(b, '}')
}

func appendSet[E any](b []byte, set []E, appendTo func([]byte, E) []byte) []byte {
	b = append(b, '[')
	for i, e := range set {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendTo(b, e)
	}
	return append(b, ']')
}

func appendBinary(b, raw []byte) []byte {
	return append(base64.StdEncoding.AppendEncode(append(b, '"'), raw), '"')
}
