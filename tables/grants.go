package tables

import "github.com/plaza-sdk/plaza/internal/grants"

// Role is a kind of caller. Every role may call Verify.
type Role string

// The roles. The calls of each are in docs/aws.md.
const (
	Reader   Role = "reader"   // lists and gets
	Service  Role = "service"  // calls of request handlers: reads and writes
	Worker   Role = "worker"   // background work: deliveries, digests, pollers
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
// feature may need the table of another: feed needs follow's. It leaves out what they
// need on a table that is not in ts. A poller needs each stream in ts.
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
	if r.Stream {
		return t.hasStream() && (r.Feature == grants.EachStream || r.Feature == t.Feature)
	}
	return r.Feature == t.Feature
}

func actions(g grants.Grant) []string {
	out := make([]string, len(g.Actions))
	for i, a := range g.Actions {
		out[i] = "dynamodb:" + a
	}
	return out
}
