/** A tenant's host name: lower case, at least two labels, no wildcard, no trailing dot (RFC 1123, RFC 5890). */
export function isHostName(name: string): boolean {
  return name.length <= 253 && /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(name);
}

/**
 * Whether a certificate for `names` may be served for a host name: the same name, or a wildcard for its whole first label (RFC
 * 9525, 6.3). The subject's common name does not count, as in browsers.
 */
export function covers({ names }: { names: readonly string[] }, name: string): boolean {
  const host = name.toLowerCase();
  const parent = host.slice(host.indexOf('.'));
  return names.some((own) => {
    const pattern = own.toLowerCase();
    return pattern === host || (pattern.startsWith('*.') && pattern.slice(1) === parent && host !== parent);
  });
}
