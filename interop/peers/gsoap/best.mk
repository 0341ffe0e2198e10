# The flags that make gSOAP faster, for the interop suite's and the benchmark suite's best builds.
BEST_FLAGS := -O3 -march=native -flto -DWITH_NOIDREF -DWITH_NO_C_LOCALE -DHAVE_STRTOD -DSOAP_BUFLEN=65536
