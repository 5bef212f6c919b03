package message

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

//go:generate rm -f entry_gen.go
//go:generate go test -run TestTheCodeOfItemsIsGenerated/entry -write

// entry is a user's state in a conversation. The user may read the messages after From
// and, after leaving, up to Till.
type entry struct {
	PK string `dynamo:"pk"`
	SK string `dynamo:"sk"`

	Last     ids.ID  `dynamo:"last,omitempty"` // its place in the inbox: the ID of the last message
	LastSeq  int64   `dynamo:"lastSeq"`
	Read     int64   `dynamo:"read"`               // read up to here
	Own      numbers `dynamo:"own,omitempty"`      // own messages, some of them above Read
	Recalled numbers `dynamo:"recalled,omitempty"` // recalled messages of others that were unread
	From     int64   `dynamo:"from,omitempty"`     // the number of messages when the user joined, or cleared the history
	Till     *int64  `dynamo:"till,omitempty"`     // the number of messages when the user left
	Muted    bool    `dynamo:"muted,omitempty"`
	Unread   int64   `dynamo:"unread,omitempty"` // marked unread from here on
	Marked   ids.ID  `dynamo:"marked,omitempty"` // the last call that marked the entry unread or read

	Mute       store.Mark `dynamo:"mute,omitempty"` // of the last Mute or Unmute
	MuteBefore store.Mark `dynamo:"muteBefore,omitempty"`

	in In // of its key
}

// CheckItem refuses entries of no possible user, and negative numbers.
func (e *entry) CheckItem() error {
	var err error
	if e.in, err = parseEntryKey(store.Key{PK: e.PK, SK: e.SK}); err != nil {
		return err
	}
	if e.LastSeq < 0 || e.Read < 0 || e.Unread < 0 || e.From < 0 || e.Till != nil && *e.Till < 0 {
		return errors.New("it has a negative number")
	}
	return nil
}

// readUpTo is the number up to which the user has read. Cleared messages count as read.
func (e *entry) readUpTo() int64 { return max(e.Read, e.From) }

// unread is how many messages of others the user has not read. Recalled ones do not count.
func (e *entry) unread() int64 {
	above := e.readUpTo()
	return max(0, e.LastSeq-above-e.Own.within(above, e.LastSeq)-e.Recalled.within(above, e.LastSeq))
}

// unreadFrom is the number from which on the user has marked the conversation unread, 0 if none.
func (e *entry) unreadFrom() int64 {
	if e.Unread <= e.From { // it was cleared since
		return 0
	}
	return e.Unread
}

func (e *entry) lastMute() store.Last { return store.Last{Mark: e.Mute, Before: e.MuteBefore} }

// readable returns the first and the last of n messages that the user may read.
func (e *entry) readable(n int64) (first, last int64) {
	if e.Till != nil {
		n = min(n, *e.Till)
	}
	return e.From + 1, n
}

// parseEntryKey returns the user and the conversation of an entry.
func parseEntryKey(key store.Key) (In, error) {
	user := keys.Split(key.PK)
	conversation, ok := strings.CutPrefix(key.SK, entryPrefix)
	if len(user) != 2 || !ok {
		return In{}, errNobody
	}
	in := In{conversation, user[1]}
	if entryKey(in) != key || in.check("User") != nil {
		return In{}, errNobody
	}
	return in, nil
}

var errNobody = errors.New("no user has its key")

// numbers are a set of numbers, in any order.
type numbers []int64

// above returns the numbers that are higher.
func (n numbers) above(low int64) numbers {
	return slices.DeleteFunc(slices.Clone(n), func(seq int64) bool { return seq <= low })
}

// within is how many of the numbers are above low, but not above high.
func (n numbers) within(low, high int64) (count int64) {
	for _, seq := range n {
		if seq > low && seq <= high {
			count++
		}
	}
	return count
}

// MarshalDynamo leaves out an empty set, which DynamoDB refuses.
func (n numbers) MarshalDynamo() (types.AttributeValue, error) {
	if len(n) == 0 {
		return nil, nil //nolint:nilnil // the driver leaves nil out
	}
	set := make([]string, len(n))
	for i, v := range n {
		set[i] = strconv.FormatInt(v, 10)
	}
	return &types.AttributeValueMemberNS{Value: set}, nil
}

// UnmarshalDynamo reads a set of numbers.
func (n *numbers) UnmarshalDynamo(value types.AttributeValue) error {
	set, ok := value.(*types.AttributeValueMemberNS)
	if !ok {
		return errors.New("it is not a set of numbers")
	}
	*n = make(numbers, len(set.Value))
	for i, text := range set.Value {
		var err error
		if (*n)[i], err = strconv.ParseInt(text, 10, 64); err != nil {
			return err
		}
	}
	return nil
}
