package meter

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// itemSize follows AWS's published rules: names and values in UTF-8, about a
// byte for two digits of a number and one more, and three bytes for a list or
// map and one for each of its elements.
func itemSize(item attributes) (int, error) {
	sum := 0
	for name, value := range item {
		n, err := valueSize(value)
		if err != nil {
			return 0, fmt.Errorf("attribute %q: %w", name, err)
		}
		sum += len(name) + n
	}
	return sum, nil
}

// value is one attribute value; one field is set.
type value struct {
	S, N, B    *string
	SS, NS, BS []string
	BOOL, NULL *bool
	L          []json.RawMessage
	M          attributes
}

func valueSize(raw json.RawMessage) (int, error) {
	var v value
	if err := json.Unmarshal(raw, &v); err != nil {
		return 0, err
	}
	switch {
	case v.S != nil:
		return len(*v.S), nil
	case v.N != nil:
		return numberSize(*v.N), nil
	case v.B != nil:
		return binarySize(*v.B), nil
	case v.BOOL != nil, v.NULL != nil:
		return 1, nil
	case v.SS != nil:
		return sum(v.SS, func(s string) int { return len(s) }), nil
	case v.NS != nil:
		return sum(v.NS, numberSize), nil
	case v.BS != nil:
		return sum(v.BS, binarySize), nil
	}
	size := 3 + len(v.L) + len(v.M)
	for _, element := range v.L {
		n, err := valueSize(element)
		if err != nil {
			return 0, err
		}
		size += n
	}
	n, err := itemSize(v.M)
	return size + n, err
}

func sum(values []string, size func(string) int) int {
	n := 0
	for _, v := range values {
		n += size(v)
	}
	return n
}

// numberSize is a byte, another for a sign, and one for each two digits, paired
// from the decimal point, without zero pairs at the ends.
func numberSize(n string) int {
	digits, negative := strings.CutPrefix(n, "-")
	mantissa, exponent := digits, 0
	if i := strings.IndexAny(digits, "eE"); i >= 0 {
		mantissa = digits[:i]
		exponent, _ = strconv.Atoi(digits[i+1:])
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	exponent -= len(fraction)
	digits = strings.TrimLeft(whole+fraction, "0")
	trimmed := strings.TrimRight(digits, "0")
	exponent += len(digits) - len(trimmed)
	size := 1 + (len(trimmed)+exponent&1+1)/2
	if negative {
		size++
	}
	return size
}

func binarySize(b string) int {
	return base64.StdEncoding.DecodedLen(len(b)) - strings.Count(b, "=")
}
