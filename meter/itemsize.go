package meter

import (
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// ItemSize returns the bytes of an item as AWS bills them: names and values in UTF-8, about
// a byte for two digits of a number and one more, and three bytes for a list or map and one
// for each of its elements.
func ItemSize(item map[string]types.AttributeValue) int {
	size := 0
	for name, value := range item {
		size += len(name) + valueSize(value)
	}
	return size
}

func valueSize(value types.AttributeValue) int {
	switch v := value.(type) {
	case *types.AttributeValueMemberS:
		return len(v.Value)
	case *types.AttributeValueMemberN:
		return numberSize(v.Value)
	case *types.AttributeValueMemberB:
		return len(v.Value)
	case *types.AttributeValueMemberBOOL, *types.AttributeValueMemberNULL:
		return 1
	case *types.AttributeValueMemberSS:
		return sum(v.Value, func(s string) int { return len(s) })
	case *types.AttributeValueMemberNS:
		return sum(v.Value, numberSize)
	case *types.AttributeValueMemberBS:
		return sum(v.Value, func(b []byte) int { return len(b) })
	case *types.AttributeValueMemberL:
		return 3 + len(v.Value) + sum(v.Value, valueSize)
	case *types.AttributeValueMemberM:
		return 3 + len(v.Value) + ItemSize(v.Value)
	}
	return 0
}

func sum[T any](values []T, size func(T) int) int {
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
