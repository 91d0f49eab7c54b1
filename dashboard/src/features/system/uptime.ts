import { duration } from '../../components/data/time.tsx';

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** A long time, in its two largest units: 3 d 4 h. Seconds. */
export function lasting(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < hour) return duration(whole);
  if (whole < day) return `${Math.floor(whole / hour)} h ${Math.floor((whole % hour) / minute)} min`;
  return `${Math.floor(whole / day)} d ${Math.floor((whole % day) / hour)} h`;
}
