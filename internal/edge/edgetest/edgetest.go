// Package edgetest is the contract of a feature that keeps edges: what follow
// and reaction both promise of beginning, ending, listing, counting, checking,
// repairing and erasing them, also under faults.
//
//	edgetest.Run(t, edgetest.Feature[follow.Edge]{…})
package edgetest

import (
	"context"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/edge"
	"github.com/plaza-sdk/plaza/stream"
)

// Edge is what an application sees of an edge.
type Edge struct {
	Tail, Head string
	Kind       string // "" where the feature has no kinds
	ID         ids.ID
}

// Feature is a package under test. E is its type of an edge.
type Feature[E any] struct {
	// New opens a table as one more process.
	New func(db *dynamo.DB, table string, gen ids.Source, opts Options) (Graph[E], error)

	Table func(name string) *dynamodb.CreateTableInput
	TTL   func(name string) *dynamodb.UpdateTimeToLiveInput

	// Of makes an edge, and See shows what an application sees of one.
	Of  func(Edge) E
	See func(E) Edge

	// Shape says how edges are stored. Kinds has "" alone where there are none.
	// Where tails are counted, a name may be both a tail and a head.
	Shape edge.Shape

	// Changes is the feature's, as edges.
	Changes func(stream.Record) ([]Change, error)

	// OneOf are the kinds of which a pair has at most one edge. They begin
	// Shape.Kinds, and the last kind is not among them.
	OneOf []string
}

// Options are what features have in common.
type Options struct {
	Shards     func(head string) int
	Kinds      []string // Defaults to the Shape's, with OneOf; others are in no group.
	Consistent bool
	Codec      cursor.Codec
	OnCorrupt  func(*plaza.CorruptError)
	Now        func() time.Time
}

// Graph is one process of a feature. Its functions are the feature's methods.
type Graph[E any] struct {
	Begin func(context.Context, E) (standing E, begun bool, err error)
	End   func(context.Context, E) (ended bool, err error)
	Get   func(context.Context, E) (E, error)

	// ByHead and ByTail list the edges of one kind, or with "" of all.
	ByHead, ByTail func(ctx context.Context, name, kind string, req cursor.PageRequest) (cursor.Page[E], error)

	Counts     func(ctx context.Context, name string) (edge.Count, error)
	CountsMany func(ctx context.Context, names []string) (map[string]edge.Count, error)

	// Kinds gives the kinds of the edges from tail to each head.
	Kinds func(ctx context.Context, tail string, heads []string) (map[string][]string, error)

	// Check, Repair and Erase are called with a tail or a head, never both.
	Check, Repair func(context.Context, edge.Ends) (edge.Drift, error)
	Erase         func(context.Context, edge.Ends) error

	Verify, Init func(context.Context) error

	// Shows fails unless what else the feature reads of these heads shows these
	// edges, newest first, and no other. Nil where there is nothing else.
	Shows func(ctx context.Context, all []Edge, heads []string) error

	// Further calls read an edge or a list: only their errors are tested.
	Further map[string]func(context.Context, E) error
}

