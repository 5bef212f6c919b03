// Package edgetest is the contract of features that keep edges, as follow and
// reaction do: beginning, ending, listing, counting, checking, repairing and
// erasing them, also under faults.
package edgetest

import (
	"testing"

	"github.com/plaza-sdk/plaza/internal/faults"
)

// Run tests the whole contract.
func Run[E any](t *testing.T, f Feature[E]) {
	for _, c := range []struct {
		name   string
		run    func(*testing.T, Feature[E])
		unless bool // does not apply to the feature

		// Unless faults.Full, only these features try it, because they share the code.
		only func(Feature[E]) bool
	}{
		{name: "ARepeatChangesNothing", run: repeats[E]},
		{name: "AnEndedIDNeverBeginsAgain", run: endedID[E], only: Feature[E].hasKinds},
		{name: "AnIDOfAnotherEdgeIsAConflict", run: takenID[E]},
		{name: "AResentBeginIsNoConflict", run: ownFirstAttempt[E], only: Feature[E].hasKinds},
		{name: "NamesNeverShareAKey", run: namesNeverShareAKey[E]},
		{name: "BeginSendsNothingIfNoIDCanBeMinted", run: noID[E], only: Feature[E].mutual},
		{name: "TheMintedIDIsReturnedWithAnError", run: mintedID[E], only: Feature[E].mutual},
		{name: "AMintedIDThatIsTakenIsReplaced", run: mintedIDTaken[E], only: Feature[E].mutual},
		{name: "IDsFromTheFutureAreRefused", run: futureIDs[E]},
		{name: "AnIDBelowAnEndPassesIfClocksMayBeTheReason", run: olderIDs[E]},
		{name: "VerifyAcceptsOnlyItsOwnTable", run: verify[E]},
		{name: "InvalidInputIsRefusedWithoutARequest", run: invalidInput[E]},
		{name: "NewRefusesMissingArguments", run: invalidNew[E]},

		{name: "ALateBeginDoesNotRestoreAnEndedEdge", run: endedStaysEnded[E]},
		{name: "ALateEndKeepsANewerEdge", run: lateEnd[E], only: Feature[E].mutual},
		{name: "EndSeesABeginThatArrivesMeanwhile", run: endMeetsBegin[E], only: Feature[E].mutual},
		{name: "ASlowClockCanBeginAgain", run: clockBehind[E], only: Feature[E].hasKinds},
		{name: "LateBeginsOfSlowClocksStayEnded", run: lateWrongClocks[E], only: Feature[E].mutual},

		{name: "ListsArePagedExactly", run: listsPaged[E]},
		{name: "ManyAreReadAtOnce", run: ofMany[E]},
		{name: "AnEdgeFromAListCanBeEnded", run: endListed[E]},
		{name: "TheGreatestIDIsListed", run: greatestID[E], only: Feature[E].mutual},
		{name: "ConsistentReadsReturnTheLatest", run: consistent[E]},
		{name: "TheFirstEdgeCanOpenAShard", run: firstOpensShard[E], only: Feature[E].mutual},

		{name: "CountsEqualListsUnderFaults", run: underFaults[E]},
		{name: "CountsEqualListsOfHotKeys", run: hotKeys[E]},
		{name: "HistoriesAreLinearizableAndReportedDuringRepairs", run: histories[E], only: Feature[E].mutual},

		{name: "EveryDamageIsRepairedInEitherOrder", run: repairDamages[E]},
		{name: "SeveralDamagesAtOnceAreRepaired", run: repairSeveral[E]},
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

		{name: "RepairRequiresTheVersionItRead", run: repairGuardsOnVersion[E], only: Feature[E].mutual},
		{name: "RepairRaisesTheVersion", run: repairRaisesVersion[E], unless: !f.mutual()},
		{name: "RepairReadsAgainAfterACountChanged", run: repairReadsAgain[E], only: Feature[E].mutual},
		{name: "RepairDoesNotRestoreAnEdgeThatEndsMeanwhile", run: repairEndsMeanwhile[E], only: Feature[E].mutual},
		{name: "RepairKeepsAnEdgeThatMovesBetweenShards", run: repairDuringMoves[E], only: Feature[E].hasKinds},
		{name: "CheckReportsNoDriftForAnEdgeThatChangesMeanwhile", run: checkDuringChange[E], unless: f.mutual()},
		{name: "CheckAndRepairAreBusyWhileEdgesKeepChanging", run: busyChecks[E], only: Feature[E].mutual},

		{name: "EraseEndsEverything", run: eraseEverything[E]},
		{name: "EraseEndsTornEdges", run: eraseTorn[E], only: Feature[E].mutual},
		{name: "EraseReturnsARowThatNamesNobody", run: eraseUnread[E]},
		{name: "EraseOfATornEdgeDoesNotCountBelowZero", run: eraseCounts[E], only: Feature[E].mutual},
		{name: "EraseCountsWhatIsNotCounted", run: eraseUncounted[E]},
		{name: "EraseUnderFaultsAndKills", run: eraseUnderFaults[E]},
		{name: "EraseDuringNewEdges", run: eraseMeetsNew[E]},

		{name: "EachWriteReportsItsChanges", run: eachChange[E], only: Feature[E].hasKinds},
		{name: "RepairReportsAnEdgeAgain", run: repairChanges[E], only: Feature[E].mutual},
		{name: "ChangesAreReadFromTheImages", run: expiredChanges[E]},
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
