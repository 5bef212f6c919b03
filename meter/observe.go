package meter

import (
	"context"
	"crypto/rand"
	"reflect"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"

	"github.com/plaza-sdk/plaza"
)

// Call is one request to DynamoDB and its result.
type Call struct {
	Operation string // Plaza's, such as "feed.Home.List", or ""
	Action    string // DynamoDB's, such as "Query"
	Table     string // the first by name, if there are several
	Cost      Cost
	Duration  time.Duration
	Err       error // nil, or why this attempt failed; the SDK may try again
}

// Observe calls f after each request of every DynamoDB client that is made from cfg
// afterwards, for example to log it. f runs in the goroutine that made the request, and
// is called concurrently.
func Observe(cfg *aws.Config, f func(context.Context, Call)) {
	observe(cfg, "plaza/meter.Observe "+rand.Text(), f)
}

// observe does nothing for a client that has the id already.
func observe(cfg *aws.Config, id string, f func(context.Context, Call)) {
	// Clip, because copies of a Config share their options.
	cfg.APIOptions = append(slices.Clip(cfg.APIOptions), func(stack *middleware.Stack) error {
		if _, there := stack.Initialize.Get(id); there {
			return nil
		}
		if err := stack.Initialize.Add(middleware.InitializeMiddlewareFunc(id, ask), middleware.Before); err != nil {
			return err
		}
		// In this step only what goes out over HTTP runs, once for each attempt.
		return stack.Deserialize.Add(middleware.DeserializeMiddlewareFunc(id, watch(f)), middleware.Before)
	})
}

type inputKey struct{}

// ask makes DynamoDB report the units, and keeps the input for watch.
func ask(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (middleware.InitializeOutput, middleware.Metadata, error) {
	if middleware.GetServiceID(ctx) == dynamodb.ServiceID {
		in.Parameters = asking(in.Parameters)
		ctx = middleware.WithStackValue(ctx, inputKey{}, in.Parameters)
	}
	return next.HandleInitialize(ctx, in)
}

// asking returns a copy of an input that asks for the units, or the input itself if it
// asks already or cannot. The caller may use the input elsewhere, so it stays as it is.
func asking(input any) any {
	const option = "ReturnConsumedCapacity"
	in := reflect.Indirect(reflect.ValueOf(input))
	asks := field[types.ReturnConsumedCapacity](in, option)
	if asks == nil || *asks == types.ReturnConsumedCapacityTotal || *asks == types.ReturnConsumedCapacityIndexes {
		return input
	}
	out := reflect.New(in.Type())
	out.Elem().Set(in)
	*field[types.ReturnConsumedCapacity](out.Elem(), option) = types.ReturnConsumedCapacityTotal
	return out.Interface()
}

// field returns a field of a struct, or nil if there is none of that name and type.
func field[T any](in reflect.Value, name string) *T {
	if in.Kind() != reflect.Struct {
		return nil
	}
	f := in.FieldByName(name)
	if !f.IsValid() || !f.CanAddr() {
		return nil
	}
	p, _ := f.Addr().Interface().(*T)
	return p
}

type deserialize = func(context.Context, middleware.DeserializeInput, middleware.DeserializeHandler) (middleware.DeserializeOutput, middleware.Metadata, error)

func watch(f func(context.Context, Call)) deserialize {
	return func(ctx context.Context, in middleware.DeserializeInput, next middleware.DeserializeHandler) (middleware.DeserializeOutput, middleware.Metadata, error) {
		if middleware.GetServiceID(ctx) != dynamodb.ServiceID {
			return next.HandleDeserialize(ctx, in)
		}
		began := time.Now()
		out, metadata, err := next.HandleDeserialize(ctx, in)
		input, action := middleware.GetStackValue(ctx, inputKey{}), middleware.GetOperationName(ctx)
		call := Call{
			Operation: plaza.Operation(ctx),
			Action:    action,
			Table:     tableOf(input),
			Duration:  time.Since(began),
			Err:       err,
		}
		if err == nil {
			call.Cost = reported(action, out.Result)
		} else {
			call.Cost = refused(input, err)
		}
		call.Cost.Requests = 1
		f(ctx, call)
		return out, metadata, err
	}
}

// tableOf returns the table of a request, or the first of several by name.
func tableOf(input any) string {
	names := map[string]bool{}
	add := func(name *string) { names[aws.ToString(name)] = true }
	switch in := input.(type) {
	case *dynamodb.BatchGetItemInput:
		for name := range in.RequestItems {
			add(&name)
		}
	case *dynamodb.BatchWriteItemInput:
		for name := range in.RequestItems {
			add(&name)
		}
	case *dynamodb.TransactGetItemsInput:
		for _, i := range in.TransactItems {
			if i.Get != nil {
				add(i.Get.TableName)
			}
		}
	case *dynamodb.TransactWriteItemsInput:
		for _, i := range in.TransactItems {
			switch {
			case i.Put != nil:
				add(i.Put.TableName)
			case i.Update != nil:
				add(i.Update.TableName)
			case i.Delete != nil:
				add(i.Delete.TableName)
			case i.ConditionCheck != nil:
				add(i.ConditionCheck.TableName)
			}
		}
	default:
		if name := field[*string](reflect.Indirect(reflect.ValueOf(input)), "TableName"); name != nil {
			add(*name)
		}
	}
	first := ""
	for name := range names {
		if first == "" || name < first {
			first = name
		}
	}
	return first
}
