package main

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/plaza-sdk/plaza/tables"
)

type tablesCommand struct {
	connecting
	Create              bool     `help:"Create the tables that do not exist, and mark them as verify --init does. If one exists and differs, nothing is created. By default nothing is sent to AWS."`
	Format              string   `enum:"cloudformation,terraform,policy,json" default:"cloudformation" help:"cloudformation and terraform: tables and policies. policy: one IAM policy. json: the requests of CreateTable and UpdateTimeToLive. Defaults to ${default}."`
	Role                []string `enum:"reader,service,worker,operator," placeholder:"ROLE" help:"The roles that the policies are for: reader, service, worker, operator. Defaults to all."`
	Stream              []string `placeholder:"FEATURE" help:"A feature whose table gets a stream of new and old images: follow, feed … May be repeated."`
	PointInTimeRecovery bool     `help:"Keep what the tables held in the last 35 days."`
	Disposable          bool     `help:"Delete the tables with their stack, or let anybody delete them. By default they are protected."`
}

// Run needs no AWS, except to create.
func (c *tablesCommand) Run(ctx context.Context, p *program) error {
	names, err := c.names()
	if err != nil {
		return err
	}
	all := tables.Of(names)
	for _, feature := range c.Stream {
		i := slices.IndexFunc(all, func(t tables.Table) bool { return t.Feature == feature })
		if i < 0 {
			return usagef("--stream: %q is not one of the tables", feature)
		}
		all[i] = all[i].WithStream()
	}
	switch {
	case c.Create && c.PointInTimeRecovery:
		return usagef("--point-in-time-recovery is for templates")
	case c.Create:
		return c.create(ctx, p, all)
	}
	roles := make([]tables.Role, len(c.Role))
	for i, role := range c.Role {
		roles[i] = tables.Role(role)
	}
	opts := &tables.Options{PointInTimeRecovery: c.PointInTimeRecovery, Disposable: c.Disposable, Roles: roles}
	switch c.Format {
	case "cloudformation":
		return tables.CloudFormation(p.stdout, all, opts)
	case "terraform":
		return tables.Terraform(p.stdout, all, opts)
	case "policy":
		return tables.Policy(p.stdout, tables.Grants(all, roles...), nil)
	}
	requests := make([]tableRequests, len(all))
	for i, t := range all {
		requests[i].Feature = t.Feature
		if requests[i].Create, err = compact(t.Create); err != nil {
			return err
		}
		if t.TTL == nil {
			continue
		}
		if requests[i].TTL, err = compact(t.TTL); err != nil {
			return err
		}
	}
	out := json.NewEncoder(p.stdout)
	out.SetIndent("", "  ")
	return out.Encode(requests)
}

// tableRequests are what --cli-input-json of the AWS CLI takes.
type tableRequests struct {
	Feature string `json:"feature"`
	Create  any    `json:"createTable"`
	TTL     any    `json:"updateTimeToLive,omitempty"`
}

// compact is a request as JSON without the fields that it leaves empty.
func compact(request any) (any, error) {
	text, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	var tree any
	if err := json.Unmarshal(text, &tree); err != nil {
		return nil, err
	}
	return withoutEmpty(tree), nil
}

func withoutEmpty(tree any) any {
	switch t := tree.(type) {
	case map[string]any:
		maps.DeleteFunc(t, func(name string, value any) bool {
			t[name] = withoutEmpty(value)
			return value == nil || value == ""
		})
	case []any:
		for i := range t {
			t[i] = withoutEmpty(t[i])
		}
	}
	return tree
}
