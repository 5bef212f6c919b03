package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/store"
)

type small struct {
	N uint8 `dynamo:"n"`
}

type embedded struct {
	Inner string `dynamo:"inner" role:"identity"`
}

// raw decodes itself.
type raw struct{ value types.AttributeValue }

func (r *raw) UnmarshalDynamo(value types.AttributeValue) error {
	r.value = value
	return nil
}

// planned has a field of every type that items have.
type planned struct {
	embedded

	Text   string        `dynamo:"text,omitempty" role:"content"`
	ID     ids.ID        `dynamo:"id"`
	Time   time.Time     `dynamo:"time"`
	Long   time.Duration `dynamo:"long"`
	Small  int8          `dynamo:"small"`
	Count  uint64        `dynamo:"count" role:"counter"`
	Flag   bool          `dynamo:"flag" role:"cleared"`
	Bytes  []byte        `dynamo:"bytes"`
	List   []string      `dynamo:"list" role:"content"`
	Set    []string      `dynamo:"set,set,omitempty"`
	IDs    []ids.ID      `dynamo:"ids"`
	Score  *int64        `dynamo:"score"`
	One    *small        `dynamo:"one"`
	Many   []small       `dynamo:"many"`
	Raw    raw           `dynamo:"raw"`
	Gone   *small        `dynamo:"gone" role:"removal"`
	Hidden string        `dynamo:"-"`
	Apart  string
}

func (p *planned) CheckItem() error {
	if p.Text == "forbidden" {
		return ids.ErrInvalid
	}
	return nil
}

func s(text string) types.AttributeValue { return &types.AttributeValueMemberS{Value: text} }
func n(text string) types.AttributeValue { return &types.AttributeValueMemberN{Value: text} }
func b(bytes string) types.AttributeValue {
	return &types.AttributeValueMemberB{Value: []byte(bytes)}
}
func l(values ...types.AttributeValue) types.AttributeValue {
	return &types.AttributeValueMemberL{Value: values}
}
func ss(texts ...string) types.AttributeValue { return &types.AttributeValueMemberSS{Value: texts} }
func m(name string, value types.AttributeValue) types.AttributeValue {
	return &types.AttributeValueMemberM{Value: dynamo.Item{name: value}}
}

var (
	null = &types.AttributeValueMemberNULL{Value: true}
	yes  = &types.AttributeValueMemberBOOL{Value: true}
)

func TestAnItemIsDecodedByItsTags(t *testing.T) {
	seven := int64(7)
	for name, values := range map[string][]struct {
		value types.AttributeValue
		want  planned
	}{
		"text":    {{s("a"), planned{Text: "a"}}, {s(""), planned{}}},
		"inner":   {{s("a"), planned{embedded: embedded{"a"}}}},
		"id":      {{s(ids.ID(7).String()), planned{ID: 7}}, {s(""), planned{}}},
		"time":    {{s("2026-01-02T03:04:05Z"), planned{Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}}, {s(""), planned{}}},
		"long":    {{n("-7"), planned{Long: -7}}},
		"small":   {{n("-128"), planned{Small: -128}}},
		"count":   {{n("18446744073709551615"), planned{Count: 1<<64 - 1}}},
		"flag":    {{yes, planned{Flag: true}}},
		"bytes":   {{b("a"), planned{Bytes: []byte("a")}}, {b(""), planned{Bytes: []byte{}}}},
		"list":    {{l(s("a"), s("")), planned{List: []string{"a", ""}}}, {l(), planned{}}},
		"set":     {{ss("a"), planned{Set: []string{"a"}}}, {ss([]string{}...), planned{}}},
		"ids":     {{l(s(ids.ID(7).String())), planned{IDs: []ids.ID{7}}}},
		"score":   {{n("7"), planned{Score: &seven}}},
		"one":     {{m("n", n("7")), planned{One: &small{7}}}, {m("another", null), planned{One: &small{}}}},
		"many":    {{l(m("n", n("7"))), planned{Many: []small{{7}}}}},
		"raw":     {{ss("a"), planned{Raw: raw{ss("a")}}}},
		"another": {{null, planned{}}},
		"Apart":   {{s("a"), planned{}}},
	} {
		for _, c := range values {
			var got planned
			require.NoError(t, store.Decode("t", dynamo.Item{name: c.value}, &got), "%s %#v", name, c.value)
			require.Equal(t, c.want, got)
		}
	}
}

