import { personInput } from '../../shared/persons/fields.js';
import { failure } from '../errors.js';

const CUSTOM = 'custom_fields.';
const PLAIN_TARGETS = Object.keys(personInput.shape).filter((field) => field !== 'custom_fields');
const REQUIRED = ['first_name', 'last_name'];

/**
 * What becomes of a row, by the header of its columns and the wanted mappings.
 * @param {string[]} header
 * @param {Record<string, string>} mappings source column → person field, `custom_fields.<name>` or `skip`
 * @returns {(cells: string[]) => Record<string, any>} an input for a person, not yet checked
 * @throws 400 saying which mapping does not fit
 */
export function columnMapping(header, mappings) {
  const columns = Object.entries(mappings)
    .filter(([, target]) => target !== 'skip')
    .map(([source, target]) => ({ source, target, index: header.indexOf(source) }));
  for (const column of columns) checkColumn(column);

  const targets = columns.map((column) => column.target);
  const repeated = targets.find((target, index) => targets.indexOf(target) < index);
  if (repeated) throw failure(400, `mappings: ${repeated} is the target of two columns`);
  const missing = REQUIRED.find((field) => !targets.includes(field));
  if (missing) throw failure(400, `mappings: no column is mapped to ${missing}`);

  return (cells) => {
    const filled = columns.map(({ target, index }) => [target, cells[index]?.trim()]).filter(([, text]) => text);
    const { tags, ...fields } = Object.fromEntries(filled.filter(([target]) => !target.startsWith(CUSTOM)));
    const custom = filled.filter(([target]) => target.startsWith(CUSTOM));
    return {
      first_name: '',
      last_name: '',
      ...fields,
      tags: splitTags(tags),
      custom_fields: Object.fromEntries(custom.map(([target, text]) => [target.slice(CUSTOM.length), text])),
    };
  };
}

function checkColumn({ source, target, index }) {
  if (index === -1) throw failure(400, `mappings: the file has no column ${source}`);
  const known = PLAIN_TARGETS.includes(target) || (target.startsWith(CUSTOM) && target.length > CUSTOM.length);
  if (!known) throw failure(400, `mappings: ${target} is no field of a person`);
}

/** One cell may hold several tags. */
function splitTags(text = '') {
  const names = text.split(/[,;|]/).map((name) => name.trim());
  return names.filter(Boolean);
}
