package danmu

import (
	"encoding/binary"
	"errors"
	"math/bits"
)

// The first byte of stored segment numbers says in which form they are.
const (
	asRuns byte = 'r' // for each run: its distance from the run before, and its length minus 1
	asBits byte = 'b' // one bit for each segment from the first on, the lowest bit first
)

var errSegments = errors.New("segs cannot be unpacked")

// packSegments writes rising numbers in the shorter form. A film is one run, and no
// object takes more than one bit for each segment.
func packSegments(numbers []int) []byte {
	if len(numbers) == 0 {
		return nil
	}
	bitmap := 2 + numbers[len(numbers)-1]/8
	runs := []byte{asRuns}
	end := 0
	for i := 0; i < len(numbers) && len(runs) <= bitmap; {
		first := i
		for i++; i < len(numbers) && numbers[i] == numbers[i-1]+1; i++ {
		}
		runs = binary.AppendUvarint(runs, uint64(numbers[first]-end))
		runs = binary.AppendUvarint(runs, uint64(i-first-1))
		end = numbers[i-1] + 1
	}
	if len(runs) <= bitmap {
		return runs
	}
	packed := make([]byte, bitmap)
	packed[0] = asBits
	for _, n := range numbers {
		packed[1+n/8] |= 1 << (n % 8)
	}
	return packed
}

// unpackSegments reads what packSegments wrote; last is the greatest valid number.
func unpackSegments(packed []byte, last int) ([]int, error) {
	if len(packed) == 0 {
		return nil, nil
	}
	form, packed := packed[0], packed[1:]
	switch form {
	case asRuns:
		return unpackRuns(packed, last)
	case asBits:
		return unpackBits(packed, last)
	}
	return nil, errSegments
}

func unpackRuns(packed []byte, last int) ([]int, error) {
	var numbers []int
	end := 0
	for len(packed) > 0 {
		gap, n := binary.Uvarint(packed)
		if n <= 0 {
			return nil, errSegments
		}
		more, m := binary.Uvarint(packed[n:])
		if packed = packed[max(0, n+m):]; m <= 0 || gap > uint64(last) || more > uint64(last) || end+int(gap+more) > last {
			return nil, errSegments
		}
		for i := range int(more) + 1 {
			numbers = append(numbers, end+int(gap)+i)
		}
		end += int(gap+more) + 1
	}
	return numbers, nil
}

func unpackBits(packed []byte, last int) ([]int, error) {
	if len(packed) > last/8+1 {
		return nil, errSegments
	}
	var numbers []int
	for i, eight := range packed {
		for ; eight != 0; eight &= eight - 1 {
			numbers = append(numbers, i*8+bits.TrailingZeros8(eight))
		}
	}
	if len(numbers) > 0 && numbers[len(numbers)-1] > last {
		return nil, errSegments
	}
	return numbers, nil
}
