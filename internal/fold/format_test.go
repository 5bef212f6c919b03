package fold

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// vector is a line of testdata: root or block, its bytes and, if they are valid, what
// they say. Lines are only added: a changed line would be a changed format.
type vector struct {
	form string
	data []byte
	says string
}

func vectors(t testing.TB, file string) (all []vector) {
	f, err := os.Open("testdata/" + file)
	require.NoError(t, err)
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		line := lines.Text()
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		form, rest, _ := strings.Cut(line, " ")
		data, says, _ := strings.Cut(rest, " ")
		raw, err := hex.DecodeString(data)
		require.NoError(t, err, line)
		all = append(all, vector{form, raw, says})
	}
	require.NotEmpty(t, all)
	return all
}

// parse returns what v says, and its bytes as they are written.
func (v vector) parse(t require.TestingT) (says string, data []byte, err error) {
	if v.form == "root" {
		root, err := ParseRoot(v.data)
		if err != nil {
			return "", nil, err
		}
		return root.says(), root.written(), nil
	}
	require.Equal(t, "block", v.form)
	block, err := ParseBlock(v.data)
	if err != nil {
		return "", nil, err
	}
	return fmt.Sprintf("%q", block.from), block.written(), nil
}

func (r *Root) says() string {
	text := fmt.Sprint(r.Len())
	for i, b := range r.blocks {
		text += fmt.Sprintf(" %d/%d:%q", r.ids[i].Gen, r.ids[i].N, b.from)
		for _, extra := range b.extra {
			text += fmt.Sprint(" ", minLeaf+int(extra))
		}
	}
	return text
}

// written is as a set writes it.
func (r *Root) written() []byte {
	var blocks []*block
	for i, c := range r.blocks {
		b := &block{id: r.ids[i]}
		for _, extra := range c.extra {
			b.leaves = append(b.leaves, leaf{n: minLeaf + int(extra)})
		}
		b.leaves[0].from = c.from
		blocks = append(blocks, b)
	}
	return appendRoot(int(r.n), blocks)
}

func (b *Block) written() []byte { return appendBlock(b.leaves()) }

func (b *Block) leaves() (all []leaf) {
	for _, from := range b.from {
		all = append(all, leaf{from: from})
	}
	return all
}

func TestValidVectors(t *testing.T) {
	for _, v := range vectors(t, "valid.txt") {
		says, data, err := v.parse(t)
		require.NoError(t, err, "%s %x", v.form, v.data)
		require.Equal(t, v.says, says)
		require.Equal(t, v.data, data)
	}
}

func TestInvalidVectors(t *testing.T) {
	for _, v := range vectors(t, "invalid.txt") {
		_, _, err := v.parse(t)
		require.Error(t, err, "%s %x", v.form, v.data)
	}
}

func FuzzParseRoot(f *testing.F) {
	var blocks []*Block
	for _, file := range []string{"valid.txt", "invalid.txt"} {
		for _, v := range vectors(f, file) {
			if v.form == "root" {
				f.Add(v.data, []byte("key"), int64(300))
			} else if b, err := ParseBlock(v.data); err == nil {
				blocks = append(blocks, b)
			}
		}
	}
	f.Fuzz(func(t *testing.T, data, key []byte, above int64) {
		root, err := ParseRoot(data)
		if err != nil {
			return
		}
		require.Equal(t, data, root.written())
		for _, i := range []int{root.Block(key), root.BlockAt(above)} {
			for _, b := range append(blocks, nil) {
				if leaf, err := root.Leaf(i, b, key); err == nil {
					require.LessOrEqual(t, leaf.Above+int64(leaf.N), root.Len())
				}
				if leaf, err := root.LeafAt(i, b, above); err == nil {
					require.LessOrEqual(t, leaf.Above+int64(leaf.N), root.Len())
				}
			}
		}
	})
}

