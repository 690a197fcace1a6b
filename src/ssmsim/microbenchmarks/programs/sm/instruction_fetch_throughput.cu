// Straight-line code of growing length in a loop: cycles per instruction tell which level supplies it.
#include "straight.cuh"

struct Sms { u32 mask[5]; };   // SM i takes part when bit i is set

#define TIMES48(x) TIMES32(x) TIMES16(x)
#define TIMES96(x) TIMES64(x) TIMES32(x)
#define TIMES128(x) TIMES64(x) TIMES64(x)
#define TIMES256(x) TIMES128(x) TIMES128(x)
#define TIMES384(x) TIMES256(x) TIMES128(x)
#define TIMES512(x) TIMES256(x) TIMES256(x)
#define TIMES768(x) TIMES512(x) TIMES256(x)
#define TIMES1536(x) TIMES1024(x) TIMES512(x)
#define TIMES1792(x) TIMES1536(x) TIMES256(x)
#define TIMES2048(x) TIMES1024(x) TIMES1024(x)
#define TIMES2560(x) TIMES2048(x) TIMES512(x)
#define TIMES3072(x) TIMES2048(x) TIMES1024(x)
#define TIMES4096(x) TIMES2048(x) TIMES2048(x)
#define TIMES8192(x) TIMES4096(x) TIMES4096(x)
CODE(64, TIMES16) CODE(128, TIMES32) CODE(192, TIMES48) CODE(256, TIMES64) CODE(384, TIMES96) CODE(512, TIMES128)
CODE(1024, TIMES256) CODE(1536, TIMES384) CODE(2048, TIMES512) CODE(3072, TIMES768) CODE(4096, TIMES1024)
CODE(6144, TIMES1536) CODE(7168, TIMES1792) CODE(8192, TIMES2048) CODE(10240, TIMES2560) CODE(12288, TIMES3072)
CODE(16384, TIMES4096) CODE(32768, TIMES8192)

// The same on chosen SMs: who shares which level.
#define CODE_ON(name, REPEAT)                                                                                         \
    KERNEL on_##name(Record* out, int n, float a, Sms sms) {                                                          \
        if (!(sms.mask[sm() >> 5] >> (sm() & 31) & 1)) return;                                                        \
        CODE_FOR(n, a, REPEAT)                                                                                        \
    }
CODE_ON(3072, TIMES768) CODE_ON(7168, TIMES1792) CODE_ON(16384, TIMES4096)
