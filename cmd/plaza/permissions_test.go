package main

import (
	"net/http"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/plaza-sdk/plaza/internal/dynamotest/wire"
	"github.com/plaza-sdk/plaza/tables"
)

// permitted refuses what docs/cli.md does not say that a command needs.
type permitted struct {
	t    testing.TB
	may  map[wire.Access]bool
	next aws.HTTPClient
}

func (w *world) permit(command string, next aws.HTTPClient) permitted {
	roles := []tables.Role{tables.Operator}
	if command == "export" {
		roles = append(roles, tables.Reader)
	}
	p := permitted{w.t, map[wire.Access]bool{}, next}
	for _, g := range tables.Grants(tables.All(w.Prefix), roles...) {
		for _, action := range g.Actions {
			p.may[wire.Access{Action: action[len("dynamodb:"):], Table: g.Table, Index: g.Index}] = true
		}
	}
	if command == "tables" {
		for _, table := range tables.All(w.Prefix) {
			for _, action := range []string{"CreateTable", "UpdateTimeToLive"} {
				p.may[wire.Access{Action: action, Table: table.Name()}] = true
			}
		}
	}
	if slices.Contains([]string{"check", "repair"}, command) {
		for _, name := range []string{w.Names.Follow, w.Names.Reaction, w.Names.Feed, w.Names.Comment, w.Names.Danmu, w.Names.Notify, w.Names.Message} {
			p.may[wire.Access{Action: "Scan", Table: name}] = true
		}
	}
	if command == "erase" || command == "repair" {
		p.may[wire.Access{Action: "UpdateItem", Table: w.Names.Feed}] = true
	}
	return p
}

func (p permitted) Do(r *http.Request) (*http.Response, error) {
	req, err := wire.Read(r)
	if err != nil {
		return nil, err
	}
	all, err := req.Accesses()
	if err != nil {
		return nil, err
	}
	for _, a := range all {
		if !p.may[a] && a.Table != "none" {
			p.t.Errorf("docs/cli.md does not allow %+v", a)
			return req.Denied(a), nil
		}
	}
	return p.next.Do(req.Again())
}
