package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/stretchr/testify/require"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/plaza-sdk/plaza/tables"
)

// These tests are here because a parser of HCL would burden the library's module.

// configuration is the text of Terraform, as a parser of HCL reads it.
type configuration struct {
	*testing.T
	blocks map[string]*hclsyntax.Body // by type and labels, e.g. "output feed_name"
	scope  *hcl.EvalContext
}

func configurationOf(t *testing.T, ts []tables.Table, opts *tables.Options) configuration {
	t.Helper()
	var text bytes.Buffer
	require.NoError(t, tables.Terraform(&text, ts, opts))
	require.Equal(t, string(hclwrite.Format(text.Bytes())), text.String(), "terraform fmt changes it")
	file, diagnostics := hclsyntax.ParseConfig(text.Bytes(), "tables.tf", hcl.InitialPos)
	require.False(t, diagnostics.HasErrors(), diagnostics.Error())
	c := configuration{t, map[string]*hclsyntax.Body{}, nil}
	body := file.Body.(*hclsyntax.Body)
	require.Empty(t, body.Attributes)
	resources := map[string]cty.Value{}
	policies, documents := map[string]cty.Value{}, map[string]cty.Value{}
	for _, b := range body.Blocks {
		name := strings.Join(append([]string{b.Type}, b.Labels...), " ")
		require.NotContains(t, c.blocks, name)
		c.blocks[name] = b.Body
		last := b.Labels[len(b.Labels)-1]
		switch strings.Join(b.Labels[:len(b.Labels)-1], " ") {
		case "aws_dynamodb_table":
			resources[last] = cty.ObjectVal(map[string]cty.Value{
				"name": cty.StringVal("name of " + last), "arn": cty.StringVal("ARN of " + last), "stream_arn": cty.StringVal("stream of " + last),
			})
		case "aws_iam_policy_document":
			documents[last] = cty.ObjectVal(map[string]cty.Value{"json": cty.StringVal("document of " + last)})
		case "aws_iam_policy":
			policies[last] = cty.ObjectVal(map[string]cty.Value{"arn": cty.StringVal("policy " + last)})
		default:
			require.Equal(t, "output", b.Type)
		}
	}
	c.scope = &hcl.EvalContext{Variables: map[string]cty.Value{
		"aws_dynamodb_table": cty.ObjectVal(resources),
		"aws_iam_policy":     cty.ObjectVal(policies),
		"data":               cty.ObjectVal(map[string]cty.Value{"aws_iam_policy_document": cty.ObjectVal(documents)}),
	}}
	return c
}

// read returns a block as JSON has it: its arguments, and a list of the blocks of each type.
func (c configuration) read(block string) map[string]any {
	c.Helper()
	require.Contains(c, c.blocks, block)
	text, err := json.Marshal(c.plain(c.blocks[block]))
	require.NoError(c, err)
	var read map[string]any
	require.NoError(c, json.Unmarshal(text, &read))
	return read
}

func (c configuration) plain(body *hclsyntax.Body) map[string]any {
	c.Helper()
	all := map[string]any{}
	for name, argument := range body.Attributes {
		v, diagnostics := argument.Expr.Value(c.scope)
		require.False(c, diagnostics.HasErrors(), diagnostics.Error())
		all[name] = ctyjson.SimpleJSONValue{Value: v}
	}
	for _, b := range body.Blocks {
		require.Empty(c, b.Labels)
		blocks, _ := all[b.Type].([]any)
		all[b.Type] = append(blocks, c.plain(b.Body))
	}
	return all
}

// streamed are all tables, one of them with a stream.
func streamed() []tables.Table {
	ts := tables.All("app-")
	ts[2] = ts[2].WithStream()
	return ts
}

func TestTerraformDescribesTheTables(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string]*tables.Options{"protected": {PointInTimeRecovery: true}, "disposable": {Disposable: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := configurationOf(t, streamed(), opts)
			for _, table := range streamed() {
				want, err := json.Marshal(resourceOf(table, opts))
				require.NoError(t, err)
				got, err := json.Marshal(c.read("resource aws_dynamodb_table " + table.Feature))
				require.NoError(t, err)
				require.JSONEq(t, string(want), string(got), table.Feature)
				outputs := map[string]string{"_name": "name of ", "_arn": "ARN of "}
				if table.Create.StreamSpecification != nil {
					outputs["_stream_arn"] = "stream of "
				}
				for suffix, of := range outputs {
					require.Equal(t, map[string]any{"value": of + table.Feature}, c.read("output "+table.Feature+suffix))
				}
			}
		})
	}
}

