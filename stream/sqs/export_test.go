package sqs

// Allowed is what refuse asks of each text.
var Allowed = allowed

// Decode reads a message's body.
var Decode = decode
