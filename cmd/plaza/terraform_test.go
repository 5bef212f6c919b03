package main

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/stretchr/testify/require"
	"github.com/zclconf/go-cty/cty"

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

// take returns an argument's value and removes it, so that what is left was not expected.
func (c configuration) take(in *hclsyntax.Body, name string) cty.Value {
	c.Helper()
	argument, ok := in.Attributes[name]
	require.True(c, ok, name)
	delete(in.Attributes, name)
	v, diagnostics := argument.Expr.Value(c.scope)
	require.False(c, diagnostics.HasErrors(), diagnostics.Error())
	return v
}

func (c configuration) text(in *hclsyntax.Body, name string) string {
	c.Helper()
	return c.take(in, name).AsString()
}

func (c configuration) texts(in *hclsyntax.Body, name string) []string {
	c.Helper()
	var all []string
	for _, v := range c.take(in, name).AsValueSlice() {
		all = append(all, v.AsString())
	}
	return all
}

// takeBlocks returns the blocks of a type and removes them.
func (c configuration) takeBlocks(in *hclsyntax.Body, kind string) []*hclsyntax.Body {
	var found []*hclsyntax.Body
	in.Blocks = slices.DeleteFunc(in.Blocks, func(b *hclsyntax.Block) bool {
		if b.Type != kind {
			return false
		}
		require.Empty(c, b.Labels)
		found = append(found, b.Body)
		return true
	})
	return found
}

func (c configuration) nothingElse(in *hclsyntax.Body) {
	c.Helper()
	require.Empty(c, in.Attributes)
	require.Empty(c, in.Blocks)
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
				b := c.blocks["resource aws_dynamodb_table "+table.Feature]
				require.NotNil(t, b, table.Feature)
				require.Equal(t, table.Name(), c.text(b, "name"))
				require.Equal(t, "PAY_PER_REQUEST", c.text(b, "billing_mode"))
				require.Equal(t, *table.Create.KeySchema[0].AttributeName, c.text(b, "hash_key"))
				require.Equal(t, *table.Create.KeySchema[1].AttributeName, c.text(b, "range_key"))
				require.Equal(t, !opts.Disposable, c.take(b, "deletion_protection_enabled").True())
				if s := table.Create.StreamSpecification; s != nil {
					require.True(t, c.take(b, "stream_enabled").True())
					require.Equal(t, string(s.StreamViewType), c.text(b, "stream_view_type"))
					require.Equal(t, "stream of "+table.Feature, c.text(c.blocks["output "+table.Feature+"_stream_arn"], "value"))
				}
				c.attributesOf(b, table)
				c.indexesOf(b, table)
				require.Len(t, c.takeBlocks(b, "point_in_time_recovery"), map[bool]int{true: 1}[opts.PointInTimeRecovery])
				require.Len(t, c.takeBlocks(b, "lifecycle"), map[bool]int{true: 1}[!opts.Disposable])
				expiry := c.takeBlocks(b, "ttl")
				require.Equal(t, table.TTL != nil, len(expiry) == 1)
				if table.TTL != nil {
					require.Equal(t, *table.TTL.TimeToLiveSpecification.AttributeName, c.text(expiry[0], "attribute_name"))
					require.True(t, c.take(expiry[0], "enabled").True())
				}
				c.nothingElse(b)
				require.Equal(t, "name of "+table.Feature, c.text(c.blocks["output "+table.Feature+"_name"], "value"))
				require.Equal(t, "ARN of "+table.Feature, c.text(c.blocks["output "+table.Feature+"_arn"], "value"))
			}
		})
	}
}

func (c configuration) attributesOf(b *hclsyntax.Body, table tables.Table) {
	found := map[string]string{}
	for _, a := range c.takeBlocks(b, "attribute") {
		found[c.text(a, "name")] = c.text(a, "type")
		c.nothingElse(a)
	}
	want := map[string]string{}
	for _, a := range table.Create.AttributeDefinitions {
		want[*a.AttributeName] = string(a.AttributeType)
	}
	require.Equal(c, want, found, table.Feature)
}

func (c configuration) indexesOf(b *hclsyntax.Body, table tables.Table) {
	locals, globals := c.takeBlocks(b, "local_secondary_index"), c.takeBlocks(b, "global_secondary_index")
	require.Len(c, locals, len(table.Create.LocalSecondaryIndexes))
	require.Len(c, globals, len(table.Create.GlobalSecondaryIndexes))
	for i, want := range table.Create.LocalSecondaryIndexes {
		require.Equal(c, *want.IndexName, c.text(locals[i], "name"))
		require.Equal(c, *want.KeySchema[1].AttributeName, c.text(locals[i], "range_key"))
		require.Equal(c, string(want.Projection.ProjectionType), c.text(locals[i], "projection_type"))
		if len(want.Projection.NonKeyAttributes) > 0 {
			require.Equal(c, want.Projection.NonKeyAttributes, c.texts(locals[i], "non_key_attributes"))
		}
		c.nothingElse(locals[i])
	}
	for i, want := range table.Create.GlobalSecondaryIndexes {
		require.Equal(c, *want.IndexName, c.text(globals[i], "name"))
		for k, argument := range []string{"hash_key", "range_key"}[:len(want.KeySchema)] {
			require.Equal(c, *want.KeySchema[k].AttributeName, c.text(globals[i], argument))
		}
		require.Equal(c, string(want.Projection.ProjectionType), c.text(globals[i], "projection_type"))
		if len(want.Projection.NonKeyAttributes) > 0 {
			require.Equal(c, want.Projection.NonKeyAttributes, c.texts(globals[i], "non_key_attributes"))
		}
		c.nothingElse(globals[i])
	}
}

func TestTerraformGrantsWhatIsListed(t *testing.T) {
	t.Parallel()
	ts := streamed()
	c := configurationOf(t, ts, nil)
	features := map[string]string{} // by the table's name
	for _, table := range ts {
		features[table.Name()] = table.Feature
	}
	for _, feature := range append(slices.Collect(maps.Values(features)), "all") {
		for _, role := range tables.Roles() {
			want := map[string][]string{}
			for _, g := range tables.Grants(ts, role) {
				if feature != "all" && g.Feature != feature {
					continue
				}
				on := "ARN of " + features[g.Table]
				switch {
				case g.Stream:
					on = "stream of " + features[g.Table]
				case g.Index != "":
					on += "/index/" + g.Index
				}
				want[on] = append(want[on], g.Actions...)
				slices.Sort(want[on])
				want[on] = slices.Compact(want[on])
			}
			name := feature + "_" + string(role)
			document := c.blocks["data aws_iam_policy_document "+name]
			require.Equal(t, len(want) > 0, document != nil, name)
			if document == nil {
				continue
			}
			got := map[string][]string{}
			for _, s := range c.takeBlocks(document, "statement") {
				on := c.texts(s, "resources")
				require.Len(t, on, 1)
				require.NotContains(t, got, on[0])
				got[on[0]] = c.texts(s, "actions")
				c.nothingElse(s)
			}
			c.nothingElse(document)
			require.Equal(t, want, got, name)
			policy := c.blocks["resource aws_iam_policy "+name]
			require.Equal(t, "document of "+name, c.text(policy, "policy"))
			require.NotEmpty(t, c.text(policy, "description"))
			require.LessOrEqual(t, len(c.text(policy, "name_prefix")), 102, "of 128, the provider appends 26")
			c.nothingElse(policy)
			require.Equal(t, "policy "+name, c.text(c.blocks["output "+name+"_policy_arn"], "value"))
		}
	}
}
