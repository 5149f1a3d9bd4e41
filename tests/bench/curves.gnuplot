# SPDX-License-Identifier: GPL-2.0-only
# Plots of arrays on simulated drives. Given: plot (depth, readers, slow or window), terminal (svg or png), data, output,
# single (MB/s of one drive). Colours are Okabe and Ito's.

if (terminal eq "svg") {
	set terminal svg size 900,520 font "DejaVu Sans,13" background "white"
} else {
	set terminal pngcairo size 900,520 font "DejaVu Sans,10" background "white"
}
set output output
set datafile separator "\t"
set border 3 lc rgb "#444444"
set tics nomirror out
set grid ytics lc rgb "#dddddd" lt 1
set key left top reverse Left
array color[7] = [0x0072b2, 0x56b4e9, 0x009e73, 0xe69f00, 0xcc79a7, 0xf0e442, 0x000000]

if (plot eq "depth") {
	set title "Random 4 KiB reads, n4 on four simulated drives"
	set xlabel "queue depth"
	set ylabel "reads a second"
	set logscale x 2
	set yrange [0:*]
	set style data linespoints
	plot for [i=0:6] data index i using 1:2 title columnheader(1) lc rgb color[i + 1] lw (i == 0 || i == 6 ? 3 : 1.5) pt 7 ps 0.6
}
if (plot eq "readers") {
	set title "One buffered reader in sequence"
	set ylabel "MB/s"
	set yrange [0:*]
	set style data histogram
	set style histogram clustered gap 1
	set style fill solid 1.0 noborder
	set arrow 1 from graph 0, first single to graph 1, first single nohead dt 2 lw 1.5 front
	set label 1 "one drive" at graph 0.99, first single right offset 0,0.6 front
	plot data using 2:xtic(1) title "md raid10" lc rgb 0xb0b0b0, "" using 3 title "mirrorbal" lc rgb color[1]
}
if (plot eq "slow") {
	set title "Leg 0 turns ten times slower at second 6, and is well again at second 14"
	set xlabel "seconds"
	set ylabel "reads of a leg a second"
	set y2label "99th percentile, microseconds"
	set y2tics
	set yrange [0:*]
	set y2range [0:*]
	set arrow 1 from 6, graph 0 to 6, graph 1 nohead dt 2 lc rgb "#888888"
	set arrow 2 from 14, graph 0 to 14, graph 1 nohead dt 2 lc rgb "#888888"
	set key center top
	plot data using 1:2 with steps lw 3 lc rgb color[1] title "leg 0", \
	     "" using 1:3 with steps lw 3 lc rgb color[4] title "leg 1", \
	     "" using 1:4 axes x1y2 with steps lw 1.5 dt 3 lc rgb color[7] title "99th percentile"
}
if (plot eq "window") {
	set title "One buffered reader by window: after so much the next copy takes over"
	set xlabel "window, MiB"
	set ylabel "MB/s"
	set logscale x 2
	set yrange [0:*]
	set arrow 1 from graph 0, first single to graph 1, first single nohead dt 2 lw 1.5
	set label 1 "one drive" at graph 0.99, first single right offset 0,0.6
	plot for [i=0:2] data index i using 1:2 with linespoints title columnheader(1) lc rgb color[i + 1] lw 3 pt 7 ps 0.8
}
