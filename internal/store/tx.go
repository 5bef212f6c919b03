package store

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
)

// Tx is a transaction of writes. Do not change a write after you have added it.
type Tx struct {
	table *Table
	in    dynamodb.TransactWriteItemsInput
	until time.Time
	err   error
}

// tokenLife is how long a transaction is sent again. DynamoDB knows its token for ten
// minutes, and would then apply it once more.
const tokenLife = 9 * time.Minute

// Tx starts a transaction. Run applies it once, however often it sends it.
func (t *Table) Tx() *Tx {
	return &Tx{table: t, until: time.Now().Add(tokenLife), in: dynamodb.TransactWriteItemsInput{
		ClientRequestToken: aws.String(rand.Text()),
		TransactItems:      make([]types.TransactWriteItem, 0, 8), // few have more
	}}
}

// Put adds the write of a whole item.
func (tx *Tx) Put(p *Put) *Tx {
	return tx.with(p.err, types.TransactWriteItem{Put: &types.Put{
		TableName: &tx.table.name, Item: p.item,
		ConditionExpression:                 p.conditions(),
		ExpressionAttributeNames:            p.called(),
		ExpressionAttributeValues:           p.given(),
		ReturnValuesOnConditionCheckFailure: theStored,
	}})
}

// Update adds a change of an item.
func (tx *Tx) Update(u *Update) *Tx {
	return tx.with(u.err, types.TransactWriteItem{Update: &types.Update{
		TableName: &tx.table.name, Key: u.key.item(),
		UpdateExpression:                    u.clauses(),
		ConditionExpression:                 u.conditions(),
		ExpressionAttributeNames:            u.called(),
		ExpressionAttributeValues:           u.given(),
		ReturnValuesOnConditionCheckFailure: theStored,
	}})
}

// Delete adds the removal of an item.
func (tx *Tx) Delete(d *Delete) *Tx {
	return tx.with(d.err, types.TransactWriteItem{Delete: &types.Delete{
		TableName: &tx.table.name, Key: d.key.item(),
		ConditionExpression:                 d.conditions(),
		ExpressionAttributeNames:            d.called(),
		ExpressionAttributeValues:           d.given(),
		ReturnValuesOnConditionCheckFailure: theStored,
	}})
}

// Check adds a condition on an item that the transaction does not write.
func (tx *Tx) Check(key Key, condition string, args ...any) *Tx {
	var e expression
	e.and(condition, args)
	return tx.with(e.err, types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
		TableName: &tx.table.name, Key: key.item(),
		ConditionExpression:                 e.conditions(),
		ExpressionAttributeNames:            e.called(),
		ExpressionAttributeValues:           e.given(),
		ReturnValuesOnConditionCheckFailure: theStored,
	}})
}

func (tx *Tx) with(err error, item types.TransactWriteItem) *Tx {
	if tx.err == nil {
		tx.err = err
	}
	tx.in.TransactItems = append(tx.in.TransactItems, item)
	return tx
}

func (tx *Tx) send(ctx context.Context, t *Table, noting option) error {
	if tx.err != nil {
		return tx.err
	}
	ctx, cancel := context.WithDeadline(ctx, tx.until)
	defer cancel()
	_, err := t.db.Client().TransactWriteItems(ctx, &tx.in, noting)
	if err == nil {
		return nil
	}
	var canceled *types.TransactionCanceledException
	if errors.As(err, &canceled) {
		for i, reason := range canceled.CancellationReasons {
			if i < len(tx.in.TransactItems) && tx.in.TransactItems[i].Update != nil && code(reason) == "ValidationError" && misfits(aws.ToString(reason.Message)) {
				return t.Corrupt(KeyOf(tx.in.TransactItems[i].Update.Key), *reason.Message)
			}
		}
		return err
	}
	if reason, ok := misfit(err); ok { // DynamoDB Local does not name the item
		for _, item := range tx.in.TransactItems {
			if item.Update != nil {
				return t.Corrupt(KeyOf(item.Update.Key), reason+", or another item of the transaction has")
			}
		}
	}
	return err
}

// misfit recognises the validation errors for stored values of the wrong type, which
// have no error code of their own.
func misfit(err error) (reason string, ok bool) {
	var api smithy.APIError
	if !errors.As(err, &api) || api.ErrorCode() != "ValidationException" {
		return "", false
	}
	return api.ErrorMessage(), misfits(api.ErrorMessage())
}

func misfits(message string) bool {
	for _, phrase := range []string{"incorrect data type", "Number overflow", "38 significant digits", "38 digits"} {
		if strings.Contains(message, phrase) {
			return true
		}
	}
	return false
}
