package estimate

import (
	"fmt"
	"io"
	"math"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/plaza-sdk/plaza/meter"
)

const columns = 100 // of a line

// Print writes the estimate for people.
func (e Estimate) Print(w io.Writer, prices meter.Prices) error {
	var b strings.Builder
	e.printInput(&b)
	fmt.Fprintf(&b, "\nA month of 30 days, at $%g a million RCU and $%g a million WCU\n\n", prices.Read, prices.Write)
	const line = "%-37s %8s %8s %8s %8s %12s %12s\n"
	fmt.Fprintf(&b, line, "operation", "calls", "requests", "RCU", "WCU", "$", "at most $")
	for _, c := range e.Calls {
		u := c.Expected
		fmt.Fprintf(&b, line, c.Operation, short(c.Calls), short(u.Requests), short(u.Read), short(u.Write), dollars(c.Dollars), dollars(c.DollarsAtMost))
	}
	fmt.Fprintf(&b, line, "all", "", short(e.Total.Requests), short(e.Total.Read), short(e.Total.Write), dollars(e.Dollars), dollars(e.DollarsAtMost))

	fmt.Fprintf(&b, "\nThe hottest keys, in the busiest second; a partition takes %s WCU and %s RCU\n\n", thousands(MaxWrite), thousands(MaxRead))
	const key = "%-12s %-33s %8s %8s  %s"
	fmt.Fprintf(&b, key+"\n", "table", "key", "WCU", "RCU", "advice")
	for _, k := range e.Keys {
		text := fmt.Sprintf(key, k.Table, k.Key, short(k.Write), short(k.Read), k.Advice)
		b.WriteString(strings.TrimRight(text, " ") + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Summary writes a line for each feature, and what is too hot.
func (e Estimate) Summary(w io.Writer) error {
	var b strings.Builder
	const line = "%-12s %9s %9s %11s %11s %9s %9s  %s"
	row := func(values ...any) { b.WriteString(strings.TrimRight(fmt.Sprintf(line, values...), " ") + "\n") }
	row("a month", "RCU", "WCU", "$", "at most $", "WCU/s", "RCU/s", "of the hottest key")
	for _, f := range e.features() {
		row(f.name, short(f.units.Read), short(f.units.Write), dollars(f.dollars), dollars(f.most), short(f.hottest.Write), short(f.hottest.Read), f.hottest.Key)
	}
	row("all", short(e.Total.Read), short(e.Total.Write), dollars(e.Dollars), dollars(e.DollarsAtMost), "", "", "")
	for _, k := range e.Keys {
		if k.Advice != "" {
			fmt.Fprintf(&b, "too hot: %s of table %s: %s\n", k.Key, k.Table, k.Advice)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// feature is the calls of a package, and the key of its table that is nearest to the
// limits of a partition.
type feature struct {
	name          string
	units         Units
	dollars, most float64
	hottest       Key
}

func (e Estimate) features() []feature {
	var all []feature
	for _, c := range e.Calls {
		pkg, _, _ := strings.Cut(c.Operation, ".")
		name := path.Base(pkg)
		at := slices.IndexFunc(all, func(f feature) bool { return f.name == name })
		if at < 0 {
			at, all = len(all), append(all, feature{name: name})
		}
		f := &all[at]
		f.units, f.dollars, f.most = f.units.plus(c.Expected), f.dollars+c.Dollars, f.most+c.DollarsAtMost
	}
	for _, k := range e.Keys {
		for i := range all {
			if all[i].name == k.Table && k.load() >= all[i].hottest.load() {
				all[i].hottest = k
			}
		}
	}
	return all
}

// printInput writes every number with the name of its flag, by groups.
func (e Estimate) printInput(b *strings.Builder) {
	group, width := "", 0
	e.Input.fields(func(f reflect.StructField, v reflect.Value) {
		if g := f.Tag.Get("group"); g != group {
			group, width = g, columns
			if b.Len() > 0 {
				b.WriteString("\n")
			}
			b.WriteString(g)
		}
		text := flagName(f.Name) + " " + strings.TrimSpace(thousands(number(v)))
		if width += 2 + utf8.RuneCountInString(text); width > columns {
			b.WriteString("\n")
			width = 2 + utf8.RuneCountInString(text)
		}
		b.WriteString("  " + text)
	})
	b.WriteString("\n")
}

// flagName is the name of a field's flag: NewFollows is new-follows.
func flagName(field string) string {
	var b strings.Builder
	for i, r := range field {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// short writes a number with three digits, such as 12.3M.
func short(n float64) string {
	if n == 0 {
		return "0"
	}
	if n < 0.001 {
		return "<0.001"
	}
	unit := 0
	for n >= 999.5 && unit < len(units)-1 {
		n /= 1000
		unit++
	}
	digits := max(0, 2-int(math.Floor(math.Log10(n)+1e-12)))
	text := strconv.FormatFloat(n, 'f', min(digits, 3), 64)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text + units[unit]
}

var units = []string{"", "k", "M", "G", "T", "P", "E"}

// thousands writes a number with commas.
func thousands(n float64) string {
	text := strconv.FormatFloat(n, 'f', -1, 64)
	whole, fraction, found := strings.Cut(text, ".")
	for at := len(whole) - 3; at > 0; at -= 3 {
		whole = whole[:at] + "," + whole[at:]
	}
	if found {
		whole += "." + fraction
	}
	return whole
}

func dollars(n float64) string {
	switch {
	case n >= 1e8:
		return short(n)
	case n >= 100:
		return thousands(math.Round(n))
	}
	return strconv.FormatFloat(math.Round(100*n)/100, 'f', 2, 64)
}
