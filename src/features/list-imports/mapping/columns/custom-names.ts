const longest = 64;
/** Names with a meaning of their own in JavaScript objects, or in the rows that the import writes. */
const reserved = new Set(['constructor', 'prototype', 'tostring', 'valueof', 'hasownproperty']);

/**
 * Names of custom fields for columns: snake_case, from a letter on, at most 64 characters, each distinct from the others.
 * @returns a function to be called once a column, in their order
 */
export function customNames(): (header: string) => string {
  const given = new Set<string>();
  return (header) => {
    const plain = snakeCase(header);
    const safe =
      /^[a-z]/.test(plain) && !reserved.has(plain.replaceAll('_', '')) ? plain : `field_${plain || 'unnamed'}`;
    const base = safe.slice(0, longest).replace(/(?<!_)_+$/, '');
    let name = base;
    for (let count = 2; given.has(name); count += 1)
      name = `${base.slice(0, longest - 1 - `${count}`.length)}_${count}`;
    given.add(name);
    return name;
  };
}

const snakeCase = (header: string): string =>
  header
    .slice(0, 4 * longest)
    .normalize('NFKD')
    .replace(/[\p{M}'’]/gu, '')
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1_$2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|(?<!_)_+$/g, '');
