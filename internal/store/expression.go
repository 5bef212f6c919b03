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
	values    []types.AttributeValue
	constant  string // a condition that is written as it is
	condition []byte // all others
	text      string // of both
	err       error

	// names and values start in these, so that few expressions allocate more.
	firstNames  [4]string
	firstValues [12]types.AttributeValue
	room        []byte // for the clauses of an update
}

// and adds a condition. The condition must not be wrapped in parentheses.
func (e *expression) and(condition string, args []any) {
	if e.constant == "" && sign(condition) < 0 {
		e.constant = condition
		return
	}
	e.condition = e.begin(e.condition, " AND ")
	e.condition = append(e.condition, '(')
	e.condition = e.fill(e.condition, condition, args)
	e.condition = append(e.condition, ')')
}

// clauseSize is enough for most clauses.
const clauseSize = 128

// begin starts a clause, or appends what separates its next part from those before it.
func (e *expression) begin(clause []byte, separator string) []byte {
	if len(clause) > 0 {
		return append(clause, separator...)
	}
	if len(e.room) == 0 {
		return make([]byte, 0, clauseSize)
	}
	clause, e.room = e.room[:0:clauseSize], e.room[clauseSize:]
	return clause
}

// fill appends an expression.
func (e *expression) fill(to []byte, text string, args []any) []byte {
	for {
		at := sign(text)
		if at < 0 {
			return append(to, text...)
		}
		found := text[at]
		to, text = append(to, text[:at]...), text[at+1:]
		switch {
		case found == '\'':
			name, rest, _ := strings.Cut(text, "'")
			to, text = e.name(to, name), rest
			continue
		case len(args) == 0:
			e.fail(fmt.Errorf("store: no argument for %c before %q", found, text))
			return to
		case found == '?':
			to = e.value(to, args[0])
		default:
			to = e.name(to, args[0].(string))
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
func (e *expression) name(to []byte, name string) []byte {
	if name == pk || name == sk {
		return append(to, name...)
	}
	i := slices.Index(e.names, name)
	if i < 0 {
		if e.names == nil {
			e.names = e.firstNames[:0]
		}
		i, e.names = len(e.names), append(e.names, name)
	}
	return append(to, placeholder('#', i)...)
}

// path appends the placeholders of nested attributes, joined by dots.
func (e *expression) path(to []byte, path string) []byte {
	for {
		name, rest, nested := strings.Cut(path, ".")
		if to = e.name(to, name); !nested {
			return to
		}
		to, path = append(to, '.'), rest
	}
}

// value appends the placeholder of a value.
func (e *expression) value(to []byte, v any) []byte {
	i := e.known(v)
	if i < 0 {
		value, err := marshal(v)
		if err == nil && value == nil {
			err = fmt.Errorf("store: %T is not a value", v)
		}
		e.fail(err)
		if e.values == nil {
			e.values = e.firstValues[:0]
		}
		i, e.values = len(e.values), append(e.values, value)
	}
	return append(to, placeholder(':', i)...)
}

// known is the index of the same text or number among the values, -1 if there is none.
func (e *expression) known(v any) int {
	var room [20]byte // of the longest number
	switch v := v.(type) {
	case string:
		return e.knownText(v)
	case ids.ID:
		if v != 0 {
			return e.knownText(v.String())
		}
	case int:
		return e.knownNumber(strconv.AppendInt(room[:0], int64(v), 10))
	case int64:
		return e.knownNumber(strconv.AppendInt(room[:0], v, 10))
	}
	return -1
}

func (e *expression) knownText(text string) int {
	return slices.IndexFunc(e.values, func(known types.AttributeValue) bool {
		s, ok := known.(*types.AttributeValueMemberS)
		return ok && s.Value == text
	})
}

func (e *expression) knownNumber(text []byte) int {
	return slices.IndexFunc(e.values, func(known types.AttributeValue) bool {
		n, ok := known.(*types.AttributeValueMemberN)
		return ok && n.Value == string(text)
	})
}

func (e *expression) fail(err error) {
	if e.err == nil {
		e.err = err
	}
}

// called returns the names by placeholder, nil if there are none.
func (e *expression) called() map[string]string { return byPlaceholder('#', e.names) }

// given returns the values by placeholder, nil if there are none.
func (e *expression) given() dynamo.Item { return byPlaceholder(':', e.values) }

func byPlaceholder[V any](sign byte, all []V) map[string]V {
	if len(all) == 0 {
		return nil
	}
	by := make(map[string]V, len(all))
	for i, v := range all {
		by[placeholder(sign, i)] = v
	}
	return by
}

func placeholder(sign byte, i int) string {
	const first = "#0#1#2#3#4#5#6#7#8#9:0:1:2:3:4:5:6:7:8:9"
	if i > 9 {
		return string(sign) + strconv.Itoa(i)
	}
	if sign == ':' {
		i += 10
	}
	return first[2*i : 2*i+2]
}

// conditions returns all conditions, nil if there are none.
func (e *expression) conditions() *string {
	switch {
	case len(e.condition) == 0:
		e.text = e.constant
	case e.constant == "":
		e.text = string(e.condition)
	default:
		e.text = "(" + e.constant + ") AND " + string(e.condition)
	}
	if e.text == "" {
		return nil
	}
	return &e.text
}

// marshal is dynamo.Marshal without reflection for common types. It keeps empty texts.
func marshal(v any) (types.AttributeValue, error) {
	switch v := v.(type) {
	case string:
		return &types.AttributeValueMemberS{Value: v}, nil
	case []byte:
		return &types.AttributeValueMemberB{Value: v}, nil
	case int:
		return &types.AttributeValueMemberN{Value: strconv.Itoa(v)}, nil
	case int64:
		return &types.AttributeValueMemberN{Value: strconv.FormatInt(v, 10)}, nil
	case bool:
		return &types.AttributeValueMemberBOOL{Value: v}, nil
	case ids.ID: // without the interface, whose bytes would be allocated
		text, err := v.MarshalText()
		return &types.AttributeValueMemberS{Value: string(text)}, err
	case types.AttributeValue:
		return v, nil
	case encoding.TextMarshaler:
		text, err := v.MarshalText()
		return &types.AttributeValueMemberS{Value: string(text)}, err
	}
	return dynamo.Marshal(v)
}

// set returns the set of these members.
func set(members any) (types.AttributeValue, error) {
	switch members := members.(type) {
	case []string:
		return &types.AttributeValueMemberSS{Value: members}, nil
	case []int:
		texts := make([]string, len(members))
		for i, n := range members {
			texts[i] = strconv.Itoa(n)
		}
		return &types.AttributeValueMemberNS{Value: texts}, nil
	}
	return nil, fmt.Errorf("store: %T is not a set", members)
}

// empty reports whether a value must not be stored.
func empty(value types.AttributeValue) bool {
	switch v := value.(type) {
	case nil:
		return true
	case *types.AttributeValueMemberS:
		return v.Value == ""
	case *types.AttributeValueMemberB:
		return len(v.Value) == 0
	case *types.AttributeValueMemberSS:
		return len(v.Value) == 0
	case *types.AttributeValueMemberNS:
		return len(v.Value) == 0
	}
	return false
}
