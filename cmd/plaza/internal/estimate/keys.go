package estimate

import (
	"fmt"
	"math"
)

// heat is the units that a partition key takes in a day.
type heat struct {
	table, key  string
	write, read float64
	relief      relief
}

// relief is the option that cools a key, or none.
type relief struct {
	option    string
	now, most int  // shards; 0 for another option
	writes    bool // but not reads
}

func (m *model) heat(table, key string, write, read float64, r relief) {
	m.keys = append(m.keys, heat{table, key, write, read, r})
}

// hottest returns, for each table, the key with the most writes, the one with the
// most reads, and whatever else is too hot.
func (m *model) hottest() []Key {
	var out []Key
	for _, k := range m.keys {
		written, read := m.hottestOf(k.table)
		if key := m.second(k); k == written || k == read || key.Advice != "" {
			out = append(out, key)
		}
	}
	return out
}

func (m *model) hottestOf(table string) (written, read heat) {
	written, read = heat{write: -1}, heat{read: -1}
	for _, k := range m.keys {
		if k.table == table && k.write > written.write {
			written = k
		}
	}
	for _, k := range m.keys {
		if k.table == table && (k.read > read.read || k.read == read.read && k == written) {
			read = k
		}
	}
	return written, read
}

// second is the key in its busiest second.
func (m *model) second(k heat) Key {
	out := Key{Table: k.table, Key: k.key, Write: k.write / day * m.in.Peak, Read: k.read / day * m.in.Peak}
	times := out.load()
	switch n := math.Ceil(float64(k.relief.now) * times); {
	case times <= 1:
	case out.Read > MaxRead && (k.relief.option == "" || k.relief.writes):
		out.Advice = "no option spreads it; cache it"
	case k.relief.option == "":
		out.Advice = "no option spreads it"
	case k.relief.now == 0:
		out.Advice = k.relief.option
	case n > float64(k.relief.most):
		out.Advice = fmt.Sprintf("%d shards are not enough", k.relief.most)
	default:
		out.Advice = fmt.Sprintf("%s ≥ %g", k.relief.option, n)
	}
	return out
}
