import type { z } from 'zod';

const kinds: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

const forms: Record<string, string> = {
  email: 'an e-mail address',
  url: 'an address such as https://example.org',
  uuid: 'a UUID',
  datetime: 'a date and time such as 2026-11-20T11:00:00Z',
  date: 'a date such as 2026-11-20',
};

/** The rule that a value breaks, as shown next to a field: "must have at most 40 characters". */
export const zodErrorMessages: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'must be given';
      return issue.expected in kinds ? `must be ${kinds[issue.expected]}` : undefined;
    case 'too_small':
      if (sized(issue.origin) && issue.minimum === 1 && !issue.exact) return 'must not be empty';
      return bound(issue, issue.minimum, issue.inclusive === false ? 'more than' : 'at least');
    case 'too_big':
      return bound(issue, issue.maximum, issue.inclusive === false ? 'less than' : 'at most');
    case 'invalid_format':
      return issue.format in forms ? `must be ${forms[issue.format]}` : undefined;
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    default:
      return undefined;
  }
};

const units: Record<string, [one: string, many: string]> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
  set: ['entry', 'entries'],
};
const sized = (origin: string): boolean => origin in units;

function bound(
  { origin, exact }: { origin: string; exact?: boolean | undefined },
  limit: number | bigint,
  than: string,
): string {
  const amount = limit.toLocaleString('en');
  const unit = units[origin];
  if (!unit) return `must be ${than} ${amount}`;
  return `must have ${exact ? 'exactly' : than} ${amount} ${unit[limit === 1 || limit === 1n ? 0 : 1]}`;
}
