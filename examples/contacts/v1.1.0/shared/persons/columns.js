import { IMPORT_FIELDS, JSON_FIELDS, TEXT_FIELDS } from './fields.js';

/** The columns of `persons`, in the order of the statements. */
export const COLUMNS = [
  'id',
  ...TEXT_FIELDS,
  ...IMPORT_FIELDS,
  ...JSON_FIELDS,
  'last_contacted_at',
  'created_at',
  'updated_at',
];
