/**
 * The user name of a failed login for the audit log. Users type passwords into the wrong field: of a name that no user has,
 * only the first two characters are kept.
 */
export const loggedName = (typed: string, known: boolean): string =>
  known ? typed : `${[...typed].slice(0, 2).join('')}…`;

/** What failures of a name are counted by: spellings that differ in case or white space alone have one counter. */
export const countedName = (typed: string): string => typed.trim().normalize('NFC').toLowerCase();
