package stream

import (
	"encoding/base64"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// attributes reads an item. depth is how deep lists and maps may be nested.
func (s *scanner) attributes(depth int) (map[string]types.AttributeValue, error) {
	item := map[string]types.AttributeValue{}
	err := s.object(func(name string) error {
		if _, ok := item[name]; ok {
			return s.fault(twice)
		}
		v, err := s.attribute(depth)
		item[name] = v
		return err
	})
	return item, err
}

// attribute reads one value: an object of one tag.
func (s *scanner) attribute(depth int) (types.AttributeValue, error) {
	if !s.take('{') {
		return nil, s.fault("an attribute is no object")
	}
	if s.next() == '}' {
		return nil, s.fault(noType)
	}
	tag, err := s.text()
	if err != nil {
		return nil, err
	}
	if !s.take(':') {
		return nil, s.fault("a colon is missing")
	}
	v, err := s.tagged(tag, depth)
	if err != nil {
		return nil, err
	}
	if !s.take('}') {
		return nil, s.fault("an attribute has two types")
	}
	return v, nil
}

func (s *scanner) tagged(tag string, depth int) (types.AttributeValue, error) {
	switch tag {
	case "S":
		text, err := s.text()
		return &types.AttributeValueMemberS{Value: text}, err
	case "N":
		n, err := s.decimal()
		return &types.AttributeValueMemberN{Value: n}, err
	case "B":
		b, err := s.binary()
		return &types.AttributeValueMemberB{Value: b}, err
	case "BOOL":
		switch {
		case s.word("true"):
			return &types.AttributeValueMemberBOOL{Value: true}, nil
		case s.word("false"):
			return &types.AttributeValueMemberBOOL{}, nil
		}
		return nil, s.fault("a BOOL is neither true nor false")
	case "NULL":
		if !s.word("true") {
			return nil, s.fault(noNull)
		}
		return &types.AttributeValueMemberNULL{Value: true}, nil
	case "SS":
		set, err := setOf(s, s.text, repeats)
		return &types.AttributeValueMemberSS{Value: set}, err
	case "NS":
		set, err := setOf(s, s.decimal, repeatsNumber)
		return &types.AttributeValueMemberNS{Value: set}, err
	case "BS":
		set, err := setOf(s, s.binary, repeats)
		return &types.AttributeValueMemberBS{Value: set}, err
	case "L":
		if depth == 0 {
			return nil, s.fault(tooDeep)
		}
		list := []types.AttributeValue{}
		err := s.array(func() error {
			v, err := s.attribute(depth - 1)
			list = append(list, v)
			return err
		})
		return &types.AttributeValueMemberL{Value: list}, err
	case "M":
		if depth == 0 {
			return nil, s.fault(tooDeep)
		}
		m, err := s.attributes(depth - 1)
		return &types.AttributeValueMemberM{Value: m}, err
	}
	return nil, s.fault(noType)
}

func setOf[E any](s *scanner, element func() (E, error), repeats func([]E) bool) ([]E, error) {
	var set []E
	err := s.array(func() error {
		e, err := element()
		set = append(set, e)
		return err
	})
	switch {
	case err != nil:
	case len(set) == 0:
		err = s.fault(emptySet)
	case repeats(set):
		err = s.fault(repeated)
	}
	return set, err
}

// decimal reads the text of a number that DynamoDB can store.
func (s *scanner) decimal() (string, error) {
	text, err := s.text()
	if err == nil && !isNumber(text) {
		err = s.fault(noNumber)
	}
	return text, err
}

func (s *scanner) binary() ([]byte, error) {
	text, err := s.text()
	if err != nil {
		return nil, err
	}
	b, err := base64.StdEncoding.Strict().DecodeString(text)
	if err != nil || strings.ContainsAny(text, "\r\n") { // which the decoder ignores
		return nil, s.fault("a binary is not base64")
	}
	return b, nil
}
