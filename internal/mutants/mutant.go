package main

import (
	"fmt"
	"strings"
)

// mutant is a change and the tests that must notice it.
type mutant struct {
	File     string
	Old, New string // Old occurs once in the file
	Package  string
	Test     string // a regular expression, as go test -run takes it
	line     int    // in mutants.txt
}

func (m mutant) String() string {
	return fmt.Sprintf("%s: %s => %s (mutants.txt:%d)", m.File, m.Old, m.New, m.line)
}

// apply returns the changed source.
func (m mutant) apply(source string) (string, error) {
	if n := strings.Count(source, m.Old); n != 1 {
		return "", fmt.Errorf("its old text occurs %d times, not once", n)
	}
	return strings.Replace(source, m.Old, m.New, 1), nil
}

// parse reads mutants of four lines each. Between them may be blank lines and
// lines that begin with #:
//
//	feed/hydrate.go
//	- the old text
//	+ the new one
//	./feed TestName
func parse(text string) (mutants []mutant, err error) {
	var lines []string
	begun := 0
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimRight(line, " \r")
		if line == "" || strings.HasPrefix(line, "#") {
			if len(lines) > 0 {
				return nil, fmt.Errorf("mutants.txt:%d: a mutant has four lines", i+1)
			}
			continue
		}
		if lines = append(lines, line); len(lines) == 1 {
			begun = i + 1
		}
		if len(lines) < 4 {
			continue
		}
		was, isOld := strings.CutPrefix(lines[1], "- ")
		becomes, isNew := strings.CutPrefix(lines[2], "+ ")
		if lines[2] == "+" { // deleted
			becomes, isNew = "", true
		}
		pkg, test, named := strings.Cut(lines[3], " ")
		if !isOld || !isNew || !named {
			return nil, fmt.Errorf("mutants.txt:%d: a mutant is a file, '- old', '+ new' and a package with its test", begun)
		}
		mutants = append(mutants, mutant{File: lines[0], Old: was, New: becomes, Package: pkg, Test: test, line: begun})
		lines = nil
	}
	if len(lines) > 0 {
		return nil, fmt.Errorf("mutants.txt:%d: a mutant has four lines", begun)
	}
	return mutants, nil
}
