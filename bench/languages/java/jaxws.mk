# CXF and Metro: each generates its own classes of the contracts, and the program around them is the same. The
# engine's Makefile says TOOLKIT (the interop suite's name of it) and `generate` before it includes this.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
JAVA := $(BENCH)/languages/java
INTEROP := $(abspath $(BENCH)/../interop)
LIB := $(INTEROP)/build/$(TOOLKIT)/lib
CONTRACTS := bench nested files swa
SWA := http://ws-i.org/profiles/basic/1.1/xsd
SOURCES := $(wildcard *.java) $(wildcard $(JAVA)/bench/*.java) $(wildcard $(JAVA)/jaxws/*.java)

$(BUILD)/ready: $(LIB)/ready $(SOURCES) $(JAVA)/jaxws/nested.xjb $(addprefix $(BENCH_WSDL)/,bench.wsdl nested.wsdl files.wsdl)
	rm -rf $(BUILD)/source $(BUILD)/classes
	mkdir -p $(BUILD)/source $(BUILD)/classes
	sed 's#"WSDL"#"$(BUILD)/nested.wsdl"#' $(JAVA)/jaxws/nested.xjb >$(BUILD)/nested.xjb
	cp $(BENCH_WSDL)/*.wsdl $(BUILD)/
	sed -e 's#xmlns:b=#xmlns:r="$(SWA)" &#' -e 's#type="xsd:base64Binary"#type="r:swaRef"#' \
		-e 's#<wsdl:types>#&<xsd:schema targetNamespace="$(SWA)"><xsd:simpleType name="swaRef"><xsd:restriction base="xsd:anyURI"/></xsd:simpleType></xsd:schema>#' \
		-e 's#elementFormDefault="qualified">#&<xsd:import namespace="$(SWA)"/>#' $(BENCH_WSDL)/files.wsdl >$(BUILD)/swa.wsdl
	for contract in $(CONTRACTS); do \
		more=(); \
		[ $$contract != nested ] || more=(-b $(BUILD)/nested.xjb); \
		[ $$contract != swa ] || more=(-p castile.bench.swa); \
		java -cp "$(LIB)/*" $(generate) "$${more[@]}" $(BUILD)/$$contract.wsdl \
			>$(BUILD)/log 2>&1 || { cat $(BUILD)/log; exit 1; }; \
	done
	javac -nowarn -proc:none -cp "$(LIB)/*" -d $(BUILD)/classes $(SOURCES) $$(find $(BUILD)/source -name '*.java') \
		>$(BUILD)/log 2>&1 || { cat $(BUILD)/log; exit 1; }
	touch $@

$(LIB)/ready:
	$(MAKE) --no-print-directory -C $(INTEROP) build/$(TOOLKIT)/lib/ready
