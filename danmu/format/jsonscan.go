package format

// nextByte takes white space, and gives the byte behind it, 0 at the end.
func (w *window) nextByte() byte {
	for {
		c := w.byteAt(0)
		if !space(c) {
			return c
		}
		w.take(1)
	}
}

// jsonEnd finds where the value at the front ends. It counts brackets only:
// whether it is JSON is seen by who decodes it. A value that is too long is
// taken, however much it is.
func (w *window) jsonEnd() (int, error) {
	depth, quoted, escaped, long := 0, false, false, false
	end := func(n int) (int, error) {
		if long || n > w.max {
			w.take(n)
			return 0, errLong
		}
		return n, nil
	}
	for i := 0; ; {
		b := w.rest()
		for ; i < len(b); i++ {
			switch c := b[i]; {
			case escaped:
				escaped = false
			case quoted:
				escaped, quoted = c == '\\', c != '"'
			case c == '"':
				quoted = true
			case c == '[' || c == '{':
				depth++
			case depth == 0 && (c == ',' || c == ':' || c == ']' || c == '}' || space(c)):
				return end(i)
			case c == ']' || c == '}':
				if depth--; depth == 0 {
					return end(i + 1)
				}
			}
		}
		if i > w.max {
			long = true
			w.take(i)
			i = 0
		}
		if !w.more() {
			return 0, errOpen
		}
	}
}
