package announce

// ByName returns a row, and its field by the attribute's name.
func ByName() (any, func(name string) any) {
	i := new(row)
	return i, i.attribute
}
