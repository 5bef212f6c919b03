package comment

import "github.com/guregu/dynamo/v2"

// UnmarshalDynamoItem reads the attributes that are there, where the driver
// would look for each that might be: a page is read by it in half the time.
func (i *row) UnmarshalDynamoItem(item dynamo.Item) error {
	for name, value := range item {
		to := i.attribute(name)
		if to == nil {
			continue
		}
		if err := dynamo.Unmarshal(value, to); err != nil {
			return err
		}
	}
	return nil
}

func (i *row) attribute(name string) any {
	switch name {
	case "pk":
		return &i.PK
	case "sk":
		return &i.SK
	case "user":
		return &i.User
	case "text":
		return &i.Text
	case "parent":
		return &i.Parent
	case "parentRest":
		return &i.ParentRest
	case "quote":
		return &i.Quote
	case "mentions":
		return &i.Mentions
	case "data":
		return &i.Data
	case "edited":
		return &i.Edited
	case "score":
		return &i.Score
	case "hidden":
		return &i.Hidden
	case "removed":
		return &i.Removed
	case "ttl":
		return &i.TTL
	case "replies":
		return &i.Replies
	case "answers":
		return &i.Answers
	case "rows":
		return &i.Rows
	case "first":
		return &i.First
	case "more":
		return &i.More
	case "ver":
		return &i.Ver
	}
	return nil
}
