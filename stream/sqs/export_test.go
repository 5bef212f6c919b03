package sqs

// Allowed is what refuse asks of each text.
var Allowed = allowed
