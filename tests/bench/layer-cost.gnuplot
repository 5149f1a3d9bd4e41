# SPDX-License-Identifier: GPL-2.0-only
# Layer cost of each device, reads left, writes right. Given: terminal (svg or png), data, output.
# Colours are Okabe and Ito's, which people who are colour-blind can tell apart.

if (terminal eq "svg") {
	set terminal svg size 1100,560 font "DejaVu Sans,13" background "white"
} else {
	set terminal pngcairo size 1100,560 font "DejaVu Sans,10" background "white"
}
set output output
set datafile separator "\t"

stats data using 3 nooutput name "reads"
stats data using 5 nooutput name "read_targets"
stats data using 6 nooutput name "write_targets"
rows = int(reads_records)
read_target = read_targets_max
write_target = write_targets_max

# dm-mirror's writes, two to three times anybody else's, run out of the picture, with an arrow.
stats data using ($2 == 1 ? NaN : $4) nooutput name "writes"
write_edge = writes_max * 1.15
shown(value) = value > write_edge ? write_edge : value
figure(value) = value > write_edge ? sprintf("%d \342\226\266", value) : sprintf("%d", value)

color(kind) = kind == 3 ? 0x0072b2 : kind == 2 ? 0xe69f00 : 0xb0b0b0
ink(kind) = kind == 3 ? 0xffffff : 0x000000

set style fill solid 1.0 noborder
set border 1 lc rgb "#444444"
set yrange [-0.6:rows - 0.4]
set xtics nomirror out font ",10"
set ytics scale 0 nomirror
set grid xtics lc rgb "#dddddd" lt 1
set boxwidth 0.7
unset key
set xlabel "instructions above the RAM disk" font ",11"

set multiplot layout 1,2 title "What a device adds to a 4 KiB random I/O" font ",15"

set title sprintf("Read (dashed: target for mirrorbal, at most %.0f)", read_target) offset 0,-0.6
set arrow 1 from read_target, graph 0 to read_target, graph 1 nohead front dt 2 lw 1.5 lc rgb "#000000"
set lmargin at screen 0.27
set rmargin at screen 0.63
set xrange [0:reads_max * 1.05]
set xtics 1000
plot data using ($3 / 2):0:($3 / 2):(0.36):(color($2)):ytic(1) with boxxyerror lc rgb variable, \
     "" using (0):0:(sprintf("%d", $3)):(ink($2)) with labels left offset 0.7,0 font ",10" tc rgb variable

set title sprintf("Write (at most %.0f)", write_target)
set arrow 1 from write_target, graph 0 to write_target, graph 1 nohead front dt 2 lw 1.5 lc rgb "#000000"
set lmargin at screen 0.66
set rmargin at screen 0.98
set format y ""
set xrange [0:write_edge]
plot data using (shown($4) / 2):0:(shown($4) / 2):(0.36):(color($2)):ytic("") with boxxyerror lc rgb variable, \
     "" using (0):0:(figure($4)):(ink($2)) with labels left offset 0.7,0 font ",10" tc rgb variable
unset multiplot
