package comment

// ByName is a row that is decoded by the names of its attributes, and how.
func ByName() (any, func(name string) any) {
	i := new(row)
	return i, i.attribute
}
