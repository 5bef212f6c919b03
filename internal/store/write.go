package store

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/guregu/dynamo/v2"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/plaza-sdk/plaza"
)

// Write is applied by Run: a *dynamo.Put, *dynamo.Update, *dynamo.Delete or
// *dynamo.WriteTx made by a Table, a Direct or a Returning.
type Write interface {
	Run(ctx context.Context) error
}

// Put starts the write of a whole item.
func (t *Table) Put(item any) *dynamo.Put {
	return t.db.Table(t.name).Put(item).IncludeItemInCondCheckFail(true)
}

// Update starts a change of one item.
func (t *Table) Update(key Key) *dynamo.Update {
	db := dynamo.NewFromIface(naming{t.db.Client(), t})
	return db.Table(t.name).Update(pk, key.PK).Range(sk, key.SK).IncludeItemInCondCheckFail(true)
}

// Delete starts the removal of one item.
func (t *Table) Delete(key Key) *dynamo.Delete {
	return t.db.Table(t.name).Delete(pk, key.PK).Range(sk, key.SK).IncludeItemInCondCheckFail(true)
}

// Check starts a condition of a transaction on an item that it does not write.
func (t *Table) Check(key Key) *dynamo.ConditionCheck {
	return t.db.Table(t.name).Check(pk, key.PK).Range(sk, key.SK)
}

// Tx starts a transaction of such writes. Run applies it once, however often it
// sends it.
func (t *Table) Tx() *dynamo.WriteTx {
	db := dynamo.NewFromIface(&pinned{DynamoDBAPI: naming{t.db.Client(), t}})
	return db.WriteTx().Idempotent(true).IncludeAllItemsInCondCheckFail(true)
}

// pinned repeats a transaction exactly as it was sent first. The driver would
// change the order of an update's additions, which the client token forbids.
type pinned struct {
	dynamodbiface.DynamoDBAPI
	first *dynamodb.TransactWriteItemsInput
}

func (p *pinned) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, opts ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	if p.first == nil {
		p.first = in
	}
	return p.DynamoDBAPI.TransactWriteItems(ctx, p.first, opts...)
}

// naming turns the refusal to compute with a stored attribute into a CorruptError that
// names the item.
type naming struct {
	dynamodbiface.DynamoDBAPI
	table *Table
}

func (n naming) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, opts ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	out, err := n.DynamoDBAPI.UpdateItem(ctx, in, opts...)
	if reason, ok := misfit(err); ok {
		err = n.table.Corrupt(KeyOf(in.Key), reason)
	}
	return out, err
}

func (n naming) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, opts ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	out, err := n.DynamoDBAPI.TransactWriteItems(ctx, in, opts...)
	var canceled *types.TransactionCanceledException
	if errors.As(err, &canceled) {
		for i, reason := range canceled.CancellationReasons {
			if i < len(in.TransactItems) && in.TransactItems[i].Update != nil && code(reason) == "ValidationError" && misfits(aws.ToString(reason.Message)) {
				return nil, n.table.Corrupt(KeyOf(in.TransactItems[i].Update.Key), *reason.Message)
			}
		}
		return out, err
	}
	if reason, ok := misfit(err); ok { // DynamoDB Local does not name the item
		for _, item := range in.TransactItems {
			if item.Update != nil {
				return nil, n.table.Corrupt(KeyOf(item.Update.Key), reason+", or another item of the transaction has")
			}
		}
	}
	return out, err
}

// misfit recognises the validation errors for stored values of a wrong type.
// They have no code of their own.
func misfit(err error) (reason string, ok bool) {
	var api smithy.APIError
	if !errors.As(err, &api) || api.ErrorCode() != "ValidationException" {
		return "", false
	}
	return api.ErrorMessage(), misfits(api.ErrorMessage())
}

func misfits(message string) bool {
	return strings.Contains(message, "incorrect data type") || strings.Contains(message, "Number overflow")
}

// Returning is an update that unmarshals the whole item into Out: as updated,
// or with Before as it was before the update.
type Returning struct {
	*dynamo.Update
	Out    any
	Before bool
}

// Run applies the update.
func (r Returning) Run(ctx context.Context) error {
	if r.Before {
		return r.OldValue(ctx, r.Out)
	}
	return r.Value(ctx, r.Out)
}

// Direct is an update of one item with expressions as DynamoDB reads them. The
// driver's own take a fifth of a request's CPU; use it where that counts.
func (t *Table) Direct(key Key, in dynamodb.UpdateItemInput) Write {
	in.TableName, in.Key = &t.name, key.item()
	in.ReturnValuesOnConditionCheckFailure = types.ReturnValuesOnConditionCheckFailureAllOld
	return direct{t, &in}
}

type direct struct {
	table *Table
	in    *dynamodb.UpdateItemInput
}

func (d direct) Run(ctx context.Context) error {
	_, err := naming{d.table.db.Client(), d.table}.UpdateItem(ctx, d.in)
	return err
}

// Run applies w in one request, and repeats it if it fails for a passing reason.
//
// Failed conditions are a *Refused. A lost answer is plaza.ErrUnknownOutcome.
// Contention or throttling that outlasts all attempts is plaza.ErrBusy.
func (t *Table) Run(ctx context.Context, w Write) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	var err error
	for attempt := range attempts {
		if attempt > 0 {
			if stopped := sleep(ctx, attempt); stopped != nil {
				return fmt.Errorf("table %s: %w: %w", t.name, plaza.ErrBusy, stopped)
			}
		}
		if err = w.Run(ctx); err == nil {
			return nil
		}
		if !passing(err) {
			if refused := refusal(err); refused != nil {
				return refused
			}
			break
		}
	}
	return fmt.Errorf("table %s: %w", t.name, translate(ctx, err, true))
}

// Refused is the failure of a write's conditions, with the stored items.
type Refused struct {
	items map[int]dynamo.Item
	cause error
}

func (r *Refused) Error() string { return "store: condition failed" }

func (r *Refused) Unwrap() error { return r.cause }

// At reports whether the condition of write i of a transaction failed, and returns the
// stored item, or nil if there was none. A single write is write 0.
func (r *Refused) At(i int) (item dynamo.Item, failed bool) {
	item, failed = r.items[i]
	return item, failed
}

func refusal(err error) *Refused {
	var single *types.ConditionalCheckFailedException
	if errors.As(err, &single) {
		return &Refused{items: map[int]dynamo.Item{0: single.Item}, cause: err}
	}
	var canceled *types.TransactionCanceledException
	if !errors.As(err, &canceled) {
		return nil
	}
	items := map[int]dynamo.Item{}
	for i, reason := range canceled.CancellationReasons {
		if code(reason) == "ConditionalCheckFailed" {
			items[i] = reason.Item
		}
	}
	if len(items) == 0 {
		return nil
	}
	return &Refused{items: items, cause: err}
}

// AsRefused returns the *Refused that err is or wraps, if any.
func AsRefused(err error) (*Refused, bool) {
	var r *Refused
	ok := errors.As(err, &r)
	return r, ok
}
