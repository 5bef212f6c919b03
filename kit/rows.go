package kit

import (
	"cmp"
	"context"
	"strings"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/store"
)

// stored lists the items of a partition whose sort keys begin with a prefix, if the feature has
// no list of them. A damaged item is reported and left out.
func (x *export) stored(table, pk, prefix string, onCorrupt func(*plaza.CorruptError), data func(dynamo.Item) ([]any, error)) pager {
	corrupt := x.corrupt(onCorrupt)
	return func(ctx context.Context, at string) ([]any, string, error) {
		items, next, err := x.read(ctx, table, pk, prefix, at, x.limit)
		if err != nil {
			return nil, "", err
		}
		var all []any
		for _, item := range items {
			d, err := data(item)
			if err != nil {
				corrupt(&plaza.CorruptError{Table: table, PK: pk, SK: textOf(item, "sk"), Reason: err.Error()})
			}
			all = append(all, d...)
		}
		return all, next, nil
	}
}

// plain is an item as the table has it.
func plain(item dynamo.Item) ([]any, error) {
	var data map[string]any
	err := attributevalue.UnmarshalMapWithOptions(item, &data, func(o *attributevalue.DecoderOptions) { o.UseNumber = true })
	if err != nil {
		return nil, err
	}
	return []any{data}, nil
}

const maxSK = 1024 // bytes, as DynamoDB has it

// read reads a page of the items of a partition whose sort keys begin with a prefix. At is
// the next of the page before, "" for the first page. One of another list is plaza.ErrInvalid.
func (x *export) read(ctx context.Context, table, pk, prefix, at string, limit int) (items []dynamo.Item, next string, err error) {
	if at != "" && !strings.HasPrefix(at, prefix) || len(at) > maxSK {
		return nil, "", invalid("is not of that list")
	}
	t, err := store.Open(x.k.db, table, nil, true)
	if err != nil {
		return nil, "", err
	}
	span := store.Span{PK: pk, From: cmp.Or(at, prefix), Ascending: true, Limit: limit, Consistent: true}
	if last := len(prefix) - 1; last >= 0 {
		span.To = prefix[:last] + string(prefix[last]+1)
	}
	return store.Read[dynamo.Item](ctx, t, span)
}

// textOf is a text attribute, or "".
func textOf(item dynamo.Item, name string) string {
	if text, ok := item[name].(*types.AttributeValueMemberS); ok {
		return text.Value
	}
	return ""
}
