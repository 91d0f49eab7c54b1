const label = /^[a-z\d]([a-z\d-]{0,61}[a-z\d])?$/i;

/** What is wrong with a host name (RFC 1123: no scheme, port, path, wildcard, underscore or address); undefined when it is one. */
export function hostNameProblem(name: string): string | undefined {
  if (name.length === 0 || name.length > 253) return 'must have 1 to 253 characters';
  const labels = name.split('.');
  if (!labels.every((part) => label.test(part)))
    return 'must be a host name: labels of letters, digits and inner hyphens, joined by dots, nothing else';
  // Otherwise it could be read as an IP address.
  if (/^\d+$/.test(labels.at(-1) ?? '')) return 'must be a host name, not an address: its last label is a number';
  return undefined;
}
