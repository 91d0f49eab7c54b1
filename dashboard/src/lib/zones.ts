/** Time zones by name. The browser lists each by one name; what is kept may have another. */
export function zones(kept: string | null): Record<string, string> {
  const names = new Set([...Intl.supportedValuesOf('timeZone'), 'UTC', ...(kept ? [kept] : [])]);
  return Object.fromEntries([...names].sort().map((name) => [name, name.replaceAll('_', ' ')]));
}
