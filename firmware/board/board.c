/* An Arduino Uno that is emulated, with a range finder, a compass and a motor controller on its pins.
 *
 *     board FIRMWARE.elf
 *
 * It takes orders from its input and answers on its output, so that a bench steps it: an order is
 *     u32 time to run [us], u32 width of the range finder's echo [us] (0: nothing in reach),
 *     i16 field along x and y [counts], u16 n, n bytes for the serial port,
 * an answer is
 *     u16 n, n bytes of the serial port, u16 m, m bytes for the motor controller,
 * all little-endian. It runs as long as its input lasts.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <simavr/avr_ioport.h>
#include <simavr/avr_twi.h>
#include <simavr/avr_uart.h>
#include <simavr/sim_avr.h>
#include <simavr/sim_elf.h>

enum { FREQUENCY = 16000000, BUFFER = 65536, COMPASS = 0x1E, BAUD = 9600 };
const uint32_t ECHO_DELAY = 450, NO_ECHO = 38000; /* us, by the data sheet of the HC-SR04 */

static avr_t *avr;
static uint8_t out[BUFFER], in[BUFFER], motors[BUFFER];
static size_t out_size, in_size, in_at, motors_size;
static int may_send = 1;
static uint32_t echo_width;
static int16_t field_x, field_y;

/* --- serial port --------------------------------------------------------------------------- */

static avr_irq_t *uart_in;

static void sent(avr_irq_t *irq, uint32_t value, void *param) {
    (void)irq, (void)param;
    if (out_size < BUFFER) out[out_size++] = value;
}

static void feed(void) {
    while (may_send && in_at < in_size) avr_raise_irq(uart_in, in[in_at++]);
}

static void xon(avr_irq_t *irq, uint32_t value, void *param) {
    (void)irq, (void)value, (void)param;
    may_send = 1;
    feed();
}

static void xoff(avr_irq_t *irq, uint32_t value, void *param) {
    (void)irq, (void)value, (void)param;
    may_send = 0;
}

/* --- range finder: trigger on D7 (PD7), echo on D8 (PB0) -------------------------------------- */

static avr_irq_t *echo;

static avr_cycle_count_t end_echo(avr_t *mcu, avr_cycle_count_t when, void *param) {
    (void)mcu, (void)when, (void)param;
    avr_raise_irq(echo, 0);
    return 0;
}

static avr_cycle_count_t begin_echo(avr_t *mcu, avr_cycle_count_t when, void *param) {
    (void)when, (void)param;
    avr_raise_irq(echo, 1);
    avr_cycle_timer_register_usec(mcu, echo_width ? echo_width : NO_ECHO, end_echo, NULL);
    return 0;
}

static void triggered(avr_irq_t *irq, uint32_t value, void *param) {
    static uint32_t last;
    (void)irq, (void)param;
    if (last && !value) avr_cycle_timer_register_usec(avr, ECHO_DELAY, begin_echo, NULL);
    last = value;
}

/* --- compass: registers of the HMC5883L ------------------------------------------------------- */

static avr_irq_t *twi_in;
static uint8_t selected, pointer, has_pointer, settings[3] = {0x10, 0x20, 0x01};

static uint8_t compass_register(uint8_t where) {
    const int16_t values[3] = {field_x, 0, field_y}; /* x, z, y, high byte first */
    if (where < 3) return settings[where];
    if (where < 9) return (uint16_t)values[(where - 3) / 2] >> ((where - 3) % 2 ? 0 : 8);
    if (where == 9) return 1; /* ready */
    return where < 13 ? "H43"[where - 10] : 0;
}

static void twi(avr_irq_t *irq, uint32_t value, void *param) {
    (void)irq, (void)param;
    avr_twi_msg_irq_t message = {.u.v = value};
    const uint8_t kind = message.u.twi.msg;
    if (kind & TWI_COND_STOP) selected = 0;
    if (kind & TWI_COND_START) {
        selected = 0;
        if (message.u.twi.addr >> 1 == COMPASS) {
            selected = message.u.twi.addr;
            has_pointer = 0;
            avr_raise_irq(twi_in, avr_twi_irq_msg(TWI_COND_ACK, selected, 1));
        }
    }
    if (!selected) return;
    if (kind & TWI_COND_WRITE) {
        avr_raise_irq(twi_in, avr_twi_irq_msg(TWI_COND_ACK, selected, 1));
        if (!has_pointer) pointer = message.u.twi.data, has_pointer = 1;
        else if (pointer < 3) settings[pointer++] = message.u.twi.data;
    }
    if (kind & TWI_COND_READ)
        avr_raise_irq(twi_in, avr_twi_irq_msg(TWI_COND_READ, selected, compass_register(pointer++)));
}

