package cursor

import (
	"cmp"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// dayKey is derived from a master key for one day, so that no AES key comes near
// the 2^32 messages that 96-bit nonces allow.
type dayKey struct {
	id   byte
	day  int32 // since 1970-01-01 UTC
	aead cipher.AEAD
	macs sync.Pool // of *nonceMAC
}

// nonceMAC is an HMAC that keeps its key schedule, with room for its result.
type nonceMAC struct {
	hash.Hash
	sum [sha256.Size]byte
}

func newDayKey(master []byte, id byte, day int32) (*dayKey, error) {
	info := binary.BigEndian.AppendUint32([]byte("plaza cursor sealed 2 "), uint32(day))
	secret, err := hkdf.Key(sha256.New, master, nil, string(info), 64)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(secret[:32])
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	k := &dayKey{id: id, day: day, aead: aead}
	k.macs.New = func() any { return &nonceMAC{Hash: hmac.New(sha256.New, secret[32:])} }
	return k, nil
}

// nonce derives the nonce from additional data and position. Equal input gives
// an equal nonce, so one position has one cursor a day, and no nonce is reused.
func (k *dayKey) nonce(dst, additional, pos []byte) {
	mac := k.macs.Get().(*nonceMAC)
	mac.Reset()
	mac.Write(additional)
	mac.Write(pos)
	copy(dst, mac.Sum(mac.sum[:0]))
	k.macs.Put(mac)
}

const secondsPerDay = 24 * 60 * 60

func dayOf(t time.Time) int32 {
	seconds := t.Unix()
	day := seconds / secondsPerDay
	if seconds%secondsPerDay < 0 {
		day--
	}
	return int32(day)
}

func endOf(day int32) time.Time { return time.Unix((int64(day)+1)*secondsPerDay, 0) }

// dayKeys remembers the day keys that were used most recently.
type dayKeys struct {
	mu   sync.Mutex
	list atomic.Pointer[[]*dayKey] // never changed in place
}

const maxDayKeys = 8

func (d *dayKeys) find(id byte, day int32) (*dayKey, bool) {
	list := d.list.Load()
	if list == nil {
		return nil, false
	}
	for _, k := range *list {
		if k.day == day && k.id == id {
			return k, true
		}
	}
	return nil, false
}

// add remembers k instead of the oldest key. Add only keys of genuine cursors: otherwise
// made-up days could displace the key in use.
func (d *dayKeys) add(k *dayKey) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, ok := d.find(k.id, k.day); ok {
		return
	}
	list := []*dayKey{k}
	if old := d.list.Load(); old != nil {
		list = append(list, *old...)
	}
	slices.SortStableFunc(list, func(a, b *dayKey) int { return cmp.Compare(b.day, a.day) })
	list = list[:min(len(list), maxDayKeys)]
	d.list.Store(&list)
}