func FuzzParseBlock(f *testing.F) {
	for _, file := range []string{"valid.txt", "invalid.txt"} {
		for _, v := range vectors(f, file) {
			if v.form == "block" {
				f.Add(v.data)
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if block, err := ParseBlock(data); err == nil {
			require.Equal(t, data, block.written())
		}
	})
}

// It does not run beside others, whose memory would count.
func TestForgeriesTakeLittleMemory(t *testing.T) {
	allocated := func(parse func()) int {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		parse()
		runtime.ReadMemStats(&after)
		return int(after.TotalAlloc - before.TotalAlloc)
	}
	// A root that claims as many blocks as the parser allows, and larger numbers.
	for _, blocks := range []uint64{1, 1 << 10, 1<<20/minBlock + 1, 1 << 19, 1 << 40, math.MaxUint64} {
		forged := binary.AppendUvarint([]byte{version, 100}, blocks)
		forged = append(forged, make([]byte, 1<<20)...)
		require.Less(t, allocated(func() {
			_, err := ParseRoot(forged)
			require.Error(t, err)
		}), 2<<20, "%d blocks", blocks)
	}
	// Separators that share a thousand bytes with the one before.
	forged := binary.AppendUvarint([]byte{version, 0}, MaxKey)
	forged = append(forged, make([]byte, MaxKey)...)
	for i := range byte(255) {
		forged = append(binary.AppendUvarint(forged, MaxKey-1), 1, 1+i)
	}
	require.Less(t, allocated(func() {
		_, err := ParseBlock(forged)
		require.Error(t, err)
	}), 400<<10)
}

// TestSizesAreBounded says what MaxBlock and MaxRoot promise.
func TestSizesAreBounded(t *testing.T) {
	t.Parallel()
	require.Less(t, MaxBlock, 400<<10)
	largest := make([]leaf, 2*minBlock-2)
	for i := range largest {
		largest[i].from = append([]byte{byte(i)}, make([]byte, MaxKey-1)...)
	}
	data := appendBlock(largest)
	require.Len(t, data, MaxBlock)
	_, err := ParseBlock(data)
	require.NoError(t, err)
	_, err = ParseBlock(appendBlock(slices.Concat(largest, []leaf{{from: []byte{255}}})))
	require.Error(t, err, "a block with a leaf more than there are")

	// As many blocks and leaves as n keys can have.
	root := func(n, separator int) []byte {
		var blocks []*block
		for leaves := n / minLeaf; leaves > 0; {
			size := minBlock
			if leaves < 2*minBlock {
				size = leaves
			}
			leaves -= size
			b := &block{leaves: make([]leaf, size), id: BlockID{math.MaxUint64, math.MaxUint64}}
			for i := range b.leaves {
				b.leaves[i].n = minLeaf
			}
			b.leaves[0].from = make([]byte, separator)
			blocks = append(blocks, b)
		}
		return appendRoot(n, blocks)
	}
	require.Less(t, len(root(10_000_000, MaxKey)), MaxRoot)
	require.Less(t, len(root(50_000_000, 40)), MaxRoot)
}

func TestABlockThatIsNotTheRootsIsAnError(t *testing.T) {
	t.Parallel()
	var blocks []*block
	var stored []*Block
	for i := range 3 {
		b := &block{leaves: make([]leaf, minBlock)}
		for j := range b.leaves {
			b.leaves[j] = leaf{n: minLeaf}
			if i+j > 0 {
				b.leaves[j].from = []byte{byte(i), byte(j)}
			}
		}
		blocks = append(blocks, b)
		read, err := ParseBlock(appendBlock(b.leaves[1:]))
		require.NoError(t, err)
		stored = append(stored, read)
	}
	root, err := ParseRoot(appendRoot(3*minBlock*minLeaf, blocks))
	require.NoError(t, err)
	fewer, err := ParseBlock(appendBlock(blocks[1].leaves[2:]))
	require.NoError(t, err)
	for i := range stored {
		for j, b := range append(stored, nil, fewer) {
			_, err := root.Leaves(i, b)
			require.Equal(t, i == j, err == nil, "block %d as block %d", j, i)
			_, err = root.Leaf(i, b, []byte{1, 1})
			require.Equal(t, i == j, err == nil)
			_, err = root.LeafAt(i, b, 1)
			require.Equal(t, i == j, err == nil)
		}
	}
}
