/**
 * The user name of a failed login for the audit log. Users type passwords into the wrong field: of a name that no user has,
 * only the first two characters are kept.
 */
export const loggedName = (typed: string, known: boolean): string =>
  known ? typed : `${[...typed].slice(0, 2).join('')}…`;
