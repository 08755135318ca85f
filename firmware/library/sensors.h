/* Two sensors and a motor controller: HC-SR04, HMC5883L, Sabertooth. */
#pragma once
#include <math.h>

#include <Arduino.h>
#include <Wire.h>

/* Ultrasonic range finder; the pins are those of the thesis' routine. */
class HcSr04 {
public:
    HcSr04(uint8_t trigger, uint8_t echo) : trigger_(trigger), echo_(echo) {}

    void begin() {
        pinMode(trigger_, OUTPUT);
        pinMode(echo_, INPUT);
    }

    /* Distance [m]; infinity where no echo comes back. */
    float measure() {
        digitalWrite(trigger_, LOW);
        delayMicroseconds(2);
        digitalWrite(trigger_, HIGH);
        delayMicroseconds(10);
        digitalWrite(trigger_, LOW);
        const unsigned long MOST = 30000; /* us: an echo from 5 m away */
        unsigned long duration = pulseIn(echo_, HIGH, MOST);
        const float HALF_SPEED = 0.5f * 343.0e-6f; /* m/us: there and back */
        return duration ? duration * HALF_SPEED : INFINITY;
    }

private:
    uint8_t trigger_, echo_;
};

/* Compass; x ahead, y to the left. */
class Hmc5883l {
public:
    void begin() {
        Wire.begin();
        write(0, 0x10); /* 15 values a second */
        write(1, 0x20); /* gain of 1090 counts a gauss */
        write(2, 0x00); /* measure continuously */
    }

    /* Heading [rad], clockwise from north. */
    float measure() {
        Wire.beginTransmission(ADDRESS);
        Wire.write((uint8_t)3);
        Wire.endTransmission();
        Wire.requestFrom(ADDRESS, (uint8_t)6);
        int16_t x = word16(), z = word16(), y = word16();
        (void)z;
        float heading = atan2f(y, x);
        return heading < 0 ? heading + 2 * (float)M_PI : heading;
    }

private:
    static const uint8_t ADDRESS = 0x1E;

    void write(uint8_t where, uint8_t value) {
        Wire.beginTransmission(ADDRESS);
        Wire.write(where);
        Wire.write(value);
        Wire.endTransmission();
    }

    int16_t word16() {
        uint8_t high = Wire.read();
        return (int16_t)((high << 8) | (uint8_t)Wire.read());
    }
};
