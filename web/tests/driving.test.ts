import { expect, test } from "vitest";

import { actuatorValues, forwardSpeed, gearOf, steeringLimit } from "../src/driving/driver_input";
import { KeyDriver, type DriveKey } from "../src/driving/keys";

const STEERING = { largest: 0.6, wheelbase: 2.5 };

function keys(...names: DriveKey[]): Set<DriveKey> {
  return new Set(names);
}

test("the lateral acceleration at full lock stays below 5 m/s²", () => {
  for (const speed of [6, 12, 25]) {
    const angle = steeringLimit(STEERING, speed);
    expect((speed ** 2 * Math.tan(angle)) / STEERING.wheelbase).toBeLessThanOrEqual(5.0001);
  }
  expect(steeringLimit(STEERING, 1)).toBe(0.6);
});

test("a push against the direction of travel brakes until the car stands", () => {
  const wish = { steering: 0, push: -1, brake: 0 };
  expect(actuatorValues(wish, 10, STEERING)).toEqual([0, 0, 1]);
  expect(actuatorValues(wish, 0.2, STEERING)).toEqual([0, -1, 0]);
});

test("a key presses the pedal within a second, and without one the car coasts", () => {
  const driver = new KeyDriver();
  for (let k = 0; k < 20; k++) driver.step(keys("forwards"), 5, 0.05);
  expect(driver.step(keys("forwards"), 5, 0.05).push).toBe(1);
  const coasting = driver.step(keys(), 5, 0.5);
  expect(coasting.push).toBe(0);
  expect(coasting.brake).toBe(0);
});

test("a car that stands without a key is held", () => {
  const driver = new KeyDriver();
  for (let k = 0; k < 20; k++) driver.step(keys(), 0, 0.05);
  expect(driver.step(keys(), 0, 0.05).brake).toBe(1);
});

test("left is positive, and the steering returns by itself", () => {
  const driver = new KeyDriver();
  for (let k = 0; k < 10; k++) driver.step(keys("left"), 10, 0.05);
  expect(driver.step(keys("left"), 10, 0.05).steering).toBe(1);
  for (let k = 0; k < 10; k++) driver.step(keys(), 10, 0.05);
  expect(driver.step(keys(), 10, 0.05).steering).toBeCloseTo(0, 6);
});

test("the speed forwards is that along the body's x axis", () => {
  const north = [0, 0, Math.SQRT1_2, Math.SQRT1_2];
  expect(forwardSpeed(north, [0, 7, 0])).toBeCloseTo(7, 9);
  expect(forwardSpeed(north, [0, -7, 3])).toBeCloseTo(-7, 9);
  expect([gearOf(3, 0), gearOf(0.1, -1), gearOf(0, 0)]).toEqual(["D", "R", "N"]);
});
