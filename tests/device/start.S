/* The entry of a program without libc on RV32: stack from the system, gp for the linker's relaxation. */
    .text
    .globl _start
    .type _start, @function
_start:
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    andi sp, sp, -16
    call main
    li a7, 93
    ecall
    .size _start, . - _start

/* Other small data: the recorder's is not the first, just as in a kernel. */
    .section .sdata, "aw"
    .space 64
