package message_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/notify/message"
)

type call int

const (
	sending call = iota
	recalling
	reading
	seeingReceipts
	seeingHistory
)

// question is a call in a group, and answer its result. Edits are changetest's.
type (
	question struct {
		call call
		user string
		text string // of a message, which is its key too
		seq  int64
	}
	answer struct {
		open    bool // no answer: it may have been applied, or may be later
		changed bool
		seq     int64
		history string
	}
)

// said is the state of a group: its messages, the keys they were sent under, and the
// number up to which zoe has read. A recalled message is "~".
type said struct {
	messages, keys string
	read           int64
}

func (s said) all() []string { return strings.Fields(s.messages) }

func (s said) text(seq int64) string {
	all := s.all()
	if seq > int64(len(all)) {
		return ""
	}
	return all[seq-1]
}

func (s said) with(seq int64, text string) said {
	all := s.all()
	all[seq-1] = text
	s.messages = strings.Join(all, " ")
	return s
}

// group is the sequential model of a group. A call without an answer that was never
// applied is placed at the end.
var group = porcupine.Model{
	Init: func() any { return said{} },
	Step: func(before, input, output any) (bool, any) {
		return before.(said).after(input.(question), output.(answer))
	},
	DescribeOperation: func(input, output any) string { return fmt.Sprintf("%+v → %+v", input, output) },
}

func (s said) after(q question, a answer) (ok bool, next any) {
	switch q.call {
	case sending:
		keys := strings.Fields(s.keys)
		if at := slices.Index(keys, q.text); at >= 0 {
			return a.open || !a.changed && a.seq == int64(at+1), s
		}
		next := s
		next.messages = strings.TrimSpace(s.messages + " " + q.text)
		next.keys = strings.TrimSpace(s.keys + " " + q.text)
		return a.open || a.changed && a.seq == int64(len(keys)+1), next
	case recalling:
		if s.text(q.seq) == "~" {
			return a.open || !a.changed, s
		}
		return a.open || a.changed, s.with(q.seq, "~")
	case reading:
		s.read = max(s.read, q.seq)
		return true, s
	case seeingReceipts:
		return a.open || a.seq == s.read, s
	}
	return a.open || a.history == s.messages, s
}

// speaker is a client of a process, who knows which messages there are.
type speaker struct {
	world
	user   string
	random *rand.Rand
	shared *sync.Map // the numbers by key
}

func (s speaker) ask(ctx context.Context, q question) (a answer, err error) {
	in := message.In{Conversation: "g", User: q.user}
	switch q.call {
	case sending:
		var m message.Message
		m, a.changed, err = s.Send(ctx, message.Message{Conversation: "g", Sender: q.user, Key: q.text, Text: q.text})
		if a.seq = m.Seq; a.seq > 0 {
			err = nil // it is stored, but not in each inbox
			s.shared.Store(q.user+"/"+q.text, a.seq)
		}
	case recalling:
		a.changed, err = s.Recall(ctx, in, q.seq)
	case reading:
		err = errOf(s.MarkRead(ctx, in, q.seq))
	case seeingReceipts:
		var read map[string]int64
		read, err = s.Receipts(ctx, in)
		a.seq = read["zoe"]
	case seeingHistory:
		var page cursor.Page[message.Message]
		page, err = s.History(ctx, in, cursor.PageRequest{Limit: 100})
		var texts []string
		for i := range page.Items {
			m := page.Items[len(page.Items)-1-i]
			if int64(i+1) != m.Seq {
				return a, fmt.Errorf("message %d has the number %d", i+1, m.Seq)
			}
			if !m.Recalled.IsZero() {
				m.Text = "~"
			}
			texts = append(texts, m.Text)
		}
		a.history = strings.Join(texts, " ")
	}
	if faults.Passing(err) {
		return answer{open: true}, nil
	}
	return a, err
}

// question draws a call that has an answer.
func (s speaker) question(n int) question {
	var own, all []int64
	s.shared.Range(func(key, seq any) bool {
		if strings.HasPrefix(key.(string), s.user+"/") {
			own = append(own, seq.(int64))
		}
		all = append(all, seq.(int64))
		return true
	})
	kind := call(s.random.IntN(5))
	if len(own) == 0 && kind == recalling || len(all) < 3 {
		kind = sending
	}
	switch q := (question{call: kind, user: s.user}); kind {
	case sending:
		q.text = fmt.Sprint(s.user, s.random.IntN(6), "-", n/4) // some repeat what others of the user sent
		return q
	case recalling:
		q.seq = own[s.random.IntN(len(own))]
		return q
	case reading:
		q.user, q.seq = "zoe", all[s.random.IntN(len(all))]
		return q
	default:
		return q
	}
}

// Several devices of two users send, recall and look, in two processes.
func TestAConversationIsLinearizable(t *testing.T) {
	t.Parallel()
	calls := faults.Size(16, 10) // of each client
	for seed := range faults.Seeds(20) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			base := newWorld(t, nil)
			base.create(t, "g", "ann", "ben", "zoe")
			var (
				mu      sync.Mutex
				history []porcupine.Operation
				ticks   atomic.Int64
				clients errgroup.Group
				known   sync.Map
			)
			for process := range 2 {
				in := faults.New(t, seed*2+uint64(process), faults.Rates{
					LostBefore: 0.05, LostAfter: 0.08, Throttled: 0.05, Twice: 0.05, Conflict: 0.05, Delayed: 0.1,
				})
				w := base.process(t, nil, in.Wrap)
				for client := range 3 {
					id := process*3 + client
					s := speaker{w, []string{"ann", "ben"}[client%2], rand.New(rand.NewPCG(seed, uint64(id))), &known}
					clients.Go(func() error {
						for n := range calls {
							q := s.question(n)
							op := porcupine.Operation{ClientId: id, Input: q, Call: ticks.Add(1)}
							a, err := s.ask(t.Context(), q)
							if err != nil {
								return fmt.Errorf("%+v: %w", q, err)
							}
							op.Output, op.Return = a, ticks.Add(1)
							if a.open {
								op.Return = math.MaxInt64
							}
							mu.Lock()
							history = append(history, op)
							mu.Unlock()
						}
						return nil
					})
				}
			}
			require.NoError(t, clients.Wait())
			require.Len(t, history, 6*calls)
			require.Equal(t, porcupine.Ok, porcupine.CheckOperationsTimeout(group, history, time.Minute))
		})
	}
}
