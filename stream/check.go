package stream

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// DynamoDB's limits of attributes.
const (
	maxDepth    = 32 // nested lists and maps
	maxDigits   = 38
	maxExponent = 125
	minExponent = -130
)

// checkItem returns why DynamoDB cannot hold these attributes, "" if it can.
func checkItem(item map[string]types.AttributeValue, depth int) string {
	for name, v := range item {
		if !utf8.ValidString(name) {
			return notUTF8
		}
		if reason := checkAttribute(v, depth); reason != "" {
			return reason
		}
	}
	return ""
}

// The reasons that reading and checking share.
const (
	notUTF8  = "a string is not UTF-8"
	noNumber = "a number is malformed or out of range"
	noNull   = "a NULL is not true"
	emptySet = "a set is empty"
	repeated = "a member is in a set twice"
	twice    = "a name occurs twice"
	tooDeep  = "lists and maps are nested too deep"
	noType   = "an attribute's type is missing or unknown"
)

func checkAttribute(v types.AttributeValue, depth int) string {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		if v == nil || !utf8.ValidString(v.Value) {
			return notUTF8
		}
	case *types.AttributeValueMemberN:
		if v == nil || !isNumber(v.Value) {
			return noNumber
		}
	case *types.AttributeValueMemberB:
		if v == nil {
			return noType
		}
	case *types.AttributeValueMemberBOOL:
		if v == nil {
			return noType
		}
	case *types.AttributeValueMemberNULL:
		if v == nil || !v.Value {
			return noNull
		}
	case *types.AttributeValueMemberSS:
		if v == nil || len(v.Value) == 0 {
			return emptySet
		}
		for _, text := range v.Value {
			if !utf8.ValidString(text) {
				return notUTF8
			}
		}
		if repeats(v.Value) {
			return repeated
		}
	case *types.AttributeValueMemberNS:
		if v == nil || len(v.Value) == 0 {
			return emptySet
		}
		for _, n := range v.Value {
			if !isNumber(n) {
				return noNumber
			}
		}
		if repeatsNumber(v.Value) {
			return repeated
		}
	case *types.AttributeValueMemberBS:
		if v == nil || len(v.Value) == 0 {
			return emptySet
		}
		if repeats(v.Value) {
			return repeated
		}
	case *types.AttributeValueMemberL:
		if v == nil || depth == 0 {
			return tooDeep
		}
		for _, element := range v.Value {
			if reason := checkAttribute(element, depth-1); reason != "" {
				return reason
			}
		}
	case *types.AttributeValueMemberM:
		if v == nil || depth == 0 {
			return tooDeep
		}
		return checkItem(v.Value, depth-1)
	default:
		return noType
	}
	return ""
}

// number is the text of a number in parts.
type number struct {
	whole, fraction string
	exponent        int
}

// splitNumber splits a number in JSON's form.
func splitNumber(text string) (n number, ok bool) {
	text = strings.TrimPrefix(text, "-")
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		e := text[i+1:]
		if len(e) > 1 && (e[0] == '+' || e[0] == '-') {
			if !areDigits(e[1:]) {
				return n, false
			}
		} else if !areDigits(e) {
			return n, false
		}
		var err error
		if n.exponent, err = strconv.Atoi(e); err != nil {
			n.exponent = 1 << 30 // out of any range
			if e[0] == '-' {
				n.exponent = -n.exponent
			}
		}
		n.exponent = max(-1<<30, min(n.exponent, 1<<30))
		text = text[:i]
	}
	var dot bool
	n.whole, n.fraction, dot = strings.Cut(text, ".")
	ok = areDigits(n.whole) && (len(n.whole) == 1 || n.whole[0] != '0') && (!dot || areDigits(n.fraction))
	return n, ok
}

func areDigits(text string) bool {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return text != ""
}

// significant returns the digits of a number without zeros at either end, and the
// exponent of the first. Zero has no digits.
func significant(text string) (digits string, size int, ok bool) {
	n, ok := splitNumber(text)
	digits = strings.TrimLeft(n.whole+n.fraction, "0")
	if digits == "" {
		return "", 0, ok
	}
	size = n.exponent + len(digits) - len(n.fraction) - 1
	return strings.TrimRight(digits, "0"), size, ok
}

// isNumber reports whether DynamoDB can store the number: up to 38 digits, and
// zero or 1E-130 to 9.9…E+125 in size.
func isNumber(text string) bool {
	digits, size, ok := significant(text)
	return ok && len(digits) <= maxDigits && size >= minExponent && size <= maxExponent
}

// repeats reports whether two members of a set are equal.
func repeats[E string | []byte](set []E) bool {
	seen := make(map[string]struct{}, len(set))
	for _, member := range set {
		seen[string(member)] = struct{}{}
	}
	return len(seen) < len(set)
}

// repeatsNumber reports whether two texts are the same number.
func repeatsNumber(set []string) bool {
	plain := make([]string, len(set))
	for i, text := range set {
		digits, size, _ := significant(text)
		if text[0] == '-' && digits != "" {
			digits = "-" + digits
		}
		plain[i] = digits + "e" + strconv.Itoa(size)
	}
	return repeats(plain)
}
