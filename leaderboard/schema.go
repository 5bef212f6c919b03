package leaderboard

import (
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/indexes"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

var ranking = indexes.Ranking()

// Table returns the schema of a table with that name, and of its index.
func Table(name string) *dynamodb.CreateTableInput { return ranking.Schema(name) }

// TTL returns the request that turns on expiry, of the entries of old periods and
// of what is kept about operations and removals.
func TTL(name string) *dynamodb.UpdateTimeToLiveInput { return store.TTL(name) }

func feature() store.Feature {
	return store.Feature{Name: "leaderboard", Format: 1, Schema: Table, Expires: true}
}

// definitionItem is B# / board. Every redefinition and every new period raises ver.
// ver begins with an id, so that a board that was undefined and defined again has
// other values. The item is below 1 KB, because every field is bounded.
type definitionItem struct {
	PK       string        `dynamo:"pk"`
	Name     string        `dynamo:"sk"`
	Kind     Kind          `dynamo:"kind,omitempty"`
	Order    Order         `dynamo:"order,omitempty"`
	SubOrder Order         `dynamo:"subOrder,omitempty"`
	Ties     Ties          `dynamo:"ties,omitempty"`
	Operator Operator      `dynamo:"operator"`
	Allow    []Operator    `dynamo:"allow,omitempty"`
	Min      *Score        `dynamo:"min,omitempty"`
	Max      *Score        `dynamo:"max,omitempty"`
	Floor    *Score        `dynamo:"floor,omitempty"`
	Above    *Score        `dynamo:"above,omitempty"`
	Cron     string        `dynamo:"cron,omitempty"`
	Zone     string        `dynamo:"zone,omitempty"`
	Grace    time.Duration `dynamo:"grace,omitempty"`
	Keep     time.Duration `dynamo:"keep,omitempty"`
	Shards   int           `dynamo:"shards"`
	Ranking  Ranking       `dynamo:"ranking,omitempty"`
	Fold     int64         `dynamo:"fold,omitempty"` // the ver since which Ranking is RankByFold
	Ver      int64         `dynamo:"ver"`
	Undefine time.Time     `dynamo:"undefine,omitempty"` // when Undefine began
}

func newDefinitionItem(b Board) definitionItem {
	return definitionItem{
		PK: definitionsPK, Name: b.Name,
		Kind: b.Kind, Order: b.Order, SubOrder: b.SubOrder, Ties: b.Ties,
		Operator: b.Operator, Allow: b.Allow, Min: b.Min, Max: b.Max, Floor: b.Floor, Above: b.Above,
		Cron: b.Cron, Zone: b.Zone, Grace: b.Grace, Keep: b.Keep,
		Shards: b.Shards, Ranking: b.Ranking,
	}
}

// CheckItem refuses what newDefinitionItem did not write.
func (i *definitionItem) CheckItem() error {
	switch b := i.board(); {
	case i.Ver < 1:
		return errors.New("ver is invalid")
	case i.Shards < 1:
		return errors.New("shards are invalid")
	case i.Operator == "":
		return errors.New("operator is missing")
	case i.Fold < 0 || (i.Fold > 0) != (i.Ranking == RankByFold):
		return errors.New("fold and ranking contradict each other")
	default:
		return b.checkItself()
	}
}

func (i definitionItem) board() Board {
	return Board{
		Name: i.Name,
		Kind: i.Kind, Order: i.Order, SubOrder: i.SubOrder, Ties: i.Ties,
		Operator: i.Operator, Allow: slices.Clone(i.Allow), Min: i.Min, Max: i.Max, Floor: i.Floor, Above: i.Above,
		Cron: i.Cron, Zone: i.Zone, Grace: i.Grace, Keep: i.Keep,
		Shards: i.Shards, Ranking: i.Ranking,
	}
}

// definitionsPK is no board's partition, because a board's name is not empty.
var definitionsPK = keys.Join("B", "")

func definitionKey(board string) store.Key { return store.Key{PK: definitionsPK, SK: board} }

// periodItem is B#board / T#start. Its end never changes. Its shards only grow; until
// From, new entries go to the first Before of them. The item is below 1 KB.
type periodItem struct {
	PK     string        `dynamo:"pk"`
	Start  periodStart   `dynamo:"sk"`
	End    time.Time     `dynamo:"end,omitempty"` // absent means never
	Grace  time.Duration `dynamo:"grace,omitempty"`
	Shards int           `dynamo:"shards"`
	Before int           `dynamo:"before,omitempty"`
	From   time.Time     `dynamo:"from,omitempty"`

	// Expires is the ttl of its entries. The period itself does not expire, so that
	// it never opens again.
	Expires int64 `dynamo:"expires,omitempty"`
}

func newPeriodItem(board string, p period) periodItem {
	return periodItem{PK: periodsPK(board), Start: periodStart{p.start}, End: p.end, Grace: p.grace, Shards: p.shards, Expires: p.ttl}
}

// CheckItem refuses what newPeriodItem and growPeriod did not write.
func (i *periodItem) CheckItem() error {
	p := i.period()
	switch {
	case !p.end.IsZero() && !p.end.After(p.start):
		return errors.New("end is not after the start")
	case p.grace < 0 || p.grace > century:
		return errors.New("grace is out of bounds")
	case p.shards < 1 || p.shards > MaxShards:
		return errors.New("shards are out of bounds")
	case !p.from.IsZero() && (p.before < 1 || p.before > p.shards):
		return errors.New("before is out of bounds")
	case p.ttl < 0:
		return errors.New("expires is out of bounds")
	}
	return nil
}

func (i periodItem) period() period {
	return period{start: i.Start.Time, end: i.End, grace: i.Grace, shards: i.Shards, before: i.Before, from: i.From, ttl: i.Expires}
}

// periodStart is the part of a key by which periods are sorted.
type periodStart struct{ time.Time }

func (s periodStart) MarshalText() ([]byte, error) {
	return []byte(keys.Join("T", period{start: s.Time}.name())), nil
}

func (s *periodStart) UnmarshalText(text []byte) (err error) {
	_, name, _ := strings.Cut(string(text), "#")
	if s.Time, err = time.Parse(periodLayout, name); err == nil && periodSK(s.Time) != string(text) {
		err = errPlace
	}
	return err
}

func periodKey(board string, start time.Time) store.Key {
	return store.Key{PK: periodsPK(board), SK: periodSK(start)}
}

func periodSK(start time.Time) string {
	sk, _ := periodStart{start}.MarshalText()
	return string(sk)
}

func periodsPK(board string) string { return keys.Join("B", board) }

// entryItem is P#player / LB#board#period. It has part and key while the player is on
// the board, and only key while Board.Above leaves the player out. A removed entry keeps everything else except score, which is only for
// people. An erased one keeps removed, version and ttl. The item is below 8 KB, 4 KB
// of it Meta.
type entryItem struct {
	Key     []byte `dynamo:"key"`
	Part    string `dynamo:"part"`
	Rev     int64  `dynamo:"rev"` // raised by every submission and removal
	Version uint64 `dynamo:"version"`
	Ops     []byte `dynamo:"ops"`
	LastOp  ids.ID `dynamo:"lastOp"` // the operation that set this key
	Print   uint32 `dynamo:"print"`  // Submission.print of that operation
	Prev    []byte `dynamo:"prev"`   // the key before, if there was one
	Name    string `dynamo:"name"`
	Meta    string `dynamo:"meta"`
	Removed ids.ID `dynamo:"removed"` // the last removal; older submissions do not bring the player back

	// Life is the first guarded operation since the entry began, or began again after
	// a removal. Retract takes back only what belongs to it.
	Life ids.ID `dynamo:"life"`

	// The last calls that removed, hid or unhid the player.
	Managed       store.Mark `dynamo:"managed"`
	ManagedBefore store.Mark `dynamo:"managedBefore"`
}

// onBoard reports whether the entry is among the standings, perhaps hidden.
func (e *entryItem) onBoard() bool { return e.Key != nil && e.Part != "" }

func (e *entryItem) lastManaged() store.Last {
	return store.Last{Mark: e.Managed, Before: e.ManagedBefore}
}

// UnmarshalDynamoItem refuses a damaged entry. The key is checked by its board.
func (e *entryItem) UnmarshalDynamoItem(item dynamo.Item) error {
	if err := store.UnmarshalItem(item, e); err != nil {
		return err
	}
	if _, err := parseOps(e.Ops); err != nil {
		return err
	}
	if item["rev"] != nil && e.Rev < 1 {
		return fmt.Errorf("%w: rev is below 1", errDamaged)
	}
	return checkShown(e.Name, e.Meta)
}

// checkShown refuses a stored name or meta that no submission can have.
func checkShown(name, meta string) error {
	switch {
	case checkName(name) != nil:
		return fmt.Errorf("%w: name is invalid", errDamaged)
	case checkMeta([]byte(meta)) != nil:
		return fmt.Errorf("%w: meta is invalid", errDamaged)
	}
	return nil
}

func entryKey(player, board string, p period) store.Key {
	return store.Key{PK: playerPK(player), SK: entrySK(board, p)}
}

func entrySK(board string, p period) string { return keys.Join(entries, board, p.name()) }

// The first parts of the keys of entries.
const (
	players = "P"
	entries = "LB"
)

func playerPK(player string) string { return keys.Join(players, player) }

// partOf returns the index partition for a player's new entry. The entry stays there
// even if there are more shards later.
func partOf(player, board string, p period, now time.Time) string {
	h := fnv.New32a()
	h.Write([]byte(player))
	return shardPart(board, p, int(h.Sum32()%uint32(p.spread(now))))
}

func shardPart(board string, p period, shard int) string {
	return keys.Join(board, p.name(), strconv.Itoa(shard))
}

// hidden takes the place of the shard for hidden players.
const hidden = "hidden"

func hiddenPart(board string, p period) string { return keys.Join(board, p.name(), hidden) }

// readableEntry decodes an entry without its damaged attributes.
func readableEntry(item dynamo.Item) entryItem {
	read := maps.Clone(item)
	for _, name := range unreadable(item) {
		delete(read, name)
	}
	var e entryItem
	_ = e.UnmarshalDynamoItem(read)
	return e
}

// unreadable returns the names of the attributes that cannot be decoded.
func unreadable(item dynamo.Item) []string {
	type text struct {
		Score string `dynamo:"score"`
		Sub   int64  `dynamo:"sub"`
		TTL   int64  `dynamo:"ttl"`
	}
	var names []string
	for name, value := range item {
		alone := dynamo.Item{name: value}
		if new(entryItem).UnmarshalDynamoItem(alone) != nil || store.UnmarshalItem(alone, new(text)) != nil {
			names = append(names, name)
		}
	}
	return names
}
