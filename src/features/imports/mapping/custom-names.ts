import { splitHeader } from './words.ts';

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
    const plain = splitHeader(header)
      .map((word) => word.replace(/[^a-z0-9]/g, ''))
      .filter((word) => word !== '')
      .join('_');
    const safe =
      /^[a-z]/.test(plain) && !reserved.has(plain.replaceAll('_', '')) ? plain : `field_${plain || 'unnamed'}`;
    const base = safe.slice(0, longest).replace(/_+$/, '');
    let name = base;
    for (let count = 2; given.has(name); count += 1)
      name = `${base.slice(0, longest - 1 - `${count}`.length)}_${count}`;
    given.add(name);
    return name;
  };
}
