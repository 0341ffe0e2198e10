# CXF and Metro: each generates its own classes of the contracts, and the program around them is the same. The
# engine's Makefile says TOOLKIT (the interop suite's name of it) and `generate` before it includes this.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
JAVA := $(BENCH)/languages/java
INTEROP := $(abspath $(BENCH)/../interop)
LIB := $(INTEROP)/build/$(TOOLKIT)/lib
CONTRACTS := bench nested files
SOURCES := $(wildcard *.java) $(wildcard $(JAVA)/bench/*.java) $(wildcard $(JAVA)/jaxws/*.java)

$(BUILD)/ready: $(LIB)/ready $(SOURCES) $(JAVA)/jaxws/nested.xjb $(CONTRACTS:%=$(BENCH_WSDL)/%.wsdl)
	rm -rf $(BUILD)/source $(BUILD)/classes
	mkdir -p $(BUILD)/source $(BUILD)/classes
	sed 's#"WSDL"#"$(BENCH_WSDL)/nested.wsdl"#' $(JAVA)/jaxws/nested.xjb >$(BUILD)/nested.xjb
	for contract in $(CONTRACTS); do \
		bindings=(); [ $$contract != nested ] || bindings=(-b $(BUILD)/nested.xjb); \
		java -cp "$(LIB)/*" $(generate) "$${bindings[@]}" $(BENCH_WSDL)/$$contract.wsdl \
			>$(BUILD)/log 2>&1 || { cat $(BUILD)/log; exit 1; }; \
	done
	javac -nowarn -proc:none -cp "$(LIB)/*" -d $(BUILD)/classes $(SOURCES) $$(find $(BUILD)/source -name '*.java') \
		>$(BUILD)/log 2>&1 || { cat $(BUILD)/log; exit 1; }
	touch $@

$(LIB)/ready:
	$(MAKE) --no-print-directory -C $(INTEROP) build/$(TOOLKIT)/lib/ready
