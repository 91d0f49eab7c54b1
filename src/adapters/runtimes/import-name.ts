import { invalid } from '../../lib/errors.ts';

/** A tenant's slug, where it becomes part of a path. @throws AppError validation_error */
export const checkedSlug = (slug: string): string => checked(slug, 'slug', /^[a-z][a-z0-9-]*$/);

/** The name of an import file, one of ours. @throws AppError validation_error */
export const checkedImportName = (name: string): string =>
  checked(name, 'name', /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$/);

function checked(value: string, what: string, pattern: RegExp): string {
  if (!pattern.test(value)) throw invalid(what, 'must consist of letters, digits and ._-, and not begin with a dot');
  return value;
}
