/** What a person at the controls wants, and how it becomes the values of a drive actuator. */

/** Below this speed [m/s] a car that is told to go backwards stops braking and reverses. */
export const STANDING = 0.5;

/** [m/s²] in a turn at full lock: a car that keys drive neither slides nor rolls over. */
const LATERAL_ACCELERATION = 5;

/** What the driver wants now. */
export interface Wish {
  /** Share, -1 (right) to 1 (left), of the angle that the speed allows. */
  steering: number;
  /** Share of the motor's force, -1 (backwards) to 1. */
  push: number;
  /** Share of the brakes' force, 0 to 1. */
  brake: number;
}

/** While no controls are read: the car comes to a stop, gently, and stays. */
export const AWAY: Wish = { steering: 0, push: 0, brake: 0.2 };

/** When driving is over. */
export const HALT: Wish = { steering: 0, push: 0, brake: 1 };

/** How far the road wheels turn [rad], and the wheelbase [m] (0: the vehicle has none). */
export interface Steering {
  largest: number;
  wheelbase: number;
}

/** The largest angle [rad] at `speed` [m/s]: δ = atan(L a / v²) for a lateral acceleration a. */
export function steeringLimit({ largest, wheelbase }: Steering, speed: number): number {
  if (wheelbase === 0 || speed === 0) return largest;
  return Math.min(largest, Math.atan((wheelbase * LATERAL_ACCELERATION) / speed ** 2));
}

/** Steering [rad], acceleration and brake. A push against the direction of travel brakes. */
export function actuatorValues(
  wish: Wish,
  speed: number,
  steering: Steering,
): [steering: number, push: number, brake: number] {
  const angle = steeringLimit(steering, speed) * wish.steering;
  if (wish.push * speed < 0 && Math.abs(speed) > STANDING) {
    return [angle, 0, Math.max(wish.brake, Math.abs(wish.push))];
  }
  return [angle, wish.brake > 0 ? 0 : wish.push, wish.brake];
}

/** D forwards, R backwards, N neither. */
export function gearOf(speed: number, acceleration: number): "D" | "R" | "N" {
  const way = Math.abs(speed) > STANDING ? speed : acceleration;
  return way > 0 ? "D" : way < 0 ? "R" : "N";
}

/** Speed [m/s] along the x axis of a body with the orientation (x, y, z, w) and velocity in W. */
export function forwardSpeed(orientation: readonly number[], velocity: readonly number[]): number {
  const [x = 0, y = 0, z = 0, w = 1] = orientation;
  const [vx = 0, vy = 0, vz = 0] = velocity;
  return (
    (1 - 2 * (y * y + z * z)) * vx + 2 * (x * y + w * z) * vy + 2 * (x * z - w * y) * vz
  );
}
