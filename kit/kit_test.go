package kit_test

import (
	"reflect"
	"testing"

	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/kit"
)

func open(t *testing.T, db *dynamo.DB, opts *kit.Options) *kit.Kit {
	t.Helper()
	k, err := kit.New(db, nil, opts)
	require.NoError(t, err)
	return k
}

func TestNewSetsEveryField(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string]*kit.Options{"nil": nil, "zero": {}, "one feature": {Features: []kit.Feature{kit.Follow}}} {
		k := reflect.ValueOf(open(t, dynamotest.DB(t), opts)).Elem()
		for i := range k.NumField() {
			if field := k.Type().Field(i); field.IsExported() {
				require.False(t, k.Field(i).IsZero(), "%s: %s", name, field.Name)
			}
		}
	}
}
