// Command plaza creates, checks and operates Plaza's tables.
package main

func main() {}
