package dynamotest

import (
	"fmt"
	"net/http"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/dynamotest/wire"
	"github.com/plaza-sdk/plaza/internal/grants"
)

// guarded has the feature of each table, by its name.
var guarded sync.Map

// permissions are those of internal/grants, prepared for the guard.
var permissions = sync.OnceValue(func() *allowed {
	a := &allowed{calls: grants.Calls(), may: map[permission]bool{}, uses: map[[2]string]bool{}}
	for _, feature := range grants.Features() {
		for _, role := range grants.Roles() {
			for _, g := range grants.Of(feature, role) {
				a.uses[[2]string{feature, g.Feature}] = true
				for _, action := range g.Actions {
					a.may[permission{grants.Call{Feature: feature, Role: role}, g.Resource, action}] = true
				}
			}
		}
	}
	return a
})

type allowed struct {
	calls map[string]grants.Call
	may   map[permission]bool
	uses  map[[2]string]bool // a feature, and one whose table it uses
}

type permission struct {
	by     grants.Call
	on     grants.Resource
	action string
}

// refuses reports whether the operation may not do this to a feature's table. An
// application's own code within a call may use other tables.
func (a *allowed) refuses(operation, feature string, what wire.Access) bool {
	by, ok := a.calls[operation]
	if !ok || !a.uses[[2]string{by.Feature, feature}] {
		return false
	}
	return !a.may[permission{by, grants.Resource{Feature: feature, Index: what.Index}, what.Action}]
}

// guard refuses what the role of a call may not do, as IAM would. A test's own requests,
// outside of any call, pass.
func guard(t testing.TB, next aws.HTTPClient) aws.HTTPClient {
	if _, ok := t.(*testing.B); ok { // it would count as the call's CPU time
		return next
	}
	g := &guardian{next: next}
	t.Cleanup(func() {
		for _, what := range g.refused() {
			t.Errorf("dynamotest: internal/grants does not allow %s", what)
		}
	})
	return g
}

type guardian struct {
	next aws.HTTPClient

	mu     sync.Mutex
	denied []string
}

func (g *guardian) refused() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.denied
}

func (g *guardian) Do(r *http.Request) (*http.Response, error) {
	operation := plaza.Operation(r.Context())
	if operation == "" {
		return g.next.Do(r)
	}
	req, err := wire.Read(r)
	if err != nil {
		return nil, err
	}
	accesses, err := req.Accesses()
	if err != nil {
		return nil, fmt.Errorf("dynamotest: %s: %w", req.Op, err)
	}
	for _, a := range accesses {
		feature, ok := guarded.Load(a.Table)
		if ok && permissions().refuses(operation, feature.(string), a) {
			g.mu.Lock()
			g.denied = append(g.denied, fmt.Sprintf("%s: dynamodb:%s on the table of %s %s", operation, a.Action, feature, a.Index))
			g.mu.Unlock()
			return req.Denied(a), nil
		}
	}
	return g.next.Do(req.Again())
}

// guardTable finds the feature of a table by its schema, such as follow.Table.
func guardTable(name string, schema func(string) *dynamodb.CreateTableInput) {
	f := runtime.FuncForPC(reflect.ValueOf(schema).Pointer())
	if f == nil {
		return
	}
	if feature, ok := grants.FeatureOf(strings.TrimPrefix(f.Name(), "github.com/plaza-sdk/plaza/")); ok {
		guarded.Store(name, feature)
	}
}
