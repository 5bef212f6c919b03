package estimate

import "math"

// model is a day of the service.
type model struct {
	in    Input
	g     graph
	edges float64
	top   float64 // the share of all followers that the most followed has
	rows  []row
	keys  []heat

	homeRows float64 // of a page of a home, on average
}

// row is the cost of an operation's calls in a day.
type row struct {
	operation      string
	calls          float64
	expected, most Units
}

func newModel(in Input, g graph) *model {
	m := &model{in: in, g: g, edges: g.edges()}
	if m.edges > 0 {
		m.top = g[0].followers / m.edges
	}
	m.readHomes()
	m.readProfiles()
	m.follow()
	m.publish()
	m.comment()
	m.react()
	m.notify()
	m.talk()
	m.watch()
	m.compete()
	return m
}

// call adds calls that each cost that much.
func (m *model) call(operation string, calls float64, each, most Units) {
	m.together(operation, calls, each.times(calls), most.times(calls))
}

// together adds calls that cost that much together.
func (m *model) together(operation string, calls float64, expected, most Units) {
	if calls > 0 {
		m.rows = append(m.rows, row{operation, calls, expected, most})
	}
}

// total is how many calls all users make in a day.
func (m *model) total(perUser float64) float64 { return perUser * float64(m.in.Users) }

// perUser adds f of every user's followers.
func (m *model) perUser(f func(followers float64) Units) Units {
	var sum Units
	for _, b := range m.g {
		sum = sum.plus(f(b.followers).times(b.users))
	}
	return sum
}

const (
	pageSize  = 20
	readRows  = pageSize + 1 // a list reads one more, to know whether it ends
	retention = 90.0         // days that homes and bells go back, by default
)

// blocks are the units of an item or a list of n rows. Nothing is one unit too.
func blocks(n, bytes, unit float64) float64 { return math.Max(1, math.Ceil(n*bytes/unit)) }

// read is the RCU of an eventually consistent read of n rows.
func read(n, bytes float64) float64 { return blocks(n, bytes, 4096) / 2 }

// write is the WCU of an item.
func write(bytes float64) float64 { return blocks(1, bytes, 1024) }

// whole averages f over users for each of whom the number is whole, so that the mean is
// right: some have the whole number below it, the others the one above.
func whole(f func(n float64) Units, mean float64) Units {
	n := math.Floor(mean)
	part := mean - n
	if part == 0 {
		return f(n)
	}
	return f(n).times(1 - part).plus(f(n + 1).times(part))
}

// byChance is f of the rows of a page, of a list with mean rows that came independently.
func byChance(f func(rows float64) Units, mean float64) Units {
	if mean > 10*pageSize {
		return f(pageSize)
	}
	var sum Units
	rest, p := 1.0, math.Exp(-mean)
	for n := range pageSize {
		sum = sum.plus(f(float64(n)).times(p))
		rest -= p
		p *= mean / float64(n+1)
	}
	return sum.plus(f(pageSize).times(rest))
}

// renewals is how often a day the processes read again what each keeps for a number of
// seconds, where that many calls need it.
func (m *model) renewals(calls, keeps float64) float64 {
	return calls / (1 + calls/float64(m.in.Processes)*keeps/day)
}

// firsts is in how many processes at least one of the calls runs.
func (m *model) firsts(calls float64) float64 {
	p := float64(m.in.Processes)
	return math.Min(calls, p*(1-math.Pow(1-1/p, calls)))
}
