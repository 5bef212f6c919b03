package estimate

import "math"

// What a folder publishes of a board: a root with a byte for each leaf, and blocks with
// the bounds of the leaves.
const (
	leafRows    = 384.0 // of 256 to 511
	leafMost    = 511.0
	blockLeaves = 192.0 // of 128 to 255
	boundBytes  = 20.0  // of a block in the root, and of a leaf in a block
	blockMoves  = 500.0 // after so many new scores a bound changes
	rootLife    = 1.0   // seconds that a process keeps a root
	trails      = 10.0  // seconds that a stream's reader trails
	beats       = day / 10
)

// published is the size of a board's root, and how many blocks there are.
func published(size float64) (root, stored float64) {
	leaves := math.Ceil(size / leafRows)
	if leaves > 1 {
		stored = math.Ceil(leaves / blockLeaves)
	}
	return leaves + stored*boundBytes, stored
}

// folded is the cost of finding ranks in what a folder published: the root, a block that
// a process reads once, and the rows of a leaf that are above. At most it is all of
// these each time, and another leaf where players are tied.
func (m *model) folded(boards, size, ranks float64) (expected, most Units) {
	bytes, stored := published(size)
	root := Units{Requests: 1, Read: read(1, bytes)}
	block := Units{Requests: 1, Read: blocks(blockLeaves, boundBytes, 4096)} // strongly consistent
	shards := float64(m.in.BoardShards)
	leaf := func(read float64) Units { return Units{Requests: shards, Read: shards * read} }

	expected = leaf(readAbove(math.Min(size, leafRows)/shards, scoreRow)).times(ranks).
		plus(root.times(boards * m.renewals(ranks/boards, rootLife)))
	if stored > 0 {
		expected = expected.plus(block.times(boards * stored * m.firsts(ranks/boards/stored)))
	}
	return expected, leaf(read(math.Min(size, leafMost)/shards, scoreRow)).times(2).plus(root).plus(block).times(ranks)
}

// fold is the cost of publishing boards with that many new scores each, at most
// twice after each. It keeps its lease, and one in each other worker waits for that.
func (m *model) fold(boards, size, scores float64) {
	bytes, _ := published(size)
	root := Units{Requests: 1, Write: write(bytes)}
	block := Units{Requests: 1, Write: write(blockLeaves * boundBytes)}.times(scores / blockMoves)
	lease := Units{Requests: beats, Write: beats}.plus(Units{Requests: beats, Read: beats}.times(float64(m.in.Workers - 1)))
	puts := scores/(1+scores*m.in.FoldEvery/day) + scores*math.Exp(-scores*trails/day)
	m.together("leaderboard.Folder.Run", boards*puts,
		root.times(puts).plus(block).times(boards).plus(lease),
		root.times(2*scores).plus(block).times(boards).plus(lease))
}