// Run tests the whole contract.
func Run[E any](t *testing.T, f Feature[E]) {
	for _, c := range []struct {
		name   string
		run    func(*testing.T, Feature[E])
		unless bool // the feature has none of it
	}{
		{name: "ARepeatedBeginIsOneEdge", run: repeatedBegin[E]},
		{name: "ARepeatedEndEndsOnce", run: repeatedEnd[E]},
		{name: "EndByIDEndsOnlyThatEdge", run: endByID[E]},
		{name: "AnEndedIDNeverBeginsAgain", run: endedID[E]},
		{name: "AnIDOfAnotherEdgeIsAConflict", run: takenID[E]},
		{name: "ARepeatThatMeetsItsOwnFirstAttemptIsNoConflict", run: ownFirstAttempt[E]},
		{name: "GetOfNothingIsNotFound", run: getOfNothing[E]},
		{name: "NamesNeverShareAKey", run: namesNeverShareAKey[E]},
		{name: "BeginWithoutAnIDToGiveSendsNothing", run: noID[E]},
		{name: "TheMintedIDComesBackBesideAnError", run: mintedID[E]},
		{name: "AMintedIDThatIsTakenIsPassedOver", run: mintedIDTaken[E]},
		{name: "IDsOfTheFutureAreRefused", run: futureIDs[E]},
		{name: "APairToggledByManyStaysWhole", run: toggledByMany[E]},
		{name: "MissingTableAndOtherSchemaAreErrTable", run: missingTable[E]},
		{name: "VerifyKnowsItsOwnTable", run: verify[E]},

		{name: "WhatWasEndedStaysEnded", run: endedStaysEnded[E]},
		{name: "ALateEndEndsNothingLater", run: lateEnd[E]},
		{name: "AnEndMeetsTheBeginThatItCameBefore", run: endMeetsBegin[E]},
		{name: "AClockThatIsBehindBeginsAgain", run: clockBehind[E]},
		{name: "LateBeginsOfWrongClocksStayEnded", run: lateWrongClocks[E]},

		{name: "ListsArePagedExactly", run: listsPaged[E]},
		{name: "AnEdgeOfAListMayBeEnded", run: endListed[E]},
		{name: "TheGreatestIDIsListed", run: greatestID[E]},
		{name: "ConsistentReadsTheLatest", run: consistent[E]},
		{name: "ShardsMayBeRaisedWithOldProcessesAtWork", run: shardsRaised[E]},
		{name: "TheFirstEdgeMayOpenAShard", run: firstOpensShard[E]},

		{name: "AnySequenceLeavesWhatItShould", run: anySequence[E]},
		{name: "CountsEqualListsUnderFaults", run: underFaults[E]},
		{name: "HistoriesOfAPairAreLinearizable", run: histories[E]},

		{name: "EveryDamageIsRepairedInEitherOrder", run: repairDamages[E]},
		{name: "RepairOfATailMindsTheHead", run: repairMindsHead[E]},
		{name: "RepairUnderFaultsAndKills", run: repairUnderFaults[E]},
		{name: "CheckAndRepairReportAFailedRead", run: failedReads[E]},
		{name: "AKilledRepairLeavesNoCounterUnnamed", run: killedRepair[E]},
		{name: "RepairRestoresNothingThatHasEnded", run: repairEnded[E]},
		{name: "WhatIsDamagedIsReported", run: damagedItems[E]},
		{name: "ADamagedCounterIsRepairedBeforeWhatItCounts", run: damagedCounter[E]},
		{name: "WhereShardsCannotBeReadAllAre", run: damagedShards[E]},
		{name: "ManyDamagedRowsDoNotStopAList", run: manyDamagedRows[E]},
		{name: "RandomDamageFailsNoListAndIsRepaired", run: randomDamage[E]},

		{name: "RepairGuardsOnTheVersion", run: repairGuardsOnVersion[E]},
		{name: "RepairRaisesTheVersion", run: repairRaisesVersion[E], unless: !f.mutual()},
		{name: "RepairReadsAgainWhereACountMoved", run: repairReadsAgain[E]},
		{name: "RepairRestoresNothingThatEndsMeanwhile", run: repairEndsMeanwhile[E]},
		{name: "RepairLeavesAnEdgeThatMovesBetweenShards", run: repairMoves[E]},
		{name: "CheckIsNotFooledByAHalfReadEdge", run: halfRead[E], unless: f.mutual()},
		{name: "CheckAndRepairAreBusyWhileEdgesKeepChanging", run: busyChecks[E]},
		{name: "RepairAmongWriters", run: repairAmongWriters[E]},
		{name: "RepairNeverDamagesWhatIsWhole", run: repairOfWhole[E]},

		{name: "EraseEndsEverything", run: eraseEverything[E]},
		{name: "EraseEndsTornEdges", run: eraseTorn[E]},
		{name: "EraseOfATornEdgeDoesNotCountBelowZero", run: eraseCounts[E]},
		{name: "EraseUnderFaultsAndKills", run: eraseUnderFaults[E]},
		{name: "EraseKilledAtEachWrite", run: eraseKilled[E]},
		{name: "EraseMeetsNewEdges", run: eraseMeetsNew[E]},

		{name: "EachWriteReportsItsChanges", run: eachChange[E]},
		{name: "RepairReportsAnEdgeAgain", run: repairChanges[E]},
		{name: "ChangesUnderFaultsAreWhatStands", run: faultyChanges[E]},
		{name: "ChangesAreReadFromTheImages", run: expiredChanges[E]},
		{name: "VersionsOnlyGrow", run: counterBeginsAnew[E]},
	} {
		if c.unless {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.run(t, f)
		})
	}
}

// kinds are those of the shape.
func (f Feature[E]) kinds() []string { return f.Shape.Kinds }

// first is a kind that excludes others, where there are such.
func (f Feature[E]) first() string { return f.kinds()[0] }

// free is a kind that excludes no other.
func (f Feature[E]) free() string { return f.kinds()[len(f.kinds())-1] }

// hasKinds says whether a pair may have several edges.
func (f Feature[E]) hasKinds() bool { return f.first() != "" }

// mutual says whether a name may be both a tail and a head, and has one counter
// for both.
func (f Feature[E]) mutual() bool { return f.Shape.TailCount != "" }

// names are a few tails and heads.
func (f Feature[E]) names() (tails, heads []string) {
	if f.mutual() {
		users := []string{"ann", "bob", "cat"}
		return users, users
	}
	return []string{"ann", "bob"}, []string{"photo", "film"}
}

// slots are all the edges that there may be among names.
func (f Feature[E]) slots() (all []Edge) {
	tails, heads := f.names()
	for _, tail := range tails {
		for _, head := range heads {
			for _, kind := range f.kinds() {
				if tail != head {
					all = append(all, Edge{Tail: tail, Head: head, Kind: kind})
				}
			}
		}
	}
	return all
}
