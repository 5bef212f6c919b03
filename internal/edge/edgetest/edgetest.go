// Package edgetest is the contract of features that keep edges, as follow and
// reaction do: beginning, ending, listing, counting, checking, repairing and
// erasing them, also under faults.
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
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/stream"
)

// Edge is an edge as applications see it.
type Edge struct {
	Tail, Head string
	Kind       string // "" where the feature has no kinds
	ID         ids.ID
}

// Feature is a package under test. E is its type for an edge.
type Feature[E any] struct {
	// New opens a table as a new process.
	New func(db *dynamo.DB, table string, gen ids.Source, opts Options) (Graph[E], error)

	Table func(name string) *dynamodb.CreateTableInput
	TTL   func(name string) *dynamodb.UpdateTimeToLiveInput

	// Of converts an Edge to the feature's type, and See converts it back.
	Of  func(Edge) E
	See func(E) Edge

	// Shape is how edges are stored. Without kinds, Kinds is just "". If tails
	// are counted, a name may be both a tail and a head.
	Shape edge.Shape

	// Changes is the feature's, as edges.
	Changes func(stream.Record) ([]Change, error)

	// OneOf are the kinds of which a pair has at most one edge. They come first
	// in Shape.Kinds; the last kind is not one of them.
	OneOf []string
}

// Options are the options that all features have.
type Options struct {
	Shards     func(head string) int
	Kinds      []string // Defaults to the Shape's, with OneOf; otherwise there is no group.
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

	// ByHead and ByTail list the edges of a kind, or of all kinds with "".
	ByHead, ByTail func(ctx context.Context, name, kind string, req cursor.PageRequest) (cursor.Page[E], error)

	Counts     func(ctx context.Context, name string) (edge.Count, error)
	CountsMany func(ctx context.Context, names []string) (map[string]edge.Count, error)

	// Kinds returns the kinds of the edges from tail to each head.
	Kinds func(ctx context.Context, tail string, heads []string) (map[string][]string, error)

	// Check, Repair and Erase are called with a tail or a head, never both.
	Check, Repair func(context.Context, edge.Ends) (edge.Drift, error)
	Erase         func(context.Context, edge.Ends) error

	Verify, Init func(context.Context) error

	// Shows fails unless the feature's other reads of these heads return
	// exactly these edges, newest first. Nil if there are no other reads.
	Shows func(ctx context.Context, all []Edge, heads []string) error

	// Further calls read an edge or a list. Only their errors are tested.
	Further map[string]func(context.Context, E) error
}

