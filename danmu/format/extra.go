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
	"github.com/plaza-sdk/plaza/internal/jsontext"
)

// kept holds the members of a JSON object: of a record, or of the part that Extra keeps.
type kept map[string]json.RawMessage

// members reads an object.
func members(raw []byte) (kept, error) {
	var k kept
	if jsontext.Unmarshal(raw, &k) != nil || k == nil {
		return nil, refuse("Record", "is not a JSON object")
	}
	return k, nil
}

// take decodes a known member and removes it. If it is null or missing, to stays
// as it is.
func (k kept) take(name string, to any) error {
	raw, ok := k[name]
	if !ok {
		return nil
	}
	delete(k, name)
	if string(raw) != "null" && jsontext.Unmarshal(raw, to) != nil {
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

// with adds the members that a format knows. They replace members of the same name.
func (k kept) with(known map[string]any) (kept, error) {
	for name, v := range known {
		if err := k.set(name, v); err != nil {
			return nil, err
		}
	}
	return k, nil
}

func (k kept) names() []string { return slices.Sorted(maps.Keys(k)) }

// keep makes an Extra of a format's own fields.
func keep(f Format, beside any) (json.RawMessage, error) {
	return marshal(map[Format]any{f: beside})
}

// keptOf decodes the format's part of Extra.
func keptOf(c danmu.Comment, f Format, to any) error {
	if len(c.Extra) == 0 {
		return nil
	}
	var all map[Format]json.RawMessage
	if jsontext.Unmarshal(c.Extra, &all) != nil {
		return refuse("Extra", "is not a JSON object")
	}
	if raw, ok := all[f]; ok && jsontext.Unmarshal(raw, to) != nil {
		return refuse("Extra", "is not as this format writes it")
	}
	return nil
}

// marshal is json.Marshal without escaping for HTML.
func marshal(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, refuse("Extra", "is not JSON")
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// bare returns the text of a JSON number or string.
func bare(raw json.RawMessage) string {
	var s string
	if jsontext.Unmarshal(raw, &s) == nil && s != "" {
		return s
	}
	return string(raw)
}

// identity reads a name or a number. "" means none.
func identity(raw json.RawMessage) (string, error) {
	var s string
	if len(raw) == 0 || jsontext.Unmarshal(raw, &s) == nil {
		return named(s), nil
	}
	var n json.Number
	if jsontext.Unmarshal(raw, &n) != nil {
		return "", refuse("Key", "is neither a name nor a number")
	}
	return named(n.String()), nil
}

// takeKey takes the Key. It keeps a number that putKey would write as a string.
func (k kept) takeKey(name string) (string, error) {
	key, err := identity(k[name])
	if _, same := number(key); same || string(k[name]) != key {
		delete(k, name)
	}
	return key, err
}

// putKey is the inverse of takeKey.
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

// number converts a name to a JSON number if it is below 2^53, so that JavaScript reads
// it exactly.
func number(name string) (n uint64, same bool) {
	n, err := strconv.ParseUint(name, 10, 53)
	return n, err == nil && strconv.FormatUint(n, 10) == name
}

// fieldName returns a name for comma-separated fields, where "0" means none.
func fieldName(s string) string {
	if s == "" || strings.Contains(s, ",") {
		return "0"
	}
	return s
}

func seconds(d time.Duration) json.RawMessage { return appendSeconds(nil, d) }
