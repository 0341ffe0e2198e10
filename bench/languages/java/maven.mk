# What engines in Java with a pom of their own share: $(BUILD)/lib from Maven's central repository, and the classes
# that all use, $(SHARED).
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
LIB := $(BUILD)/lib
SHARED := $(wildcard $(BENCH)/languages/java/bench/*.java)

all: $(BUILD)/ready

$(LIB)/ready: pom.xml
	rm -rf $(LIB)
	mvn --quiet --batch-mode --strict-checksums --file $< dependency:copy-dependencies -DoutputDirectory=$(LIB)
	touch $@
