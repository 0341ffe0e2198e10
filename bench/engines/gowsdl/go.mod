module castile/bench/gowsdl

go 1.22

require github.com/hooklift/gowsdl v0.5.0
