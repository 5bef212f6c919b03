package danmu

// maxShare is the smallest share: 1/2^5, a 32nd.
const maxShare = hashBits

// inShare reports whether id is in the share of 1/2^j, which holds those of
// 1/2^(j+1).
func (id ID) inShare(j int) bool { return id.hash()&(1<<j-1) == 0 }

// lot draws a place for id among its neighbours: the same each time, and not
// by age.
func (id ID) lot() uint64 {
	x := id.unique() * 0x9E3779B97F4A7C15
	x = (x ^ x>>32) * 0xD6E8FEB86659FD93
	return x ^ x>>32
}
