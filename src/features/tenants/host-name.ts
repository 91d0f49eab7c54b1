const label = /^[a-z\d]([a-z\d-]{0,61}[a-z\d])?$/i;

/** What is wrong with a host name (RFC 1123: no scheme, port, path, wildcard, underscore or address); undefined when it is one. */
export function hostNameProblem(name: string): string | undefined {
  if (name.length === 0) return 'must be a host name like app.example.org';
  if (name.length > 253) return 'must have at most 253 characters';
  const labels = name.split('.');
  if (!labels.every((part) => label.test(part)))
    return 'must be a host name like app.example.org, without http://, port or path';
  // Otherwise it could be read as an IP address.
  if (/^\d+$/.test(labels.at(-1) ?? '')) return 'must be a host name like app.example.org, not an IP address';
  return undefined;
}
