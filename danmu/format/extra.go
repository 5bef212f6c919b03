package format

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

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