/* --- motor controller: 8N1 on D11 (PB3) --------------------------------------------------------- */

static uint32_t level = 1;
static int bit = -1;
static uint8_t byte_in;

static avr_cycle_count_t sample(avr_t *mcu, avr_cycle_count_t when, void *param) {
    (void)mcu, (void)param;
    if (bit < 8) {
        byte_in |= (level ? 1 : 0) << bit++;
        return when + FREQUENCY / BAUD;
    }
    if (level && motors_size < BUFFER) motors[motors_size++] = byte_in;
    bit = -1;
    return 0;
}

static void controlled(avr_irq_t *irq, uint32_t value, void *param) {
    (void)irq, (void)param;
    if (level && !value && bit < 0) {
        bit = 0, byte_in = 0;
        avr_cycle_timer_register(avr, FREQUENCY / BAUD * 3 / 2, sample, NULL);
    }
    level = value;
}

/* --- the board ---------------------------------------------------------------------------------- */

static void no_sleep(avr_t *mcu, avr_cycle_count_t cycles) { (void)mcu, (void)cycles; }

static void connect_pins(void) {
    uint32_t flags = 0;
    avr_ioctl(avr, AVR_IOCTL_UART_GET_FLAGS('0'), &flags);
    flags &= ~(AVR_UART_FLAG_STDIO | AVR_UART_FLAG_POLL_SLEEP);
    avr_ioctl(avr, AVR_IOCTL_UART_SET_FLAGS('0'), &flags);
    const uint32_t uart = AVR_IOCTL_UART_GETIRQ('0');
    uart_in = avr_io_getirq(avr, uart, UART_IRQ_INPUT);
    avr_irq_register_notify(avr_io_getirq(avr, uart, UART_IRQ_OUTPUT), sent, NULL);
    avr_irq_register_notify(avr_io_getirq(avr, uart, UART_IRQ_OUT_XON), xon, NULL);
    avr_irq_register_notify(avr_io_getirq(avr, uart, UART_IRQ_OUT_XOFF), xoff, NULL);
    echo = avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ('B'), 0);
    avr_irq_register_notify(
        avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ('D'), 7), triggered, NULL);
    avr_irq_register_notify(
        avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ('B'), 3), controlled, NULL);
    twi_in = avr_io_getirq(avr, AVR_IOCTL_TWI_GETIRQ(0), TWI_IRQ_INPUT);
    avr_irq_register_notify(
        avr_io_getirq(avr, AVR_IOCTL_TWI_GETIRQ(0), TWI_IRQ_OUTPUT), twi, NULL);
}

static int read_all(void *to, size_t size) { return fread(to, 1, size, stdin) == size; }

static FILE *answers;

static void write_bytes(const uint8_t *bytes, size_t *size) {
    uint16_t count = *size;
    fwrite(&count, sizeof count, 1, answers);
    fwrite(bytes, 1, count, answers);
    *size = 0;
}

int main(int argc, char **argv) {
    static elf_firmware_t firmware;
    answers = fdopen(dup(1), "wb"); /* simavr itself prints to the output */
    dup2(2, 1);
    if (argc != 2 || elf_read_firmware(argv[1], &firmware)) {
        fprintf(stderr, "board FIRMWARE.elf: there is no firmware to run\n");
        return 2;
    }
    avr = avr_make_mcu_by_name("atmega328p");
    if (!avr) return 2;
    avr_init(avr);
    avr->frequency = FREQUENCY;
    avr->sleep = no_sleep;
    avr_load_firmware(avr, &firmware);
    avr->frequency = FREQUENCY;
    connect_pins();
    avr_cycle_count_t until = 0;
    uint32_t run_us;
    uint16_t count;
    while (read_all(&run_us, 4) && read_all(&echo_width, 4) && read_all(&field_x, 2) &&
           read_all(&field_y, 2) && read_all(&count, 2) && read_all(in, count)) {
        in_size = count, in_at = 0;
        feed();
        until += (avr_cycle_count_t)run_us * (FREQUENCY / 1000000);
        while (avr->cycle < until) {
            const int state = avr_run(avr);
            if (state == cpu_Done || state == cpu_Crashed) {
                fprintf(stderr, "the firmware has crashed\n");
                return 1;
            }
        }
        write_bytes(out, &out_size);
        write_bytes(motors, &motors_size);
        fflush(answers);
    }
    return 0;
}
