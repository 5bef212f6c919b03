package videos

import (
	"errors"
	"strings"

	"github.com/plaza-sdk/plaza"
)

// wireName is this service's name for a field of Plaza's.
func wireName(field string) string {
	switch field {
	case "Progress":
		return "content.time"
	case "Text", "Color", "Size":
		return "content." + strings.ToLower(field)
	case "Mode":
		return "content.position"
	case "Object":
		return "objectId"
	case "User":
		return "userId"
	case "Owner":
		return "ownerId"
	case "Limit":
		return "size"
	case "ID":
		return "id"
	}
	return strings.ToLower(field[:1]) + field[1:]
}

// inQuery names the parameter in an InvalidError of Plaza's.
func inQuery(parameter string, err error) error {
	var invalid *plaza.InvalidError
	if errors.As(err, &invalid) {
		return &plaza.InvalidError{Field: parameter, Reason: invalid.Reason}
	}
	return err
}