func TestWhatATagDoesNotSayIsDamage(t *testing.T) {
	for name, values := range map[string][]types.AttributeValue{
		"text":  {n("7"), s("forbidden")},
		"inner": {b("a")},
		"id":    {n("7"), s("no id")},
		"time":  {n("7"), s("yesterday")},
		"long":  {s("7"), n("1.5"), n("9223372036854775808")},
		"small": {n("128"), n("-129")},
		"count": {n("-1"), n("18446744073709551616")},
		"flag":  {s("true")},
		"bytes": {s("a")},
		"list":  {ss("a"), s("a"), l(n("7")), l(null)},
		"set":   {l(s("a")), &types.AttributeValueMemberNS{Value: []string{"1"}}},
		"ids":   {l(s("no id")), ss(ids.ID(7).String())},
		"score": {s("7"), n("1.5")},
		"one":   {m("n", n("256")), m("n", null), s("a")},
		"many":  {l(m("n", s("7"))), m("n", n("7"))},
		"raw":   nil,
		"gone":  {s("a")},
	} {
		for _, value := range append(values, null) {
			err := store.Decode("t", dynamo.Item{name: value}, new(planned))
			requireClass(t, nil, err)
			require.Error(t, err, "%s %#v", name, value)
		}
	}
}

func TestANumberThatDoesNotFitIsRefusedByGeneratedCode(t *testing.T) {
	for text, fits := range map[string]bool{"127": true, "128": false, "-129": false, "1.5": false} {
		require.Equal(t, fits, store.SetInt(n(text), new(int8)) == nil, text)
	}
	for text, fits := range map[string]bool{"255": true, "256": false, "-1": false} {
		require.Equal(t, fits, store.SetUint(n(text), new(uint8)) == nil, text)
	}
}

func TestWhatARemovalDeletesIsNotDecodedAfterIt(t *testing.T) {
	require.Equal(t, []string{"text", "flag", "list"}, store.Deleted[planned]())
	var got planned
	require.NoError(t, store.Decode("t", dynamo.Item{
		"gone": m("n", n("1")), "inner": s("a"), "text": s("forbidden"), "flag": null, "list": n("1"), "count": n("7"),
	}, &got))
	require.Equal(t, planned{embedded: embedded{"a"}, Count: 7, Gone: &small{1}}, got)
}

func TestWhatARemovalLeftIsNamed(t *testing.T) {
	gone := m("n", n("1"))
	for name, c := range map[string]struct {
		item dynamo.Item
		left []string
	}{
		"not removed":                 {dynamo.Item{"text": s("a"), "flag": yes}, nil},
		"nothing left":                {dynamo.Item{"gone": gone, "inner": s("a"), "count": n("7"), "another": null}, nil},
		"content and what is cleared": {dynamo.Item{"gone": gone, "text": n("7"), "flag": null, "count": n("7")}, []string{"text", "flag"}},
	} {
		var got planned
		require.NoError(t, store.Decode("t", c.item, &got), name)
		err := store.CheckRemoved(c.item, &got)
		var left *store.LeftError
		require.Equal(t, c.left != nil, errors.As(err, &left), name)
		if c.left != nil {
			require.Equal(t, store.LeftError{Removal: "gone", Names: c.left}, *left)
		}
	}
	type standing struct {
		Text string `dynamo:"text" role:"content"`
	}
	require.NoError(t, store.CheckRemoved(dynamo.Item{"text": s("a")}, &standing{"a"}), "no removal sets an attribute of it")
	require.NoError(t, store.CheckRemoved(dynamo.Item{"text": s("a")}, new(ownDecoder)))
}

// ownDecoder cannot be planned.
type ownDecoder struct {
	Text func() `dynamo:"text" role:"content"`
}

func (*ownDecoder) UnmarshalDynamoItem(dynamo.Item) error { return nil }

func TestTheSameItemHasTheSameIdentityAndContent(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*planned)
		same   bool
	}{
		"nothing":  {func(*planned) {}, true},
		"identity": {func(p *planned) { p.Inner = "b" }, false},
		"content":  {func(p *planned) { p.List = []string{"a", "c"} }, false},
		"counter":  {func(p *planned) { p.Count++ }, true},
		"cleared":  {func(p *planned) { p.Flag = true }, true},
	} {
		one := planned{embedded: embedded{"a"}, Text: "a", List: []string{"a", "b"}}
		other := planned{embedded: embedded{"a"}, Text: "a", List: []string{"a", "b"}}
		c.change(&other)
		require.Equal(t, c.same, store.Same(&one, &other), name)
	}
}

func TestAnEmbeddedItemHasNoCodeForTheWhole(t *testing.T) {
	var got struct {
		quick
		More string `dynamo:"more"`
	}
	require.NoError(t, store.Decode("t", dynamo.Item{"text": s("a"), "more": s("b")}, &got))
	require.Equal(t, "b", got.More)
	require.False(t, got.own)
	require.NoError(t, store.Decode("t", dynamo.Item{"text": s("a")}, &got.quick))
	require.True(t, got.own)
}

// quick has code as itemgen writes it.
type quick struct {
	Text string `dynamo:"text"`
	own  bool
}

func (q *quick) UnmarshalAttributes(_ dynamo.Item, out any) (bool, error) {
	q.own = out == any(q)
	return q.own, nil
}
