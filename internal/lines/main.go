// Command lines counts a service's lines of Go: those of its .go files as gofmt writes
// them, without blank lines, comments, imports and _test.go files.
//
//	go run ./internal/lines DIR...
package main

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/scanner"
	"go/token"
	"log"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	total := 0
	for _, dir := range os.Args[1:] {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			log.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			n, err := count(file)
			if err != nil {
				log.Fatal(err)
			}
			fmt.Printf("%6d %s\n", n, file)
			total += n
		}
	}
	fmt.Printf("%6d total\n", total)
}

func count(file string) (int, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	if text, err = format.Source(text); err != nil {
		return 0, err
	}
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, file, text, parser.ImportsOnly)
	if err != nil {
		return 0, err
	}
	counted := map[int]bool{}
	var scan scanner.Scanner
	at := files.AddFile(file, -1, len(text))
	scan.Init(at, text, nil, 0) // comments are no tokens
	for {
		pos, tok, literal := scan.Scan()
		if tok == token.EOF {
			break
		}
		if tok == token.SEMICOLON { // most are made up by the scanner
			continue
		}
		for i := range strings.Count(literal, "\n") + 1 { // a text in backquotes has several lines
			counted[at.Line(pos)+i] = true
		}
	}
	for _, d := range parsed.Decls {
		if imports, ok := d.(*ast.GenDecl); ok {
			for line := files.Position(imports.Pos()).Line; line <= files.Position(imports.End()).Line; line++ {
				delete(counted, line)
			}
		}
	}
	return len(counted), nil
}
