/**
 * Position of the sun by date, time and place: the low-precision formulas of the Astronomical
 * Almanac (U.S. Naval Observatory), as in `autosim/model/environment/sun_position.py`.
 */

/** Time of day and weather, as world files say them. */
export interface SkyState {
  /** Time of day [h] on a clock `utc_offset` [h] ahead of UTC; null: the sun is 48° high in the
   * south-east. */
  hours: number | null;
  /** [h]; null: local mean time. */
  utc_offset: number | null;
  month: number;
  day: number;
  /** Place of the sun [°] in place of that of the time, azimuth from north over east; null: none. */
  sun_elevation?: number | null;
  sun_azimuth?: number | null;
  /** Shares 0..1. */
  clouds: number;
  rain: number;
  snow: number;
  wetness: number;
  snow_cover: number;
  /** Meteorological optical range [m]. */
  visibility: number;
}

export const CLEAR_SKY: Readonly<SkyState> = {
  hours: null,
  utc_offset: null,
  month: 3,
  day: 21,
  clouds: 0.3,
  rain: 0,
  snow: 0,
  wetness: 0,
  snow_cover: 0,
  visibility: 1e5,
};

const STANDARD_HEIGHT = 48;
const STANDARD_AZIMUTH = -60;
const YEAR = 2025;
const EPOCH = Date.UTC(2000, 0, 1, 12);
const DAY = 86_400_000;
const DEGREE = Math.PI / 180;

export type Direction = [east: number, north: number, up: number];

/** Unit vector to the sun in W at latitude and longitude [degrees]. */
export function sunDirection(sky: SkyState, latitude: number, longitude: number): Direction {
  const stated = sky.sun_elevation ?? null;
  if (sky.hours === null || stated !== null) {
    const height = (stated ?? STANDARD_HEIGHT) * DEGREE;
    const azimuth = (stated === null ? STANDARD_AZIMUTH : 90 - (sky.sun_azimuth ?? 0)) * DEGREE;
    const level = Math.cos(height);
    return [level * Math.cos(azimuth), level * Math.sin(azimuth), Math.sin(height)];
  }
  const hours = sky.hours - (sky.utc_offset ?? longitude / 15);
  const days = (Date.UTC(YEAR, sky.month - 1, 1) + (sky.day - 1 + hours / 24) * DAY - EPOCH) / DAY;
  const [ascension, declination] = equatorial(days);
  const sidereal = (280.46061837 + 360.98564736629 * days + longitude) * DEGREE;
  const angle = sidereal - ascension;
  const phi = latitude * DEGREE;
  return [
    -Math.cos(declination) * Math.sin(angle),
    Math.sin(declination) * Math.cos(phi) - Math.cos(declination) * Math.cos(angle) * Math.sin(phi),
    Math.sin(declination) * Math.sin(phi) + Math.cos(declination) * Math.cos(angle) * Math.cos(phi),
  ];
}

function equatorial(days: number): [ascension: number, declination: number] {
  const anomaly = (357.529 + 0.98560028 * days) * DEGREE;
  const mean = 280.459 + 0.98564736 * days;
  const longitude = (mean + 1.915 * Math.sin(anomaly) + 0.02 * Math.sin(2 * anomaly)) * DEGREE;
  const obliquity = (23.439 - 0.00000036 * days) * DEGREE;
  const height = Math.sin(obliquity) * Math.sin(longitude);
  return [
    Math.atan2(Math.cos(obliquity) * Math.sin(longitude), Math.cos(longitude)),
    Math.atan2(height, Math.sqrt(1 - height * height)),
  ];
}
