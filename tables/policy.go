package tables

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/args"
)

// PolicyOptions says where the tables are. The zero value works.
type PolicyOptions struct {
	Partition string // Defaults to aws.
	Region    string // Defaults to *, every region.
	Account   string // Defaults to *, in effect the account that has the policy.
}

// Policy writes the grants as an IAM policy in JSON. IAM takes policies of up to 6,144
// characters. A grant that would allow more, such as one for a table named *, is
// plaza.ErrInvalid.
func Policy(w io.Writer, gs []Grant, opts *PolicyOptions) error {
	o := args.Given(opts)
	if err := checkPolicy(gs, o); err != nil {
		return err
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

var (
	partitionOrRegion = regexp.MustCompile(`^(\*|[a-z0-9-]*)$`)
	account           = regexp.MustCompile(`^(\*|[0-9]{12}|)$`)
	action            = regexp.MustCompile(`^dynamodb:[A-Za-z]+$`)
)

func checkPolicy(gs []Grant, o PolicyOptions) error {
	refuse := func(field, reason string) error { return &plaza.InvalidError{Field: field, Reason: reason} }
	switch {
	case !partitionOrRegion.MatchString(o.Partition):
		return refuse("Options.Partition", "is no name of a partition")
	case !partitionOrRegion.MatchString(o.Region):
		return refuse("Options.Region", "is no name of a region")
	case !account.MatchString(o.Account):
		return refuse("Options.Account", "is neither 12 digits nor *")
	case len(gs) == 0:
		return refuse("grants", "are none, and IAM refuses a policy without statements")
	}
	for i, g := range gs {
		badAction := func(a string) bool { return !action.MatchString(a) }
		if !tableName.MatchString(g.Table) || g.Index != "" && !tableName.MatchString(g.Index) || len(g.Actions) == 0 || slices.ContainsFunc(g.Actions, badAction) {
			return refuse(fmt.Sprintf("grants[%d]", i), "must name a table, perhaps an index, and actions of dynamodb")
		}
	}
	return nil
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// resource is the resource of a statement of a policy.
type resource struct {
	table, index string
	stream       bool
}

func (g Grant) resource() resource { return resource{g.Table, g.Index, g.Stream} }

// statement is a statement of a policy. Resource is an ARN, or an expression that computes it.
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

// permission has all actions that are allowed on a resource.
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
