const dayMs = 86_400_000;
const secondsOfDay = 86_400;
/** Day 0 of the two date systems; 1900's counts a 29 February that never was (day 60), so it begins a day early from March on. */
const dayZero1900 = Date.UTC(1899, 11, 30);
const dayZero1904 = Date.UTC(1904, 0, 1);
/** 31 December 9999, the last day that spreadsheets know. */
const lastDay = 2_958_465;

/**
 * A spreadsheet's date number as text: `2024-05-31`, `2024-05-31 14:05`, `14:05` for a time alone. Undefined for a number that
 * is no date.
 * @param parts what the cell's number format shows
 */
export function serialDate(
  serial: number,
  parts: { date: boolean; time: boolean },
  date1904: boolean,
): string | undefined {
  if (!(serial >= 0 && serial < lastDay + 1)) return undefined;
  let day = Math.floor(serial);
  let seconds = Math.round((serial - day) * secondsOfDay);
  if (seconds === secondsOfDay) {
    day += 1;
    seconds = 0;
  }
  const time = timeText(seconds);
  if (!parts.date || (day === 0 && parts.time)) return parts.time ? time : undefined;
  const date = date1904 ? dateText(dayZero1904 + day * dayMs) : date1900(day);
  return parts.time && seconds > 0 ? `${date} ${time}` : date;
}

function date1900(day: number): string {
  if (day === 60) return '1900-02-29';
  return dateText(dayZero1900 + (day < 60 ? day + 1 : day) * dayMs);
}

function dateText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

function timeText(seconds: number): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const text = `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}`;
  return seconds % 60 === 0 ? text : `${text}:${two(seconds % 60)}`;
}
