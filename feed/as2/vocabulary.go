package as2

import "bytes"

// The namespaces of the standard and of Plaza's additions.
const (
	namespace      = "https://www.w3.org/ns/activitystreams"
	plazaNamespace = "https://github.com/plaza-sdk/plaza#"
)

// isNamespace reports whether an IRI is the standard's context, also with http
// or a trailing '#'.
func isNamespace(iri []byte) bool {
	iri = bytes.TrimSuffix(iri, []byte("#"))
	return string(iri) == namespace || string(iri) == "http://www.w3.org/ns/activitystreams"
}

// typeClass is what kind of object a type names.
type typeClass int

const (
	extensionType typeClass = iota // not in the standard's vocabulary
	activityType
	generalType // Activity itself: another type is preferred as the verb
	pageType
	collectionType
	linkType
	otherType
)

// classify returns the standard's short name of a type, if it has one.
func classify(name []byte) ([]byte, typeClass) {
	short := name
	if hash := bytes.IndexByte(name, '#'); hash >= 0 && isNamespace(name[:hash]) {
		short = name[hash+1:]
	} else if term, ok := bytes.CutPrefix(name, []byte("as:")); ok {
		short = term
	}
	switch string(short) {
	case "Activity", "IntransitiveActivity":
		return short, generalType
	case "Accept", "Add", "Announce", "Arrive", "Block", "Create", "Delete", "Dislike", "Flag", "Follow",
		"Ignore", "Invite", "Join", "Leave", "Like", "Listen", "Move", "Offer", "Question", "Read", "Reject",
		"Remove", "TentativeAccept", "TentativeReject", "Travel", "Undo", "Update", "View":
		return short, activityType
	case "CollectionPage", "OrderedCollectionPage":
		return short, pageType
	case "Collection", "OrderedCollection":
		return short, collectionType
	case "Link", "Mention":
		return short, linkType
	case "Object", "Application", "Group", "Organization", "Person", "Service",
		"Article", "Audio", "Document", "Event", "Image", "Note", "Page", "Place", "Profile",
		"Relationship", "Tombstone", "Video":
		return short, otherType
	}
	return name, extensionType
}

// propertyKind is which values a property of the standard may have.
type propertyKind int

const (
	extensionKind propertyKind = iota // not in the standard, or with values of every kind
	idKind                            // one absolute IRI
	typeKind
	textKind
	textMapKind
	timeKind
	urlKind  // absolute IRIs or links
	pageKind // as objectKind, but the only object allowed is a page
	objectKind
)

func kindOf(property []byte) propertyKind {
	switch string(property) {
	case "id", "href":
		return idKind
	case "type":
		return typeKind
	case "name", "summary", "content":
		return textKind
	case "nameMap", "summaryMap", "contentMap":
		return textMapKind
	case "published", "updated", "startTime", "endTime", "deleted":
		return timeKind
	case "url":
		return urlKind
	case "first", "last", "next", "prev", "current":
		return pageKind
	case "actor", "object", "target", "origin", "result", "instrument", "subject", "describes",
		"attributedTo", "attachment", "audience", "to", "cc", "bto", "bcc", "context", "generator",
		"icon", "image", "inReplyTo", "location", "preview", "replies", "tag", "partOf",
		"items", "orderedItems", "oneOf", "anyOf":
		return objectKind
	}
	return extensionKind
}
