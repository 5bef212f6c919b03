// Package grants lists what the callers of each feature need: the calls that a role
// makes, and the actions on tables that these calls need. It imports no feature, so that
// each feature's tests can enforce it.
package grants

import (
	"maps"
	"slices"
	"strings"
)

// Role is a kind of caller.
type Role string

// The roles. Service includes Reader.
const (
	Reader   Role = "reader"
	Service  Role = "service"
	Worker   Role = "worker"
	Operator Role = "operator"
)

// Roles returns all roles.
func Roles() []Role { return []Role{Reader, Service, Worker, Operator} }

// Resource is a table, one of its indexes, or its stream.
type Resource struct {
	Feature string // whose table it is
	Index   string
	Stream  bool
}

// Grant is what one role needs on one resource.
type Grant struct {
	Resource
	Actions []string // "GetItem", in order
}

// EachStream stands for the feature of every table with a stream.
const EachStream = "*"

// feature is a feature with a table of its own.
type feature struct {
	name   string
	schema string // the function that describes its table
	static bool   // its items do not expire
	roles  map[Role]duty
}

// duty is what a role does besides Verify, which every role calls. Service also does
// what Reader does.
type duty struct {
	calls []string // "notify.Repository: List Archived"
	needs []Grant
}

func on(feature, actions string) Grant {
	return Grant{Resource{Feature: feature}, strings.Fields(actions)}
}

func onIndex(feature, index string) Grant {
	return Grant{Resource{Feature: feature, Index: index}, []string{"Query"}}
}

// onStream is to read a table's stream.
func onStream(feature string) Grant {
	return Grant{Resource{Feature: feature, Stream: true}, []string{"DescribeStream", "GetRecords", "GetShardIterator"}}
}

// Features returns the names of all features.
func Features() []string {
	var names []string
	for _, f := range features() {
		names = append(names, f.name)
	}
	return names
}

// FeatureOf returns the feature whose table a function describes, such as "feed.Table".
func FeatureOf(schema string) (string, bool) {
	for _, f := range features() {
		if f.schema == schema {
			return f.name, true
		}
	}
	return "", false
}

// Of returns what a feature's callers in a role need, in order: nothing if that role
// never calls the feature.
func Of(name string, role Role) []Grant {
	for _, f := range features() {
		if f.name == name {
			return f.of(role)
		}
	}
	return nil
}

func (f feature) of(role Role) []Grant {
	duties := []Role{role}
	if role == Service {
		duties = append(duties, Reader)
	}
	actions := map[Resource]map[string]bool{}
	add := func(g Grant) {
		if actions[g.Resource] == nil {
			actions[g.Resource] = map[string]bool{}
		}
		for _, a := range g.Actions {
			actions[g.Resource][a] = true
		}
	}
	for _, r := range duties {
		for _, g := range f.roles[r].needs {
			add(g)
		}
	}
	if len(actions) == 0 {
		return nil
	}
	add(on(f.name, "DescribeTable GetItem"))
	if !f.static {
		add(on(f.name, "DescribeTimeToLive"))
	}
	var out []Grant
	for at, set := range actions {
		out = append(out, Grant{at, slices.Sorted(maps.Keys(set))})
	}
	slices.SortFunc(out, func(a, b Grant) int {
		// The feature's own table is first, and a stream after its table.
		if own := a.Feature == f.name; own != (b.Feature == f.name) {
			if own {
				return -1
			}
			return 1
		}
		if a.Stream != b.Stream && a.Feature == b.Feature {
			if a.Stream {
				return 1
			}
			return -1
		}
		return strings.Compare(a.Feature+"/"+a.Index, b.Feature+"/"+b.Index)
	})
	return out
}

// Call is a call of a feature.
type Call struct {
	Feature string
	Role    Role // the narrowest that may make it
}

// Calls returns every call that uses a feature's table, by the name of its operation.
func Calls() map[string]Call {
	out := map[string]Call{}
	for _, f := range features() {
		for role, d := range f.roles {
			for _, line := range d.calls {
				of, names, _ := strings.Cut(line, ":")
				for name := range strings.FieldsSeq(names) {
					out[of+"."+name] = Call{f.name, role}
				}
			}
		}
	}
	return out
}
