package format

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plaza-sdk/plaza/danmu"
)

// kept is a JSON object by its members: a record, or what of one stays in
// Extra.
type kept map[string]json.RawMessage

// members reads a record that is an object.
func members(raw []byte) (kept, error) {
	var k kept
	if json.Unmarshal(raw, &k) != nil || k == nil {
		return nil, refuse("Record", "is no JSON object")
	}
	return k, nil
}

// take decodes a member that is known, and removes it; null, or nothing there,
// changes nothing.
func (k kept) take(name string, to any) error {
	raw, ok := k[name]
	if !ok {
		return nil
	}
	delete(k, name)
	if string(raw) != "null" && json.Unmarshal(raw, to) != nil {
		return refuse(name, "is of another type")
	}
	return nil
}

func (k *kept) set(name string, v any) error {
	raw, err := marshal(v)
	if *k == nil {
		*k = kept{}
	}
	(*k)[name] = raw
	return err
}

// with adds what a format knows, which wins.
func (k kept) with(known map[string]any) (kept, error) {
	for name, v := range known {
		if err := k.set(name, v); err != nil {
			return nil, err
		}
	}
	return k, nil
}

func (k kept) names() []string { return slices.Sorted(maps.Keys(k)) }

// keep gives what a format has beside as an Extra.
func keep(f Format, beside any) (json.RawMessage, error) {
	return marshal(map[Format]any{f: beside})
}

// keptOf gives what stands in Extra for the format into to.
func keptOf(c danmu.Comment, f Format, to any) error {
	if len(c.Extra) == 0 {
		return nil
	}
	var all map[Format]json.RawMessage
	if json.Unmarshal(c.Extra, &all) != nil {
		return refuse("Extra", "is no JSON object")
	}
	if raw, ok := all[f]; ok && json.Unmarshal(raw, to) != nil {
		return refuse("Extra", "is not as this format writes it")
	}
	return nil
}

// marshal is json.Marshal without what only HTML needs.
func marshal(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, refuse("Extra", "is no JSON")
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

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
