package tables

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"github.com/plaza-sdk/plaza/internal/grants"
)

// Role is a kind of caller. Every role may call Verify.
type Role string

// The roles. The calls of each are in docs/aws.md.
const (
	Reader   Role = "reader"   // lists and gets
	Service  Role = "service"  // what a request's handler calls: reads and writes
	Worker   Role = "worker"   // what runs in the background: deliveries, digests, pollers
	Operator Role = "operator" // rare calls: Init, Import, Check, Repair, Erase, Redrive
)

// Roles returns every role.
func Roles() []Role { return []Role{Reader, Service, Worker, Operator} }

// Grant is what the callers of a feature need on one table, index or stream.
type Grant struct {
	Feature string // whose calls need it
	Role    Role
	Table   string   // the table's name
	Index   string   // "" for the table itself
	Stream  bool     // the table's stream
	Actions []string // e.g. "dynamodb:GetItem", in order
}

// Grants returns what each feature's callers in these roles need, by default in all. A
// feature may need another's table: feed needs follow's. What it would need on a table
// that is not in ts is left out. A poller needs each stream in ts.
func Grants(ts []Table, roles ...Role) []Grant {
	if len(roles) == 0 {
		roles = Roles()
	}
	var out []Grant
	for _, t := range ts {
		for _, role := range roles {
			for _, need := range grants.Of(t.Feature, grants.Role(role)) {
				for _, on := range ts {
					if on.is(need.Resource) {
						out = append(out, Grant{t.Feature, role, on.Name(), need.Index, need.Stream, actions(need)})
					}
				}
			}
		}
	}
	return out
}

func (t Table) is(r grants.Resource) bool {
	return t.Feature == r.Feature && !r.Stream || r.Feature == grants.EachStream && t.hasStream()
}

func actions(g grants.Grant) []string {
	out := make([]string, len(g.Actions))
	for i, a := range g.Actions {
		out[i] = "dynamodb:" + a
	}
	return out
}

// PolicyOptions say where the tables are. The zero value works.
type PolicyOptions struct {
	Partition string // Defaults to aws.
	Region    string // Defaults to *, every region.
	Account   string // Defaults to *, the account of who has the policy.
}

// Policy writes the grants as an IAM policy in JSON. IAM takes policies of up to 6,144
// characters.
func Policy(w io.Writer, gs []Grant, opts *PolicyOptions) error {
	var o PolicyOptions
	if opts != nil {
		o = *opts
	}
	prefix := "arn:" + or(o.Partition, "aws") + ":dynamodb:" + or(o.Region, "*") + ":" + or(o.Account, "*") + ":table/"
	return writeJSON(w, policyOf(gs, func(on resource) any {
		switch {
		case on.stream:
			return prefix + on.table + "/stream/*"
		case on.index != "":
			return prefix + on.table + "/index/" + on.index
		}
		return prefix + on.table
	}))
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// resource is what a statement of a policy is about.
type resource struct {
	table, index string
	stream       bool
}

func (g Grant) resource() resource { return resource{g.Table, g.Index, g.Stream} }

// statement is one of a policy. Resource is an ARN, or what computes it.
type statement struct {
	Effect   string
	Action   []string
	Resource any
}

// document is an IAM policy.
type document struct {
	Version   string
	Statement []statement
}

// permission is all that is allowed on a resource.
type permission struct {
	on      resource
	actions []string
}

// merge joins grants on the same resource.
func merge(gs []Grant) []permission {
	var out []permission
	for _, g := range gs {
		i := slices.IndexFunc(out, func(p permission) bool { return p.on == g.resource() })
		if i < 0 {
			i = len(out)
			out = append(out, permission{on: g.resource()})
		}
		out[i].actions = append(out[i].actions, g.Actions...)
	}
	for i := range out {
		slices.Sort(out[i].actions)
		out[i].actions = slices.Compact(out[i].actions)
	}
	return out
}

func policyOf(gs []Grant, arn func(resource) any) document {
	d := document{Version: "2012-10-17", Statement: []statement{}}
	for _, p := range merge(gs) {
		d.Statement = append(d.Statement, statement{"Allow", p.actions, arn(p.on)})
	}
	return d
}

// writeJSON writes v with each statement on a line: CloudFormation takes texts of up to
// 51,200 bytes.
func writeJSON(w io.Writer, v any) error {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(v); err != nil {
		return err
	}
	lines := strings.Split(text.String(), "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		if joined, last := joinedAt(lines, i); last > i && len(joined) <= 400 {
			line, i = joined, last
		}
		if line == "" {
			continue
		}
		if _, err := io.WriteString(w, line+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// joinedAt returns the object or list that begins at the end of a line, on one line, and
// its last line.
func joinedAt(lines []string, i int) (string, int) {
	if !strings.HasSuffix(lines[i], "{") && !strings.HasSuffix(lines[i], "[") {
		return "", i
	}
	margin := lines[i][:len(lines[i])-len(strings.TrimLeft(lines[i], " "))]
	if len(margin) < 2 { // the text's outline
		return "", i
	}
	joined := lines[i]
	for j := i + 1; j < len(lines); j++ {
		part := strings.TrimLeft(lines[j], " ")
		if ends := strings.HasPrefix(lines[j], margin+"}") || strings.HasPrefix(lines[j], margin+"]"); ends {
			return joined + part, j
		}
		if !strings.HasSuffix(joined, "{") && !strings.HasSuffix(joined, "[") && part[0] != '}' && part[0] != ']' {
			joined += " "
		}
		joined += part
	}
	return "", i
}
