package manifest

import "strings"

// maxList bounds the elements of one list of short values.
const maxList = 1000

// list is a key that holds an array of strings of one line. each gets the ones
// that are such.
func list(name string, each func(v value, s string)) field { return listUpTo(name, maxWord, each) }

func listUpTo(name string, limit int, each func(v value, s string)) field {
	return field{name: name, read: func(v value) {
		if !v.is(kindArray, "") {
			return
		}
		if n := len(v.node.items); n > maxList {
			v.fault("", "%d elements are given, more than the limit of %d", n, maxList)
			return
		}
		for i := range v.node.items {
			item := v.item(i)
			s, ok := item.text(limit)
			switch {
			case !ok:
			case strings.TrimSpace(s) == "":
				item.fault("", "the string is empty")
			default:
				each(item, s)
			}
		}
	}}
}

// texts is a list of strings of any length and number of lines.
func texts(name string, to *[]string) field {
	return listUpTo(name, maxString, func(_ value, s string) { *to = append(*to, s) })
}

// words is a list that is taken as it is.
func words(name string, to *[]string) field {
	return list(name, func(_ value, s string) { *to = append(*to, s) })
}

// tables is a key that holds an array of tables.
func tables(name string, read func(value)) field {
	return field{name: name, read: func(v value) {
		if !v.is(kindArray, "write [["+v.path+"]]") {
			return
		}
		if n := len(v.node.items); n > maxList {
			v.fault("", "%d tables are given, more than the limit of %d", n, maxList)
			return
		}
		for i := range v.node.items {
			if item := v.item(i); item.is(kindTable, "") {
				read(item)
			}
		}
	}}
}

// named is a key that holds one table for each name of the author's choice.
func named(name string, read func(name string, v value)) field {
	return table(name, func(v value) {
		if n := len(v.node.keys); n > maxList {
			v.fault("", "%d tables are given, more than the limit of %d", n, maxList)
			return
		}
		for _, e := range v.node.keys {
			if at := v.at(e.name); at.is(kindTable, "") {
				read(e.name, at)
			}
		}
	})
}

// number is a key that holds an integer from least to most.
func number(name string, to *uint32, least, most uint32) field {
	return field{name: name, read: func(v value) {
		hint := ""
		if v.node.kind == kindString {
			hint = "write it without quotes"
		}
		if !v.is(kindInteger, hint) {
			return
		}
		n, err := v.node.integer()
		if err != nil || n < int64(least) || n > int64(most) {
			v.fault("", "want a number from %d to %d", least, most)
			return
		}
		*to = uint32(n)
	}}
}

// shortName reports whether s is one to 64 letters of the small alphabet that
// names of an author's choice have.
func shortName(s string) bool {
	return s != "" && len(s) <= 64 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789_-") == ""
}

const shortNameHint = "use lower-case letters, digits, dashes and underscores, at most 64"
