import { createHash } from 'node:crypto';

const fold = (text) => (text ?? '').trim().toLowerCase().replace(/\s+/g, ' ');

/** The last ten digits: with and without the country's prefix, a number is the same. */
const digits = (phone) => (phone ?? '').replace(/\D/g, '').slice(-10);

/**
 * What two records of one person have in common: the e-mail address, the name with a phone number, or the name with
 * the zip code. Hashed, so that a key is short and contains no personal data.
 * @param {import('./fields.js').Person} person
 * @returns {string[]} the most specific first
 */
export function matchKeys(person) {
  const name = `${fold(person.first_name)}|${fold(person.last_name)}`;
  const phones = [digits(person.cell_phone), digits(person.home_phone)].filter((number) => number.length >= 7);
  const facts = [
    person.email && `email|${fold(person.email)}`,
    ...phones.map((number) => `phone|${name}|${number}`),
    person.zip && `zip|${name}|${fold(person.zip)}`,
  ];
  const hashes = facts.filter(Boolean).map((fact) => createHash('sha256').update(fact).digest('hex').slice(0, 32));
  return [...new Set(hashes)];
}

/** Two e-mail addresses mean two people, even with one name: for example father and daughter at one ZIP code. */
export function areDistinct(one, other) {
  return Boolean(one.email && other.email && fold(one.email) !== fold(other.email));
}
