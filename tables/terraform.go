package tables

import (
	"fmt"
	"io"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// Terraform writes what CloudFormation does, as HCL for version 5 or later of the
// provider hashicorp/aws.
func Terraform(w io.Writer, ts []Table, opts *Options) error {
	p, err := planOf(ts, opts)
	if err != nil {
		return err
	}
	var h hcl
	for _, t := range ts {
		p.tfTable(&h, t)
	}
	for _, made := range p.policies {
		p.tfPolicy(&h, made)
	}
	for _, t := range ts {
		h.output(t.Feature+"_name", tfTable(t)+".name")
		h.output(t.Feature+"_arn", tfTable(t)+".arn")
		if t.hasStream() {
			h.output(t.Feature+"_stream_arn", tfTable(t)+".stream_arn")
		}
	}
	for _, made := range p.policies {
		h.output(made.tfName()+"_policy_arn", "aws_iam_policy."+made.tfName()+".arn")
	}
	_, err = io.WriteString(w, strings.TrimPrefix(h.text.String(), "\n"))
	return err
}

func tfTable(t Table) string { return "aws_dynamodb_table." + t.Feature }

func (p policy) tfName() string { return p.feature + "_" + string(p.role) }

func (p plan) tfTable(h *hcl, t Table) {
	h.block(`resource "aws_dynamodb_table" `+quote(t.Feature), func() {
		settings := [][2]string{{"name", quote(t.Name())}, {"billing_mode", quote(string(t.Create.BillingMode))}}
		for i, k := range t.Create.KeySchema {
			settings = append(settings, [2]string{[]string{"hash_key", "range_key"}[i], quote(*k.AttributeName)})
		}
		h.set(append(settings, [2]string{"deletion_protection_enabled", fmt.Sprint(!p.Disposable)})...)
		if t.hasStream() {
			h.line("")
			h.set([2]string{"stream_enabled", "true"}, [2]string{"stream_view_type", quote(string(t.Create.StreamSpecification.StreamViewType))})
		}
		for _, a := range t.Create.AttributeDefinitions {
			h.block("attribute", func() {
				h.set([2]string{"name", quote(*a.AttributeName)}, [2]string{"type", quote(string(a.AttributeType))})
			})
		}
		for _, i := range indexesOf(t.Create) {
			h.index(i)
		}
		if t.TTL != nil {
			s := t.TTL.TimeToLiveSpecification
			h.block("ttl", func() {
				h.set([2]string{"attribute_name", quote(*s.AttributeName)}, [2]string{"enabled", fmt.Sprint(aws.ToBool(s.Enabled))})
			})
		}
		if p.PointInTimeRecovery {
			h.block("point_in_time_recovery", func() { h.set([2]string{"enabled", "true"}) })
		}
		if !p.Disposable {
			h.block("lifecycle", func() { h.set([2]string{"prevent_destroy", "true"}) })
		}
	})
}

func (h *hcl) index(i index) {
	kind := "global_secondary_index"
	if i.local {
		kind = "local_secondary_index"
	}
	h.block(kind, func() {
		settings := [][2]string{{"name", quote(i.name)}}
		for n, k := range i.keys {
			if n == 0 && i.local { // a local index has the table's partition key
				continue
			}
			settings = append(settings, [2]string{[]string{"hash_key", "range_key"}[n], quote(*k.AttributeName)})
		}
		settings = append(settings, [2]string{"projection_type", quote(string(i.projection.ProjectionType))})
		if carried := i.projection.NonKeyAttributes; len(carried) > 0 {
			settings = append(settings, [2]string{"non_key_attributes", list(carried)})
		}
		h.set(settings...)
	})
}

func (p plan) tfPolicy(h *hcl, made policy) {
	name := made.tfName()
	h.block(`data "aws_iam_policy_document" `+quote(name), func() {
		for _, allowed := range merge(made.grants) {
			h.block("statement", func() {
				h.set([2]string{"actions", list(allowed.actions)}, [2]string{"resources", "[" + p.tfARN(allowed.on) + "]"})
			})
		}
	})
	h.block(`resource "aws_iam_policy" `+quote(name), func() {
		h.set(
			[2]string{"name_prefix", quote("plaza-" + made.feature + "-" + string(made.role) + "-")},
			[2]string{"description", quote(made.description())},
			[2]string{"policy", "data.aws_iam_policy_document." + name + ".json"},
		)
	})
}

func (p plan) tfARN(on resource) string {
	table := tfTable(p.of(on.table))
	switch {
	case on.stream:
		return table + ".stream_arn"
	case on.index != "":
		return `"${` + table + `.arn}/index/` + on.index + `"`
	}
	return table + ".arn"
}

// hcl is text in the form that terraform fmt gives it.
type hcl struct {
	text  strings.Builder
	depth int
	begun bool // the current block has something in it
}

func (h *hcl) line(s string) {
	if s != "" {
		h.text.WriteString(strings.Repeat("  ", h.depth) + s)
	}
	h.text.WriteByte('\n')
	h.begun = true
}

// block writes a block, after an empty line unless it begins another one.
func (h *hcl) block(header string, body func()) {
	if h.depth == 0 || h.begun {
		h.line("")
	}
	h.line(header + " {")
	h.depth, h.begun = h.depth+1, false
	body()
	h.depth--
	h.line("}")
}

// set writes arguments with aligned values.
func (h *hcl) set(arguments ...[2]string) {
	width := 0
	for _, a := range arguments {
		width = max(width, len(a[0]))
	}
	for _, a := range arguments {
		h.line(fmt.Sprintf("%-*s = %s", width, a[0], a[1]))
	}
}

func (h *hcl) output(name, value string) {
	h.block("output "+quote(name), func() { h.set([2]string{"value", value}) })
}

// quote writes a string. The strings that check accepts need no escapes.
func quote(s string) string { return `"` + s + `"` }

func list(all []string) string {
	quoted := make([]string, len(all))
	for i, s := range all {
		quoted[i] = quote(s)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
