package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/examples/ledger"
	"github.com/plaza-sdk/plaza/examples/pipeline/hackathon"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/stream"
	"github.com/plaza-sdk/plaza/stream/letters"
)

type item = map[string]types.AttributeValue

// checks compare the writes with their results.
type checks struct {
	*pipeline

	out io.Writer
}

var hackathons = []string{starWar, warCraft, pacMan}

// boards prints the boards.
func (c *checks) boards(ctx context.Context) error {
	for _, name := range hackathons[:2] {
		places, err := hackathon.Top(ctx, c.pipeline.boards, name, 10)
		if err != nil {
			return err
		}
		var line strings.Builder
		for _, p := range places {
			fmt.Fprintf(&line, "  %d. %s %s", p.Rank, p.UserName, p.Score)
		}
		fmt.Fprintf(c.out, "  %-12s %s\n", name, line.String())
	}
	return nil
}

// poisoned prints the dead letters and checks that they are the three.
func (c *checks) poisoned(ctx context.Context) error {
	var found []string
	for letter, err := range cursor.All(ctx, c.letters.List) {
		if err != nil {
			return err
		}
		record, err := stream.DecodeEvent(letter.Record)
		if err != nil {
			return err
		}
		id := text(record.Keys["Id"])
		found = append(found, id)
		fmt.Fprintf(c.out, "  project %s: %s; attempts: %d\n", id, letter.Reason, letter.Attempts)
	}
	slices.Sort(found)
	if want := []string{early.ID, late.ID, unknown.ID}; !slices.Equal(found, want) {
		return fmt.Errorf("the dead letters are of %v, not of %v", found, want)
	}
	return nil
}

// summary prints what holds. Its error says that something does not.
func (c *checks) summary(ctx context.Context) error {
	fmt.Fprintln(c.out)
	failed := false
	for _, check := range []struct {
		what string
		do   func(context.Context) (string, error)
	}{
		{"boards", c.standings},
		{"archive", c.replay},
		{"dead letters", c.none},
	} {
		found, err := check.do(ctx)
		mark := "ok  "
		if err != nil {
			mark, found, failed = "FAIL", err.Error(), true
		}
		fmt.Fprintf(c.out, "  %s %-14s %s\n", mark, check.what, found)
	}
	if failed {
		return errors.New("something was lost")
	}
	fmt.Fprintln(c.out, "Nothing was lost. The tables are deleted. Next: the code in examples/pipeline, then go doc ./stream.")
	return nil
}

// standings compares each board with what was written.
func (c *checks) standings(ctx context.Context) (string, error) {
	rows := 0
	for _, name := range hackathons {
		var got []hackathon.Project
		list := func(ctx context.Context, req cursor.PageRequest) (cursor.Page[leaderboard.Standing], error) {
			return c.pipeline.boards.Top(ctx, leaderboard.In{Board: name}, req)
		}
		last := leaderboard.Standing{}
		for row, err := range cursor.All(ctx, list) {
			if err != nil {
				return "", err
			}
			if len(got) > 0 && row.Score.Compare(last.Score) > 0 {
				return "", fmt.Errorf("%s: project %s stands below a lower score", name, row.Player)
			}
			got, last = append(got, project(row.Player, name, row.Score.Int64(), row.Name)), row
		}
		want := c.source.board(name)
		byID := func(a, b hackathon.Project) int { return cmp.Compare(a.ID, b.ID) }
		slices.SortFunc(got, byID)
		slices.SortFunc(want, byID)
		if !slices.Equal(got, want) {
			return "", fmt.Errorf("%s shows %d projects that are not the %d of the table", name, len(got), len(want))
		}
		rows += len(got)
	}
	return fmt.Sprintf("%s projects, each with its last score", ledger.Thousands(rows)), nil
}

// replay makes the table again from the archive.
func (c *checks) replay(ctx context.Context) (string, error) {
	changes := map[string]stream.Record{}
	for _, line := range c.file.lines {
		record, err := stream.DecodeEvent(line)
		if err != nil {
			return "", err
		}
		changes[record.ID] = record
	}
	if len(changes) != c.stages.written {
		return "", fmt.Errorf("%d changes, not %d", len(changes), c.stages.written)
	}
	again, at := map[string]item{}, map[string]uint64{}
	for _, r := range changes {
		image := r.New
		if image == nil {
			image = r.Old
		}
		v, err := version(image)
		if err != nil {
			return "", err
		}
		// A removal has the version of what it removed.
		if id := text(r.Keys["Id"]); v > at[id] || v == at[id] && r.New == nil {
			again[id], at[id] = r.New, v
		}
	}
	maps.DeleteFunc(again, func(_ string, i item) bool { return i == nil })
	var items []item
	if err := c.source.table.Scan().Consistent(true).All(ctx, &items); err != nil {
		return "", fmt.Errorf("reading the main table: %w", err)
	}
	table := map[string]item{}
	for _, i := range items {
		table[text(i["Id"])] = i
	}
	if !reflect.DeepEqual(again, table) {
		return "", errors.New("replayed, it is not the table")
	}
	return fmt.Sprintf("%s changes, which make the table again", ledger.Thousands(len(changes))), nil
}

// none looks for dead letters that are left.
func (c *checks) none(ctx context.Context) (string, error) {
	for _, dead := range []*letters.Repository{c.letters, c.unsent, c.unstored} {
		page, err := dead.List(ctx, cursor.PageRequest{})
		if err != nil {
			return "", err
		}
		if len(page.Items) > 0 {
			return "", fmt.Errorf("%d or more are left: %s", len(page.Items), page.Items[0].Reason)
		}
	}
	return fmt.Sprintf("%d, all driven again", len(c.stages.dead.ids)), nil
}

func text(v types.AttributeValue) string {
	if s, ok := v.(*types.AttributeValueMemberS); ok {
		return s.Value
	}
	return ""
}

func version(i item) (uint64, error) {
	n, ok := i["version"].(*types.AttributeValueMemberN)
	if !ok {
		return 0, errors.New("an item without a version")
	}
	return strconv.ParseUint(n.Value, 10, 64)
}
