package cursor

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"time"
)

// The sealed form, before base64url:
//
//	version 1, key id 1, day 4, nonce 12, AES-256-GCM(position), tag 16
//
// The first three are the header. Additional data are the scope's hash and
// the header.
const (
	headerSize = 1 + 1 + 4
	nonceSize  = 12
	tagSize    = 16

	additionalSize = sha256.Size + headerSize
	maxSkew        = 1 // days that another machine's clock may be ahead
)

type sealed struct {
	keys Keyring
	days dayKeys
}

// Sealed is a Codec that encrypts positions. Nobody without the keys can read or forge its cursors.
// A position has the same cursor all day, so others can recognize equal positions, but nothing
// else.
func Sealed(keys Keyring) (Codec, error) {
	if err := keys.validate(); err != nil {
		return nil, err
	}
	masters := make(map[byte][]byte, len(keys.Keys))
	for id, master := range keys.Keys {
		masters[id] = bytes.Clone(master)
	}
	keys.Keys = masters
	if keys.Now == nil {
		keys.Now = time.Now
	}
	s := &sealed{keys: keys}
	k, _, err := s.key(keys.Current, dayOf(keys.Now()))
	if err != nil {
		return nil, err
	}
	s.days.add(k)
	return s, nil
}

func (s *sealed) Encode(scope Scope, pos []byte) Cursor {
	day := dayOf(s.keys.Now())
	k, known, err := s.key(s.keys.Current, day)
	if err != nil {
		panic(err) // the same derivation succeeded in Sealed
	}
	if !known {
		s.days.add(k)
	}

	// One buffer: scope hash, header, nonce, position, tag. The additional data
	// are its start; the cursor is all after the hash.
	const at = additionalSize + nonceSize
	buf := make([]byte, at, at+len(pos)+tagSize)
	hash := scope.hash()
	copy(buf, hash[:])
	putHeader(buf[sha256.Size:], k)
	buf = append(buf, pos...)
	additional, nonce, position := buf[:additionalSize], buf[additionalSize:at], buf[at:]
	k.nonce(nonce, additional, position)
	k.aead.Seal(position[:0], nonce, position, additional)
	return encodeText(buf[sha256.Size : len(buf)+tagSize])
}

func (s *sealed) Decode(scope Scope, c Cursor) ([]byte, error) {
	buf, err := decodeText(make([]byte, sha256.Size, sha256.Size+min(len(c), maxText)), c)
	if err != nil {
		return nil, err
	}
	const at = additionalSize + nonceSize
	if len(buf) < at || buf[sha256.Size] != sealedVersion {
		return nil, ErrInvalid
	}
	id, day := header(buf[sha256.Size:])
	now := s.keys.Now()
	if int64(day) > int64(dayOf(now))+maxSkew {
		return nil, ErrInvalid
	}
	if _, ok := s.keys.Keys[id]; !ok {
		return nil, ErrInvalid
	}
	k, known, err := s.key(id, day)
	if err != nil {
		return nil, err
	}
	hash := scope.hash()
	copy(buf, hash[:])
	pos, err := k.aead.Open(buf[at:at], buf[additionalSize:at], buf[at:], buf[:additionalSize])
	if err != nil {
		return nil, ErrInvalid
	}
	if s.keys.MaxAge > 0 && !now.Before(endOf(day).Add(s.keys.MaxAge)) {
		return nil, ErrExpired
	}
	if !known {
		s.days.add(k)
	}
	return pos, nil
}

func (s *sealed) key(id byte, day int32) (k *dayKey, known bool, err error) {
	if k, ok := s.days.find(id, day); ok {
		return k, true, nil
	}
	k, err = newDayKey(s.keys.Keys[id], id, day)
	if err != nil {
		return nil, false, fmt.Errorf("cursor: derive a day's key: %w", err)
	}
	return k, false, nil
}

func putHeader(dst []byte, k *dayKey) {
	dst[0], dst[1] = sealedVersion, k.id
	binary.BigEndian.PutUint32(dst[2:], uint32(k.day))
}

func header(src []byte) (id byte, day int32) {
	return src[1], int32(binary.BigEndian.Uint32(src[2:]))
}
