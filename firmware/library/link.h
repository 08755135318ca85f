/* Messages between a board and a test bench over its serial port; see link.py and framing.py. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include <Arduino.h>
#include <util/crc16.h>

const uint8_t LINK_HEAD = 9;    /* bytes: type, time, topic */
const uint8_t LINK_MOST = 64;   /* bytes of the longest message that a sketch sends or takes */
const unsigned long LINK_BAUD = 115200;

typedef void (*LinkHandler)(uint8_t topic, uint32_t type, const uint8_t *data, uint8_t size);

class Link {
public:
    void begin() { Serial.begin(LINK_BAUD); }

    /* Sends a message, with the time at which it was measured. */
    void publish(uint8_t topic, uint32_t type, uint32_t time_us, const void *data, uint8_t size) {
        uint8_t payload[LINK_HEAD + LINK_MOST + 2];
        memcpy(payload, &type, 4);
        memcpy(payload + 4, &time_us, 4);
        payload[8] = topic;
        memcpy(payload + LINK_HEAD, data, size);
        uint8_t length = LINK_HEAD + size;
        uint16_t crc = 0;
        for (uint8_t i = 0; i < length; i++) crc = _crc_xmodem_update(crc, payload[i]);
        payload[length++] = crc >> 8;
        payload[length++] = crc & 0xff;
        stuff(payload, length);
    }

    /* Waits until all is sent: interrupts of the port would shorten a pulse that is measured. */
    void flush() { Serial.flush(); }

    /* Takes what has come; calls `handler` for each whole frame, and forgets the others. */
    void poll(LinkHandler handler) {
        while (Serial.available()) {
            uint8_t byte = Serial.read();
            if (byte) {
                if (length_ < sizeof piece_) piece_[length_] = byte;
                if (length_ < 255) length_++;
                continue;
            }
            if (length_ && length_ <= sizeof piece_) finish(handler);
            length_ = 0;
        }
    }

private:
    uint8_t piece_[LINK_HEAD + LINK_MOST + 4];
    uint8_t length_ = 0;

    void stuff(const uint8_t *data, uint8_t length) {
        uint8_t begin = 0;
        for (uint8_t i = 0; i <= length; i++) {
            if (i < length && data[i]) continue;
            Serial.write((uint8_t)(i - begin + 1));
            Serial.write(data + begin, i - begin);
            begin = i + 1;
        }
        Serial.write((uint8_t)0);
    }

    void finish(LinkHandler handler) {
        uint8_t payload[sizeof piece_];
        uint8_t size = 0, at = 0;
        while (at < length_) {
            uint8_t code = piece_[at];
            if (!code || at + code > length_) return;
            memcpy(payload + size, piece_ + at + 1, code - 1);
            size += code - 1;
            at += code;
            if (at < length_) payload[size++] = 0;
        }
        if (size < LINK_HEAD + 2) return;
        uint16_t crc = 0;
        for (uint8_t i = 0; i < size - 2; i++) crc = _crc_xmodem_update(crc, payload[i]);
        if (payload[size - 2] != (crc >> 8) || payload[size - 1] != (crc & 0xff)) return;
        uint32_t type;
        memcpy(&type, payload, 4);
        handler(payload[8], type, payload + LINK_HEAD, size - 2 - LINK_HEAD);
    }
};
