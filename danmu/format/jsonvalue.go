package format

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// bare is a JSON number, or what a string says.
func bare(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil && s != "" {
		return s
	}
	return string(raw)
}

// identity is a JSON value that is a name or a number, "" for none.
func identity(raw json.RawMessage) (string, error) {
	var s string
	if len(raw) == 0 || json.Unmarshal(raw, &s) == nil {
		return named(s), nil
	}
	var n json.Number
	if json.Unmarshal(raw, &n) != nil {
		return "", refuse("Key", "is no name and no number")
	}
	return named(n.String()), nil
}

// takeKey takes the Key, but leaves a number that would not be written as one.
func (k kept) takeKey(name string) (string, error) {
	key, err := identity(k[name])
	if _, same := number(key); same || string(k[name]) != key {
		delete(k, name)
	}
	return key, err
}

// putKey writes what takeKey takes.
func (k *kept) putKey(name, key string) error {
	if was, err := identity((*k)[name]); err == nil && was == key {
		return nil
	}
	delete(*k, name)
	if key == "" {
		return nil
	}
	if n, ok := number(key); ok {
		return k.set(name, n)
	}
	return k.set(name, key)
}

// number is a name as a JSON number, if that is the same to JavaScript, whose
// integers have 53 bits.
func number(name string) (n uint64, same bool) {
	n, err := strconv.ParseUint(name, 10, 53)
	return n, err == nil && strconv.FormatUint(n, 10) == name
}

// fieldName is a name among fields that commas part, where "0" is none.
func fieldName(s string) string {
	if s == "" || strings.Contains(s, ",") {
		return "0"
	}
	return s
}

func seconds(d time.Duration) json.RawMessage { return appendSeconds(nil, d) }
