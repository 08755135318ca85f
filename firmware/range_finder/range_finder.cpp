/* The sensors of the range finder: publishes a compass heading and a distance. */
#include "link.h"
#include "messages.h"
#include "sensors.h"

enum Topic { HEADING, RANGE };

const unsigned long CYCLE_MS = 60; /* shortest time between two pulses of an HC-SR04 */

Link link;
HcSr04 range_finder(7, 8);
Hmc5883l compass;
unsigned long last_ms;

void setup() {
    link.begin();
    range_finder.begin();
    compass.begin();
}

void loop() {
    if (millis() - last_ms < CYCLE_MS) return;
    last_ms = millis();
    heading_message heading;
    uint32_t time = micros();
    heading.angle = compass.measure();
    link.publish(HEADING, HEADING_TYPE, time, &heading, sizeof heading);
    link.flush();
    range_message range;
    time = micros();
    range.distance = range_finder.measure();
    link.publish(RANGE, RANGE_TYPE, time, &range, sizeof range);
}
