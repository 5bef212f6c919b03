// Package plazatest gives a test, or a program on a developer's machine, a DynamoDB
// with Plaza's tables, and counts what calls cost.
//
//	func TestFollow(t *testing.T) {
//		env := plazatest.Start(t, nil)
//		follows, err := follow.New(env.DB, env.Tables.Follow, gen, nil)
//		...
//		cost := env.Cost(func() { _, _, err = follows.Follow(t.Context(), edge) })
//	}
//
// The DynamoDB is AWS's DynamoDB Local or dynoxide, whichever this machine has or can
// get: the first needs Java 17 or later and Maven, or Docker, the second cargo, or for a
// program npm. PLAZA_ENGINE names one. To use one that is already running, set
// DYNAMODB_ENDPOINT to its URL.
//
// The packages that a go command tests share one engine, which ends with that command.
package plazatest
