package leaderboard

import (
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// ranking is where entries stand in the order of their keys.
var ranking = store.Index{Name: "ranking", Partition: "part", Sort: "key", Include: []string{"name"}}

// Table is the schema of the table name, with its index.
func Table(name string) *dynamodb.CreateTableInput { return ranking.Schema(name) }

// TTL switches on the expiry of old periods.
func TTL(name string) *dynamodb.UpdateTimeToLiveInput { return store.TTL(name) }

// definitionItem is B# / board. Every redefinition and every new period raises
// ver.
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
	Cron     string        `dynamo:"cron,omitempty"`
	Zone     string        `dynamo:"zone,omitempty"`
	Grace    time.Duration `dynamo:"grace,omitempty"`
	Keep     time.Duration `dynamo:"keep,omitempty"`
	Shards   int           `dynamo:"shards"`
	Ranking  Ranking       `dynamo:"ranking,omitempty"`
	Ver      int64         `dynamo:"ver"`
}

func newDefinitionItem(b Board) definitionItem {
	return definitionItem{
		PK: definitionsPK, Name: b.Name,
		Kind: b.Kind, Order: b.Order, SubOrder: b.SubOrder, Ties: b.Ties,
		Operator: b.Operator, Allow: b.Allow, Min: b.Min, Max: b.Max, Floor: b.Floor,
		Cron: b.Cron, Zone: b.Zone, Grace: b.Grace, Keep: b.Keep,
		Shards: b.Shards, Ranking: b.Ranking, Ver: 1,
	}
}

func (i definitionItem) board() Board {
	return Board{
		Name: i.Name,
		Kind: i.Kind, Order: i.Order, SubOrder: i.SubOrder, Ties: i.Ties,
		Operator: i.Operator, Allow: slices.Clone(i.Allow), Min: i.Min, Max: i.Max, Floor: i.Floor,
		Cron: i.Cron, Zone: i.Zone, Grace: i.Grace, Keep: i.Keep,
		Shards: i.Shards, Ranking: i.Ranking,
	}
}

// definitionsPK is the partition of no board: they have names.
var definitionsPK = keys.Join("B", "")

func definitionKey(board string) store.Key { return store.Key{PK: definitionsPK, SK: board} }

// periodItem is B#board / T#start. Its end never changes; its shards grow, and
// until From new entries go to the first Before of them.
type periodItem struct {
	PK     string        `dynamo:"pk"`
	Start  periodStart   `dynamo:"sk"`
	End    time.Time     `dynamo:"end,omitempty"` // absent: never
	Grace  time.Duration `dynamo:"grace,omitempty"`
	Shards int           `dynamo:"shards"`
	Before int           `dynamo:"before,omitempty"`
	From   time.Time     `dynamo:"from,omitempty"`

	// Expires is the ttl of its entries. It itself stays, so that what is
	// closed does not open again.
	Expires int64 `dynamo:"expires,omitempty"`
}

func newPeriodItem(board string, p period) periodItem {
	return periodItem{PK: periodsPK(board), Start: periodStart{p.start}, End: p.end, Grace: p.grace, Shards: p.shards, Expires: p.ttl}
}

func (i periodItem) period() period {
	return period{start: i.Start.Time, end: i.End, grace: i.Grace, shards: i.Shards, before: i.Before, from: i.From, ttl: i.Expires}
}

// periodStart sorts periods: the text of their names.
type periodStart struct{ time.Time }

func (s periodStart) MarshalText() ([]byte, error) {
	return []byte(keys.Join("T", period{start: s.Time}.name())), nil
}

func (s *periodStart) UnmarshalText(text []byte) (err error) {
	_, name, _ := strings.Cut(string(text), "#")
	s.Time, err = time.Parse(periodLayout, name)
	return err
}

func periodKey(board string, start time.Time) store.Key {
	sk, _ := periodStart{start}.MarshalText()
	return store.Key{PK: periodsPK(board), SK: string(sk)}
}

func periodsPK(board string) string { return keys.Join("B", board) }

// entryItem is P#player / LB#board#period. It has part and key while it stands
// on the board: a removed one keeps what else it has but its score, which only
// people read.
type entryItem struct {
	Key     []byte `dynamo:"key"`
	Part    string `dynamo:"part"`
	Rev     int64  `dynamo:"rev"` // every write raises it
	Version uint64 `dynamo:"version"`
	Ops     []byte `dynamo:"ops"`
	LastOp  ids.ID `dynamo:"lastOp"` // of what gave it this key
	Print   uint32 `dynamo:"print"`  // of that submission
	Prev    []byte `dynamo:"prev"`   // the key before that one, if it had any
	Name    string `dynamo:"name"`
	Meta    string `dynamo:"meta"`
	Removed ids.ID `dynamo:"removed"` // the last removal: what is older does not bring it back
	Moved   ids.ID `dynamo:"moved"`   // the last hiding or unhiding

	// Managed and ManagedBefore are the last two of these as they are named by
	// who did them: what they are ordered by may be later.
	Managed       ids.ID `dynamo:"managed"`
	ManagedBefore ids.ID `dynamo:"managedBefore"`
}

func entryKey(player, board string, p period) store.Key {
	return store.Key{PK: playerPK(player), SK: keys.Join("LB", board, p.name())}
}

func playerPK(player string) string { return keys.Join("P", player) }

// partOf is the partition of the index where a new entry of a player goes. It
// stays there however many shards there are later.
func partOf(player, board string, p period, now time.Time) string {
	h := fnv.New32a()
	h.Write([]byte(player))
	return shardPart(board, p, int(h.Sum32()%uint32(p.spread(now))))
}

func shardPart(board string, p period, shard int) string {
	return keys.Join(board, p.name(), strconv.Itoa(shard))
}

// hidden stands for the shard of all who are hidden.
const hidden = "hidden"

func hiddenPart(board string, p period) string { return keys.Join(board, p.name(), hidden) }
