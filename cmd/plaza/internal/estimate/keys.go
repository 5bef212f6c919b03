package estimate

import (
	"fmt"
	"math"
)

// heat is what a partition key takes in a day.
type heat struct {
	table, key  string
	write, read float64
	relief      relief
}

// relief is the option that spreads a key, or none.
type relief struct {
	option    string
	now, most int
}

func (m *model) heat(table, key string, write, read float64, r relief) {
	m.keys = append(m.keys, heat{table, key, write, read, r})
}

// hottest returns each table's key with the most writes, and the one with the most reads
// if that is another.
func (m *model) hottest() []Key {
	var out []Key
	for i, k := range m.keys {
		if i > 0 && k.table == m.keys[i-1].table {
			continue
		}
		written, read := m.hottestOf(k.table)
		out = append(out, m.second(written))
		if read != written {
			out = append(out, m.second(read))
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

// second is the key in the busiest second.
func (m *model) second(k heat) Key {
	out := Key{Table: k.table, Key: k.key, Write: k.write / day * m.in.Peak, Read: k.read / day * m.in.Peak}
	times := math.Max(out.Write/MaxWrite, out.Read/MaxRead)
	switch n := math.Ceil(float64(k.relief.now) * times); {
	case times <= 1:
	case k.relief.option == "":
		out.Advice = "no option spreads it"
	case k.relief.most == 0:
		out.Advice = k.relief.option
	case n > float64(k.relief.most):
		out.Advice = fmt.Sprintf("%d shards are not enough", k.relief.most)
	default:
		out.Advice = fmt.Sprintf("%s ≥ %g", k.relief.option, n)
	}
	return out
}