// Run tests the whole contract.
func Run[E any](t *testing.T, f Feature[E]) {
	for _, c := range []struct {
		name   string
		run    func(*testing.T, Feature[E])
		unless bool // does not apply to the feature

		// Unless faults.Full, only these features try it, because they share the code.
		only func(Feature[E]) bool
	}{
		{name: "ARepeatedBeginIsOneEdge", run: repeatedBegin[E]},
		{name: "ARepeatedEndEndsOnce", run: repeatedEnd[E]},
		{name: "EndByIDEndsOnlyThatEdge", run: endByID[E]},
		{name: "AnEndedIDNeverBeginsAgain", run: endedID[E], only: Feature[E].hasKinds},
		{name: "AnIDOfAnotherEdgeIsAConflict", run: takenID[E]},
		{name: "AResentBeginIsNoConflict", run: ownFirstAttempt[E], only: Feature[E].hasKinds},
		{name: "GetOfAMissingEdgeIsNotFound", run: getOfNothing[E]},
		{name: "NamesNeverShareAKey", run: namesNeverShareAKey[E]},
		{name: "BeginSendsNothingIfNoIDCanBeMinted", run: noID[E], only: Feature[E].mutual},
		{name: "TheMintedIDIsReturnedWithAnError", run: mintedID[E], only: Feature[E].mutual},
		{name: "AMintedIDThatIsTakenIsReplaced", run: mintedIDTaken[E], only: Feature[E].mutual},
		{name: "IDsFromTheFutureAreRefused", run: futureIDs[E]},
		{name: "AnIDBelowAnEndPassesIfClocksMayBeTheReason", run: olderIDs[E]},
		{name: "ConcurrentTogglesOfAPairLeaveItWhole", run: toggledByMany[E], only: Feature[E].mutual},
		{name: "AMissingOrWrongTableIsErrTable", run: missingTable[E], only: Feature[E].mutual},
		{name: "VerifyAcceptsOnlyItsOwnTable", run: verify[E]},

		{name: "ALateBeginDoesNotRestoreAnEndedEdge", run: endedStaysEnded[E]},
		{name: "ALateEndKeepsANewerEdge", run: lateEnd[E], only: Feature[E].mutual},
		{name: "EndSeesABeginThatArrivesMeanwhile", run: endMeetsBegin[E], only: Feature[E].mutual},
		{name: "ASlowClockCanBeginAgain", run: clockBehind[E], only: Feature[E].hasKinds},
		{name: "LateBeginsOfSlowClocksStayEnded", run: lateWrongClocks[E], only: Feature[E].mutual},

		{name: "ListsArePagedExactly", run: listsPaged[E]},
		{name: "AnEdgeFromAListCanBeEnded", run: endListed[E]},
		{name: "TheGreatestIDIsListed", run: greatestID[E], only: Feature[E].mutual},
		{name: "ConsistentReadsReturnTheLatest", run: consistent[E]},
		{name: "ShardsCanBeRaisedWhileOldProcessesWrite", run: shardsRaised[E], only: Feature[E].mutual},
		{name: "TheFirstEdgeCanOpenAShard", run: firstOpensShard[E], only: Feature[E].mutual},

		{name: "RandomSequencesMatchTheModel", run: randomSequence[E], only: Feature[E].hasKinds},
		{name: "CountsEqualListsUnderFaults", run: underFaults[E], only: Feature[E].mutual},
		{name: "HistoriesOfAPairAreLinearizable", run: histories[E], only: Feature[E].mutual},

		{name: "EveryDamageIsRepairedInEitherOrder", run: repairDamages[E]},
		{name: "RepairOfATailCorrectsTheHeadsCount", run: repairRestoresHeadCount[E], only: Feature[E].mutual},
		{name: "RepairUnderFaultsAndKills", run: repairUnderFaults[E]},
		{name: "CheckAndRepairReportAFailedRead", run: failedReads[E], only: Feature[E].mutual},
		{name: "AKilledRepairLeavesEveryCounterNamed", run: killedRepair[E], only: Feature[E].mutual},
		{name: "RepairDoesNotRestoreEndedEdges", run: repairEnded[E]},
		{name: "NothingIsCountedBelowZero", run: endsUncounted[E]},
		{name: "DamagedItemsAreReported", run: damagedItems[E]},
		{name: "ADamagedCounterIsRepairedBeforeItsEdges", run: damagedCounter[E], only: Feature[E].hasKinds},
		{name: "IfTheNamesOfShardsAreDamagedAllAreRead", run: damagedShards[E], only: Feature[E].hasKinds},
		{name: "ManyDamagedRowsDoNotStopAList", run: manyDamagedRows[E]},
		{name: "RandomDamageIsSkippedByListsAndRepaired", run: randomDamage[E], only: none[E]}, // others damage one item at a time

		{name: "RepairRequiresTheVersionItRead", run: repairGuardsOnVersion[E], only: Feature[E].mutual},
		{name: "RepairRaisesTheVersion", run: repairRaisesVersion[E], unless: !f.mutual()},
		{name: "RepairReadsAgainAfterACountChanged", run: repairReadsAgain[E], only: Feature[E].mutual},
		{name: "RepairDoesNotRestoreAnEdgeThatEndsMeanwhile", run: repairEndsMeanwhile[E], only: Feature[E].mutual},
		{name: "RepairKeepsAnEdgeThatMovesBetweenShards", run: repairDuringMoves[E], only: Feature[E].hasKinds},
		{name: "CheckReportsNoDriftForAnEdgeThatChangesMeanwhile", run: checkDuringChange[E], unless: f.mutual()},
		{name: "CheckAndRepairAreBusyWhileEdgesKeepChanging", run: busyChecks[E], only: Feature[E].mutual},
		{name: "RepairDuringWrites", run: repairDuringWrites[E], only: Feature[E].mutual},
		{name: "RepairNeverDamagesWholeEdges", run: repairWithoutDamage[E], only: none[E]}, // RepairDuringWrites too has whole edges

		{name: "EraseEndsEverything", run: eraseEverything[E]},
		{name: "EraseEndsTornEdges", run: eraseTorn[E], only: Feature[E].mutual},
		{name: "EraseReturnsARowThatNamesNobody", run: eraseUnread[E]},
		{name: "EraseOfATornEdgeDoesNotCountBelowZero", run: eraseCounts[E], only: Feature[E].mutual},
		{name: "EraseUnderFaultsAndKills", run: eraseUnderFaults[E]},
		{name: "EraseKilledAtEachWrite", run: eraseKilled[E], only: Feature[E].mutual},
		{name: "EraseDuringNewEdges", run: eraseMeetsNew[E]},

		{name: "EachWriteReportsItsChanges", run: eachChange[E], only: Feature[E].hasKinds},
		{name: "RepairReportsAnEdgeAgain", run: repairChanges[E], only: Feature[E].mutual},
		{name: "ChangesUnderFaultsAreWhatStands", run: faultyChanges[E], only: Feature[E].mutual},
		{name: "ChangesAreReadFromTheImages", run: expiredChanges[E]},
		{name: "VersionsOnlyGrow", run: counterBeginsAgain[E], only: Feature[E].hasKinds},
	} {
		if c.unless || c.only != nil && !c.only(f) && !faults.Full() {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.run(t, f)
		})
	}
}

// none tries a case only if faults.Full.
func none[E any](Feature[E]) bool { return false }

func (f Feature[E]) kinds() []string { return f.Shape.Kinds }

// first is a kind that excludes others, if there are any.
func (f Feature[E]) first() string { return f.kinds()[0] }

// free is a kind that excludes no other.
func (f Feature[E]) free() string { return f.kinds()[len(f.kinds())-1] }

// hasKinds reports whether a pair may have several edges.
func (f Feature[E]) hasKinds() bool { return f.first() != "" }

// mutual reports whether a name may be both a tail and a head, with one counter
// for both.
func (f Feature[E]) mutual() bool { return f.Shape.TailCount != "" }

// tries reports whether this feature tries a case. Unless faults.Full, the two kinds of
// features take turns, because they share the code.
func (f Feature[E]) tries(i int) bool { return faults.Full() || i%2 == 0 == f.mutual() }

// names are a few tails and heads.
func (f Feature[E]) names() (tails, heads []string) {
	if f.mutual() {
		users := []string{"ann", "bob", "cat"}
		return users, users
	}
	return []string{"ann", "bob"}, []string{"photo", "film"}
}

// slots are all possible edges among names.
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
