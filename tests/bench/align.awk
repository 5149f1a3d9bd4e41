# SPDX-License-Identifier: GPL-2.0-only
# Markdown tables whose cells stand apart by tabs -> aligned ones; other lines pass. A column is set to the right if
# each cell below its heading begins with a digit, a sign or a dash.
function flush_table(	r, c, line, rule) {
	for (r = 1; r <= rows; r++) {
		line = "|"
		rule = "|"
		for (c = 1; c <= columns; c++) {
			line = line sprintf(right[c] ? " %" width[c] "s |" : " %-" width[c] "s |", cell[r, c])
			rule = rule " " dashes(width[c] - right[c]) (right[c] ? ": |" : " |")
		}
		print line
		if (r == 1)
			print rule
	}
	rows = columns = 0
	delete width
	delete right
}

function dashes(n,	s) {
	while (n-- > 0)
		s = s "-"
	return s
}

BEGIN { FS = "\t" }

NF < 2 {
	flush_table()
	print
	next
}

{
	rows++
	if (NF > columns)
		columns = NF
	for (c = 1; c <= NF; c++) {
		cell[rows, c] = $c
		if (rows == 1)
			right[c] = 1
		else if ($c !~ /^[-+0-9]/)
			right[c] = 0
		if (length($c) > width[c])
			width[c] = length($c)
	}
}

END { flush_table() }
