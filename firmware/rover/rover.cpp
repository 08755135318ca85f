/* The wheels of the rover: takes commands, and tells the Sabertooth motor controller. */
#include <SoftwareSerial.h>

#include "link.h"
#include "messages.h"

const uint8_t CONTROLLER = 11;   /* pin */
const unsigned long STOP_MS = 1000; /* without a command for so long, the rover stops */
const int STOP_1 = 64, STOP_2 = 192, REACH = 63; /* bytes, by the controller's manual */

Link link;
SoftwareSerial controller(10, CONTROLLER);
unsigned long last_ms;
bool is_moving;

void drive(int left, int right) {
    controller.write((uint8_t)(STOP_1 + REACH * right));
    controller.write((uint8_t)(STOP_2 + REACH * left));
    is_moving = left || right;
}

void take(uint8_t topic, uint32_t type, const uint8_t *data, uint8_t size) {
    if (topic != 0 || type != WHEEL_COMMAND_TYPE || size != WHEEL_COMMAND_SIZE) return;
    wheel_command_message wheels;
    memcpy(&wheels, data, sizeof wheels);
    last_ms = millis();
    drive(constrain(wheels.left, -1, 1), constrain(wheels.right, -1, 1));
}

void setup() {
    link.begin();
    controller.begin(9600);
    drive(0, 0);
}

void loop() {
    link.poll(take);
    if (is_moving && millis() - last_ms > STOP_MS) drive(0, 0);
}
