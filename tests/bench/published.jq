# SPDX-License-Identifier: GPL-2.0-only
# Lines of published-2016.csv (raw input, slurped) -> objects.
split("\n") | map(select(. != "" and (startswith("#") | not))) | .[1:]
| map(split(",") | {name: .[0], patch: .[1], pattern: .[2], bw_kib_s: (.[3] | tonumber), iops: (.[4] | tonumber)})