// resourceOf is what Terraform must read of a table.
func resourceOf(table tables.Table, opts *tables.Options) map[string]any {
	type block map[string]any
	in := table.Create
	resource := block{
		"name": table.Name(), "billing_mode": "PAY_PER_REQUEST", "deletion_protection_enabled": !opts.Disposable,
		"hash_key": in.KeySchema[0].AttributeName, "range_key": in.KeySchema[1].AttributeName,
	}
	add := func(kind string, b block) {
		blocks, _ := resource[kind].([]block)
		resource[kind] = append(blocks, b)
	}
	for _, a := range in.AttributeDefinitions {
		add("attribute", block{"name": a.AttributeName, "type": a.AttributeType})
	}
	index := func(kind string, name *string, keys []types.KeySchemaElement, p *types.Projection) {
		b := block{"name": name, "projection_type": p.ProjectionType}
		if len(p.NonKeyAttributes) > 0 {
			b["non_key_attributes"] = p.NonKeyAttributes
		}
		for _, k := range keys {
			if kind == "global" || k.KeyType == types.KeyTypeRange { // a local index has the table's partition key
				b[strings.ToLower(string(k.KeyType))+"_key"] = k.AttributeName
			}
		}
		add(kind+"_secondary_index", b)
	}
	for _, i := range in.LocalSecondaryIndexes {
		index("local", i.IndexName, i.KeySchema, i.Projection)
	}
	for _, i := range in.GlobalSecondaryIndexes {
		index("global", i.IndexName, i.KeySchema, i.Projection)
	}
	if s := in.StreamSpecification; s != nil {
		resource["stream_enabled"], resource["stream_view_type"] = true, s.StreamViewType
	}
	if table.TTL != nil {
		add("ttl", block{"attribute_name": table.TTL.TimeToLiveSpecification.AttributeName, "enabled": true})
	}
	if opts.PointInTimeRecovery {
		add("point_in_time_recovery", block{"enabled": true})
	}
	if !opts.Disposable {
		add("lifecycle", block{"prevent_destroy": true})
	}
	return resource
}

func TestTerraformGrantsWhatIsListed(t *testing.T) {
	t.Parallel()
	ts := streamed()
	c := configurationOf(t, ts, nil)
	want := map[string]map[string]map[string]bool{} // actions by the policy's name and the resource
	for _, role := range tables.Roles() {
		for _, g := range tables.Grants(ts, role) {
			feature := strings.TrimPrefix(g.Table, "app-")
			on := "ARN of " + feature
			switch {
			case g.Stream:
				on = "stream of " + feature
			case g.Index != "":
				on += "/index/" + g.Index
			}
			for _, name := range []string{g.Feature + "_" + string(role), "all_" + string(role)} {
				if want[name] == nil {
					want[name] = map[string]map[string]bool{}
				}
				if want[name][on] == nil {
					want[name][on] = map[string]bool{}
				}
				for _, action := range g.Actions {
					want[name][on][action] = true
				}
			}
		}
	}
	policies := 0
	for name := range c.blocks {
		if strings.HasPrefix(name, "data aws_iam_policy_document ") {
			policies++
		}
	}
	require.Len(t, want, policies)
	for name, grants := range want {
		var statements []any
		for on, actions := range grants {
			var listed []any
			for _, action := range slices.Sorted(maps.Keys(actions)) {
				listed = append(listed, action)
			}
			statements = append(statements, map[string]any{"resources": []any{on}, "actions": listed})
		}
		document := c.read("data aws_iam_policy_document " + name)
		require.Len(t, document, 1)
		require.ElementsMatch(t, statements, document["statement"], name)
		policy := c.read("resource aws_iam_policy " + name)
		require.Equal(t, "document of "+name, policy["policy"])
		require.NotEmpty(t, policy["description"])
		require.LessOrEqual(t, len(policy["name_prefix"].(string)), 102, "of 128, the provider appends 26")
		require.Len(t, policy, 3)
		require.Equal(t, map[string]any{"value": "policy " + name}, c.read("output "+name+"_policy_arn"))
	}
}
