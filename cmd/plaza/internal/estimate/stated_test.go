package estimate

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/calls"
)

// stated has the part of each operation's Cost line and rows that the model relies on. If
// it changes, look at the model.
//
// plain are clauses with plain figures. Together they are the most that a call of the
// model costs. The other formulas are checked by the meter alone.
var stated = map[string]struct {
	plain    string
	formulas []string
}{
	"feed.Home.List":                      {plain: "2 requests, at most 12 RCU for a page of 20"},
	"feed/reaction.Repository.CountsMany": {formulas: []string{"1 request, 0.5 RCU for each object"}},
	"feed/reaction.Repository.Reacted":    {formulas: []string{"1 request, 0.5 RCU for each object"}},
	"feed/comment.Repository.CountsMany":  {formulas: []string{"1 request, 0.5 RCU for each object"}},
	"follow.Repository.Counts":            {plain: "1 request, 0.5 RCU"},
	"follow.Repository.Relations":         {formulas: []string{"1 request for each 50 others, 1 RCU for each other"}},
	"feed.Outbox.List":                    {formulas: []string{"a page of 20: 1 request, 3 RCU"}},
	"feed.Home.Follow":                    {formulas: []string{"with 100 activities of 1 KB copied 7 requests, 110 WCU, 27 RCU"}},
	"feed.Outbox.Publish":                 {formulas: []string{"the transaction: 1 transaction, 4 WCU", "the end of the job: 1 request, 1 WCU", "the delivery: as Repository.Deliver"}},
	"feed.Repository.Run":                 {formulas: []string{"every Options.Poll as Deliver"}},
	"feed.Repository.Deliver": {formulas: []string{
		"each follower: 1 WCU, 0.03 RCU", "each 25 followers: 1 request", "each 1,000 followers of a shard: 1 request, 1 RCU",
		"each checkpoint, after 1,000 followers: 1 request, 1 WCU", "the claim and the end of a job: 2 requests, 2 WCU",
		"the modes of its sources: 1 request", "each source not found Pushed within 30 s: 1 RCU", "nothing to do: 5 requests, 2.5 RCU",
	}},
	"feed/comment.Repository.Add":      {plain: "1 transaction, 6 WCU"},
	"feed/comment.Repository.ByObject": {plain: "1 request, 0.5 RCU for 4 KB"},
	"feed/reaction.Repository.React":   {plain: "1 transaction, 8 WCU"},
	"notify.Repository.Notify": {formulas: []string{
		"an event: 1 request, 3 WCU", "a group's first event: 1 request, 2 WCU", "of an actor whom the group names, or older than its newest event: 2 requests, 4 WCU",
		"into a full group: 2 requests, 4 WCU", "each further KB of the group, in each request: 1 WCU",
	}},
	"notify.Repository.Unseen":           {formulas: []string{"nothing new: 2 requests, 1 RCU", "each further 4 KB of new rows: 0.5 RCU"}},
	"notify.Repository.List":             {formulas: []string{"4 KB: 1 request, 0.5 RCU", "each further 4 KB: 0.5 RCU"}},
	"notify.Repository.MarkSeen":         {formulas: []string{"1 request, 2 WCU"}},
	"notify/message.Repository.Send":     {formulas: []string{"1 request, 6 WCU, and for each member 1 request, 3 WCU", "a conversation that this process does not know: 1 request, 2 RCU"}},
	"notify/message.Repository.History":  {formulas: []string{"2 requests, 3 RCU, 1 RCU for each further 4 KB of messages"}},
	"notify/message.Repository.MarkRead": {plain: "1 request, 2 WCU"},
	"notify/message.Repository.Inbox":    {formulas: []string{"2 requests, 0.5 RCU for some 20 entries, 0.5 RCU for each message"}},
	"danmu.Repository.Send":              {formulas: []string{"1 request, 2 WCU", "a segment's first, or a process's first to an object, 2 requests, 3 WCU", "after Options.Refresh: 1 request, 1 RCU"}},
	"danmu.Repository.Segment":           {formulas: []string{"as Window"}},
	"danmu.Repository.Window":            {formulas: []string{"for each segment and shard 1 request, 0.5 RCU for each 4 KB", "an object that was not read within Options.Refresh: 1 request, 1 RCU"}},
	"leaderboard.Repository.Submit":      {formulas: []string{"Best alone, a better score: 1 request, 3 WCU", "Best alone, the first score: 1 request, 2 WCU", "Best alone, no better score: 1 request, 1 WCU", "each Options.Refresh, more: 2 requests, 2 RCU"}},
	"leaderboard.Repository.Rank":        {formulas: []string{"the entry: 1 request, 1 RCU", "each shard: 2 requests, 1 RCU", "by the fold, each shard, for 511 entries of 140 bytes: 1 request, 9 RCU", "by the fold, each shard, in a tie: 2 requests, 18 RCU"}},
	"leaderboard.Folder.Run": {formulas: []string{
		"to lead, every third of FolderOptions.Lease: 1 request, 1 WCU", "to wait, every third of FolderOptions.Lease: 1 request, 1 RCU",
		"1 request, 1 WCU for each KB of a published root, and as much for changed blocks",
	}},
	"leaderboard.Repository.Top": {formulas: []string{"1 request, 1 RCU a shard for 25 rows"}},
}

func TestTheModelRestsOnStatedCosts(t *testing.T) {
	t.Parallel()
	all, err := calls.Find("../../../..")
	require.NoError(t, err)
	lines := map[string]string{}
	for _, c := range all {
		lines[c.Operation()] = c.Cost
		for _, row := range c.Rows {
			lines[c.Operation()] += " " + row.Case + ": " + row.Text
		}
	}
	for operation, s := range stated {
		for _, clause := range append(s.formulas, s.plain) {
			assert.Contains(t, lines[operation], clause, operation)
		}
	}
	in := aDay(1000)
	in.FoldEvery = 1
	for _, r := range newModel(in, zipf(in.Users, in.Follows, in.Zipf)).rows {
		s, ok := stated[r.operation]
		require.True(t, ok, "%s is not in the list", r.operation)
		if s.plain != "" {
			most := r.most.times(1 / r.calls)
			assert.InDelta(t, figure(t, s.plain, "requests?|transactions?"), most.Requests, 1e-9, "requests of %s", r.operation)
			assert.InDelta(t, figure(t, s.plain, "RCU"), most.Read, 1e-9, "RCU of %s", r.operation)
			assert.InDelta(t, figure(t, s.plain, "WCU"), most.Write, 1e-9, "WCU of %s", r.operation)
		}
	}
}

// figure returns the sum of the numbers before a unit.
func figure(t *testing.T, clause, unit string) (sum float64) {
	t.Helper()
	for _, m := range regexp.MustCompile(`([\d.,]+) (?:`+unit+`)\b`).FindAllStringSubmatch(clause, -1) {
		n, err := strconv.ParseFloat(strings.ReplaceAll(m[1], ",", ""), 64)
		require.NoError(t, err)
		sum += n
	}
	return sum
}
