/** Formats a time without service: 5 min, 3 h 36 min, 2 d 4 h. */
export function downTime(seconds: number): string {
  const minutes = Math.round(Math.abs(seconds) / 60);
  const sign = seconds < 0 && minutes > 0 ? '−' : '';
  if (minutes < 60) return `${sign}${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${sign}${hours} h ${minutes % 60} min` : `${sign}${Math.floor(hours / 24)} d ${hours % 24} h`;
}
