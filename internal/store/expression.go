package store

import (
	"encoding"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/ids"
)

// expression has the condition of a request, and the names and values that its
// expressions use. The syntax is the driver's: ? is the value of the next argument, $
// is the attribute that the next argument names, and 'name' is an attribute whose name
// DynamoDB reserves. The driver's own parser and reflection took a third of a write's
// CPU, and it cannot name attributes of more than 150 bytes.
type expression struct {
	names     []string
	values    []value
	condition strings.Builder
	err       error
}

// and adds a condition. The condition must not be wrapped in parentheses.
func (e *expression) and(condition string, args []any) {
	const between = " AND "
	e.condition.Grow(len(between) + len("()") + len(condition) + 2*len(args))
	if e.condition.Len() > 0 {
		e.condition.WriteString(between)
	}
	e.condition.WriteByte('(')
	e.fill(&e.condition, condition, args)
	e.condition.WriteByte(')')
}

// fill appends an expression.
func (e *expression) fill(to *strings.Builder, text string, args []any) {
	to.Grow(len(text) + 2*len(args))
	for {
		at := sign(text)
		if at < 0 {
			to.WriteString(text)
			return
		}
		found := text[at]
		to.WriteString(text[:at])
		text = text[at+1:]
		switch {
		case found == '\'':
			name, rest, _ := strings.Cut(text, "'")
			e.name(to, name)
			text = rest
			continue
		case len(args) == 0:
			e.fail(fmt.Errorf("store: no argument for %c before %q", found, text))
			return
		case found == '?':
			e.value(to, args[0])
		default:
			e.name(to, args[0].(string))
		}
		args = args[1:]
	}
}

// sign is the index of the first sign that fill replaces, -1 if there is none.
// strings.IndexAny would take longer for such texts.
func sign(text string) int {
	for i := range len(text) {
		switch text[i] {
		case '?', '$', '\'':
			return i
		}
	}
	return -1
}

// name appends the placeholder of an attribute. Those of the key need none.
func (e *expression) name(to *strings.Builder, name string) {
	if name == pk || name == sk {
		to.WriteString(name)
		return
	}
	i := slices.Index(e.names, name)
	if i < 0 {
		if e.names == nil {
			e.names = make([]string, 0, 4)
		}
		i, e.names = len(e.names), append(e.names, name)
	}
	to.WriteString(placeholder('#', i))
}

// path appends the placeholders of nested attributes, joined by dots.
func (e *expression) path(to *strings.Builder, path string) {
	for {
		name, rest, nested := strings.Cut(path, ".")
		if e.name(to, name); !nested {
			return
		}
		to.WriteByte('.')
		path = rest
	}
}

// value appends the placeholder of a value.
func (e *expression) value(to *strings.Builder, v any) {
	given, err := marshal(v)
	if err == nil && given.kind == none {
		err = fmt.Errorf("store: %T is not a value", v)
	}
	e.fail(err)
	e.give(to, given)
}

// give is value for one that is marshalled.
func (e *expression) give(to *strings.Builder, v value) {
	i := slices.Index(e.values, v)
	if i < 0 {
		if e.values == nil {
			e.values = make([]value, 0, 8)
		}
		i, e.values = len(e.values), append(e.values, v)
	}
	to.WriteString(placeholder(':', i))
}

func (e *expression) fail(err error) {
	if e.err == nil {
		e.err = err
	}
}

// called returns the names by placeholder, nil if there are none.
func (e *expression) called() map[string]string {
	if len(e.names) == 0 {
		return nil
	}
	names := make(map[string]string, len(e.names))
	for i, name := range e.names {
		names[placeholder('#', i)] = name
	}
	return names
}

// given returns the values by placeholder, nil if there are none. It allocates all
// texts at once, and all numbers.
func (e *expression) given() dynamo.Item {
	if len(e.values) == 0 {
		return nil
	}
	var of [kinds]int
	for _, v := range e.values {
		of[v.kind]++
	}
	texts := make([]types.AttributeValueMemberS, of[text])
	numbers := make([]types.AttributeValueMemberN, of[number])
	values := make(dynamo.Item, len(e.values))
	for i, v := range e.values {
		switch v.kind {
		case text:
			texts[0].Value = v.text
			v.other, texts = &texts[0], texts[1:]
		case number:
			numbers[0].Value = v.text
			v.other, numbers = &numbers[0], numbers[1:]
		}
		values[placeholder(':', i)] = v.other
	}
	return values
}

func placeholder(sign byte, i int) string {
	const first = "#0#1#2#3#4#5#6#7#8#9#a#b#c#d#e#f:0:1:2:3:4:5:6:7:8:9:a:b:c:d:e:f"
	if i > 15 {
		return string(sign) + strconv.FormatInt(int64(i), 16)
	}
	if sign == ':' {
		i += 16
	}
	return first[2*i : 2*i+2]
}

// optional returns nil for an empty expression.
func optional(expression string) *string {
	if expression == "" {
		return nil
	}
	return &expression
}

// value is one of an expression. It equals those that are the same text or number.
type value struct {
	kind  kind
	text  string // of a text or a number
	other types.AttributeValue
}

type kind byte

const (
	none kind = iota
	text
	number
	other
	kinds
)

// marshal is dynamo.Marshal without reflection for common types. It keeps empty texts.
func marshal(v any) (value, error) {
	switch v := v.(type) {
	case string:
		return value{kind: text, text: v}, nil
	case int:
		return value{kind: number, text: strconv.Itoa(v)}, nil
	case int64:
		return value{kind: number, text: strconv.FormatInt(v, 10)}, nil
	case ids.ID: // without the interface, whose bytes would be allocated
		own, err := v.MarshalText()
		return value{kind: text, text: string(own)}, err
	case []byte:
		return value{kind: other, other: &types.AttributeValueMemberB{Value: v}}, nil
	case bool:
		return value{kind: other, other: &types.AttributeValueMemberBOOL{Value: v}}, nil
	case types.AttributeValue:
		return valueOf(v), nil
	case encoding.TextMarshaler:
		own, err := v.MarshalText()
		return value{kind: text, text: string(own)}, err
	}
	own, err := dynamo.Marshal(v)
	return valueOf(own), err
}

func valueOf(v types.AttributeValue) value {
	switch v := v.(type) {
	case nil:
		return value{}
	case *types.AttributeValueMemberS:
		return value{kind: text, text: v.Value}
	case *types.AttributeValueMemberN:
		return value{kind: number, text: v.Value}
	}
	return value{kind: other, other: v}
}

// set returns the set of these members.
func set(members any) (value, error) {
	switch members := members.(type) {
	case []string:
		return valueOf(&types.AttributeValueMemberSS{Value: members}), nil
	case []int:
		texts := make([]string, len(members))
		for i, n := range members {
			texts[i] = strconv.Itoa(n)
		}
		return valueOf(&types.AttributeValueMemberNS{Value: texts}), nil
	}
	return value{}, fmt.Errorf("store: %T is not a set", members)
}

// empty reports whether a value must not be stored.
func (v value) empty() bool {
	switch own := v.other.(type) {
	case nil:
		return v.text == ""
	case *types.AttributeValueMemberB:
		return len(own.Value) == 0
	case *types.AttributeValueMemberSS:
		return len(own.Value) == 0
	case *types.AttributeValueMemberNS:
		return len(own.Value) == 0
	}
	return false
}
