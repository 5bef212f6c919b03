// Package notifytable is the table that notify, announce, digest and prefs share.
package notifytable

import (
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/plaza-sdk/plaza/internal/indexes"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Feature is what the table is for.
func Feature() store.Feature {
	return store.Feature{Name: "notify", Format: 1, Schema: Schema, Expires: true}
}

// Schema is the schema of the table name.
func Schema(name string) *dynamodb.CreateTableInput { return Recent().Schema(name) }

// Recent is the order of a user's groups. The user's state comes before them.
func Recent() store.Index { return indexes.Groups() }

// UserPK is the partition of what belongs to a user.
func UserPK(user string) string { return keys.Join("N", user) }
