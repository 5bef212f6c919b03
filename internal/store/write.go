package store

import (
	"context"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
)

// theStored asks for the stored item if a condition fails.
const theStored = types.ReturnValuesOnConditionCheckFailureAllOld

// Put writes a whole item.
type Put struct {
	item dynamo.Item
	expression
}

// Put starts the write of a whole item.
func (t *Table) Put(item any) *Put {
	p := new(Put)
	if whole, ok := item.(dynamo.Item); ok {
		p.item = whole
	} else {
		p.item, p.err = dynamo.MarshalItem(item)
	}
	return p
}

// PutAt starts the write of a whole item whose attributes Set gives, without the
// reflection that Put of a struct needs.
func (t *Table) PutAt(key Key) *Put { return &Put{item: key.item()} }

// Set gives the item an attribute, unless v is an empty text, empty bytes or nil.
func (p *Put) Set(name string, v any) *Put {
	value, err := marshal(v)
	p.fail(err)
	if !empty(value) {
		p.item[name] = value
	}
	return p
}

// If adds a condition.
func (p *Put) If(condition string, args ...any) *Put {
	p.and(condition, args)
	return p
}

func (p *Put) send(ctx context.Context, t *Table, noting option) error {
	if p.err != nil {
		return p.err
	}
	_, err := t.db.Client().PutItem(ctx, &dynamodb.PutItemInput{
		TableName: &t.name, Item: p.item,
		ConditionExpression:                 p.conditions(),
		ExpressionAttributeNames:            p.called(),
		ExpressionAttributeValues:           p.given(),
		ReturnValuesOnConditionCheckFailure: theStored,
	}, noting)
	return err
}

// Delete removes an item.
type Delete struct {
	key Key
	expression
}

// Delete starts the removal of one item.
func (t *Table) Delete(key Key) *Delete { return &Delete{key: key} }

// If adds a condition.
func (d *Delete) If(condition string, args ...any) *Delete {
	d.and(condition, args)
	return d
}

func (d *Delete) send(ctx context.Context, t *Table, noting option) error {
	if d.err != nil {
		return d.err
	}
	_, err := t.db.Client().DeleteItem(ctx, &dynamodb.DeleteItemInput{
		TableName: &t.name, Key: d.key.item(),
		ConditionExpression:                 d.conditions(),
		ExpressionAttributeNames:            d.called(),
		ExpressionAttributeValues:           d.given(),
		ReturnValuesOnConditionCheckFailure: theStored,
	}, noting)
	return err
}

// Update changes attributes of an item, or creates it. A path names an attribute, or
// a nested one by dots.
type Update struct {
	key Key
	expression
	set, remove, add, drop []byte
	whole                  string
}

// Update starts a change of one item.
func (t *Table) Update(key Key) *Update {
	const clauses = 3 // most have no more
	return &Update{key: key, expression: expression{room: make([]byte, clauses*clauseSize)}}
}

// If adds a condition.
func (u *Update) If(condition string, args ...any) *Update {
	u.and(condition, args)
	return u
}

// Set sets an attribute, or removes it where v is an empty text or empty bytes.
func (u *Update) Set(path string, v any) *Update {
	value, err := marshal(v)
	u.fail(err)
	return u.assign(path, value)
}

// SetSet sets an attribute to the set of these members, or removes it if there are none.
func (u *Update) SetSet(path string, members any) *Update {
	value, err := set(members)
	u.fail(err)
	return u.assign(path, value)
}

func (u *Update) assign(path string, value types.AttributeValue) *Update {
	if empty(value) {
		return u.Remove(path)
	}
	u.set = u.value(append(u.path(u.begin(u.set, ", "), path), " = "...), value)
	return u
}

// SetExpr adds "path = value" assignments, in the syntax of expression.
func (u *Update) SetExpr(assignments string, args ...any) *Update {
	u.set = u.fill(u.begin(u.set, ", "), assignments, args)
	return u
}

// Add adds to a number, or the members of a []string or []int to a set.
func (u *Update) Add(path string, v any) *Update {
	u.add = u.change(u.add, path, v)
	return u
}

// Drop removes the members of a []string or []int from a set.
func (u *Update) Drop(path string, members any) *Update {
	u.drop = u.change(u.drop, path, members)
	return u
}

func (u *Update) change(clause []byte, path string, v any) []byte {
	switch v.(type) {
	case []string, []int:
		members, err := set(v)
		u.fail(err)
		v = members
	}
	return u.value(append(u.path(u.begin(clause, ", "), path), ' '), v)
}

// Remove removes attributes.
func (u *Update) Remove(paths ...string) *Update {
	for _, path := range paths {
		u.remove = u.path(u.begin(u.remove, ", "), path)
	}
	return u
}

// RemoveExpr removes an attribute, in the syntax of expression.
func (u *Update) RemoveExpr(path string, args ...any) *Update {
	u.remove = u.fill(u.begin(u.remove, ", "), path, args)
	return u
}

// clauses returns the whole update expression.
func (u *Update) clauses() *string {
	var all strings.Builder
	all.Grow(32 + len(u.set) + len(u.remove) + len(u.add) + len(u.drop))
	for _, c := range []struct {
		word   string
		clause []byte
	}{{"SET ", u.set}, {"REMOVE ", u.remove}, {"ADD ", u.add}, {"DELETE ", u.drop}} {
		if len(c.clause) > 0 {
			all.WriteString(c.word)
			all.Write(c.clause)
			all.WriteByte(' ')
		}
	}
	if all.Len() == 0 {
		return nil
	}
	u.whole = all.String()
	return &u.whole
}

func (u *Update) send(ctx context.Context, t *Table, noting option) error {
	_, err := u.apply(ctx, t, types.ReturnValueNone, noting)
	return err
}

// apply sends the update and returns the attributes that returned asks for.
func (u *Update) apply(ctx context.Context, t *Table, returned types.ReturnValue, noting option) (dynamo.Item, error) {
	if u.err != nil {
		return nil, u.err
	}
	out, err := t.db.Client().UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &t.name, Key: u.key.item(),
		UpdateExpression:                    u.clauses(),
		ConditionExpression:                 u.conditions(),
		ExpressionAttributeNames:            u.called(),
		ExpressionAttributeValues:           u.given(),
		ReturnValues:                        returned,
		ReturnValuesOnConditionCheckFailure: theStored,
	}, noting)
	if err != nil {
		if reason, ok := misfit(err); ok {
			return nil, t.Corrupt(u.key, reason)
		}
		return nil, err
	}
	return out.Attributes, nil
}

// Returning is an update that decodes the whole item into Out: as updated,
// or with Before as it was before the update.
type Returning struct {
	*Update
	Out    any
	Before bool
}

func (r Returning) send(ctx context.Context, t *Table, noting option) error {
	returned := types.ReturnValueAllNew
	if r.Before {
		returned = types.ReturnValueAllOld
	}
	item, err := r.apply(ctx, t, returned, noting)
	if err != nil {
		return err
	}
	return t.Decode(item, r.Out)
}

// conditional is a Put, an Update or a Delete.
type conditional[W any] interface {
	If(expr string, args ...any) W
}

// IfUnchanged makes a write conditional: the named attributes of the item must be as they
// were read, damaged or not.
func IfUnchanged[W conditional[W]](w W, item dynamo.Item, names ...string) W {
	w = w.If("attribute_exists(pk)")
	for _, name := range names {
		if value := item[name]; value != nil {
			w = w.If("$ = ?", name, value)
		} else {
			w = w.If("attribute_not_exists($)", name)
		}
	}
	return w
}
