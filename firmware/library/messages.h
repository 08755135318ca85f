/* Written by python -m autosim_testbench.hardware.c_header: change the classes there, not this. */
#pragma once
#include <stdint.h>

/* Distance to the nearest thing ahead. */
typedef struct __attribute__((packed)) {
    float distance; /* [m], infinity where nothing is in reach */
} range_message;
#define RANGE_SIZE 4
#define RANGE_TYPE 0xb44cf16fUL

/* Heading of an object. */
typedef struct __attribute__((packed)) {
    float angle; /* [rad], anticlockwise from x; of a compass, see its node */
} heading_message;
#define HEADING_SIZE 4
#define HEADING_TYPE 0xda850327UL

/* Commanded directions of two sides of wheels: -1 back, 0 stop, 1 ahead. */
typedef struct __attribute__((packed)) {
    int8_t left;
    int8_t right;
} wheel_command_message;
#define WHEEL_COMMAND_SIZE 2
#define WHEEL_COMMAND_TYPE 0x77d4b1d4UL
