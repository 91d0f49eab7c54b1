import { describe, expect, test } from '@jest/globals';
import type { TableLayout, TableRow } from '../../../../src/adapters/tabular/tabular.ts';
import type { FieldMapping, MappingTarget } from '../../../../src/features/list-imports/mapping/field-mapping.ts';
import type { Transform } from '../../../../src/features/list-imports/mapping/transforms.ts';
import { rowCheck } from '../../../../src/features/list-imports/rows/checks/row-check.ts';

type Column = MappingTarget | [MappingTarget, Transform];

/** Checks one row of a list with the headers Column 1, Column 2 … */
function checked(columns: Column[], cells: string[], options: { region?: string; problem?: TableRow['problem'] } = {}) {
  const headers = columns.map((_, index) => `Column ${index + 1}`);
  const mappings = columns.map((column, index): FieldMapping => {
    const [target, transform] = Array.isArray(column) ? column : [column, undefined];
    return { source: headers[index] ?? '', target, confidence: 1, ...(transform && { transform }) };
  });
  const layout = { headers } as TableLayout;
  const { check, targets } = rowCheck({ mappings, layout, options: { region: options.region ?? 'US' } });
  const row = check({ number: 7, fileRow: 9, cells, problem: options.problem });
  const values = Object.fromEntries(targets.map((target, index) => [target, row.values[index] ?? '']));
  return {
    values: Object.fromEntries(Object.entries(values).filter(([, value]) => value !== '')),
    codes: row.findings.map(({ code }) => code),
    findings: row.findings,
    rejected: row.rejected,
  };
}

/** The result of one cell next to a full name; without the name. */
function cell(column: Column, text: string, others: Partial<Record<'state', string>> = {}) {
  const columns: Column[] = ['first_name', 'last_name', ...(Object.keys(others) as MappingTarget[]), column];
  const { values, codes } = checked(columns, ['Ann', 'Lee', ...Object.values(others), text]);
  const target = Array.isArray(column) ? column[0] : column;
  return { value: values[target] ?? '', codes, aside: values['custom_fields.unclear_values'] };
}

describe('phone numbers', () => {
  test.each([
    ['312-555-0107', '+13125550107'],
    ['(312) 555-0107', '+13125550107'],
    ['312.555.0107', '+13125550107'],
    ['3125550107', '+13125550107'],
    ['1 312 555 0107', '+13125550107'],
    ['+1 (312) 555-0107', '+13125550107'],
    ['+44 20 7946 0018', '+442079460018'],
    ['0044 20 7946 0018', '+442079460018'],
    ['3125550107.0', '+13125550107'],
    ['3.125550107E+09', '+13125550107'],
    ["'3125550107", '+13125550107'],
    ['٣١٢ ٥٥٥ ٠١٠٧', '+13125550107'],
    ['\u00a0312\u2011555\u20110107 ', '+13125550107'],
    ['312-555-0107 x12', '+13125550107 ext. 12'],
    ['312-555-0107 ext. 12', '+13125550107 ext. 12'],
    ['Cell: 312-555-0107', '+13125550107'],
    ['312-555-0107 (mobile)', '+13125550107'],
    ['', ''],
    ['N/A', ''],
    ['none', ''],
    ['0000000000', ''],
    ['999-999-9999', ''],
  ])('%j becomes %j', (text, expected) => {
    expect(cell('cell_phone', text)).toEqual({ value: expected, codes: [], aside: undefined });
  });

  test.each([
    ['555-0107', 'invalid_phone'],
    ['ask his mother', 'invalid_phone'],
    ['CALL-ME-NOW', 'invalid_phone'],
    ['123-555-0107', 'invalid_phone'],
    ['312-155-0107', 'invalid_phone'],
    ['+1', 'invalid_phone'],
    ['3.13E+09', 'rounded_by_spreadsheet'],
    ['1'.repeat(5_000), ''],
    ['9 '.repeat(50_000), ''],
  ])('keeps %.20j in a custom field', (text, code) => {
    const { value, codes, aside } = cell('cell_phone', text);
    expect({ value, codes }).toEqual({ value: '', codes: code ? [code] : [] });
    if (code) expect(aside).toBe(`cell_phone: ${text}`);
  });

  test('moves a second number to the other phone if that is empty', () => {
    const { values, codes } = checked(
      ['first_name', 'last_name', 'home_phone', 'cell_phone'],
      ['Ann', 'Lee', '', '312-555-0107 / 312-555-0108'],
    );
    expect(values).toMatchObject({ cell_phone: '+13125550107', home_phone: '+13125550108' });
    expect(codes).toEqual(['several_phones']);
  });

  test('keeps a second number in a custom field if the other phone is known', () => {
    const { values } = checked(
      ['first_name', 'last_name', 'cell_phone', 'home_phone'],
      ['Ann', 'Lee', '312-555-0107; 312-555-0108', '312-555-0109'],
    );
    expect(values).toMatchObject({
      cell_phone: '+13125550107',
      home_phone: '+13125550109',
      'custom_fields.unclear_values': 'cell_phone: +13125550108',
    });
  });

  test('keeps words next to a number', () => {
    expect(cell('cell_phone', '312-555-0107 after six')).toEqual({
      value: '+13125550107',
      codes: ['text_beside_phone'],
      aside: 'cell_phone: 312-555-0107 after six',
    });
  });

  test('uses the region of the setting; without one the cell stays unchanged', () => {
    const british = checked(['first_name', 'last_name', 'home_phone'], ['A', 'B', '020 7946 0018'], { region: 'GB' });
    expect(british.values.home_phone).toBe('+442079460018');
    expect(cell(['cell_phone', 'none'], ' 555-0107 ').value).toBe('555-0107');
  });
});

describe('e-mail addresses', () => {
  test.each([
    ['Ann.Lee@Example.ORG', 'ann.lee@example.org'],
    [' ann@example.org\u200b', 'ann@example.org'],
    ['mailto:ann@example.org', 'ann@example.org'],
    ['<ann@example.org>', 'ann@example.org'],
    ['"Ann Lee" <ann@example.org>', 'ann@example.org'],
    ['ann@example.org;', 'ann@example.org'],
    ['home ann@example.org', 'ann@example.org'],
    ["o'brien+list_1@mail.example.co.uk", "o'brien+list_1@mail.example.co.uk"],
    ['ann@example.org, ANN@example.org', 'ann@example.org'],
    ['no email', ''],
    ['-', ''],
  ])('%j becomes %j', (text, expected) => {
    expect(cell('email', text)).toEqual({ value: expected, codes: [], aside: undefined });
  });

  test.each([
    'ann@',
    '@example.org',
    'ann@example',
    'ann example.org',
    'ann lee@example.org',
    'ann@@example.org',
    '.ann@example.org',
    'a..b@example.org',
    'ann at example dot org',
    `${'a'.repeat(250)}@example.org`,
  ])('keeps %.30j in a custom field', (text) => {
    expect(cell('email', text)).toEqual({ value: '', codes: ['invalid_email'], aside: `email: ${text}` });
  });

  test('uses the first of several', () => {
    expect(cell('email', 'ann@example.org / lee@example.org')).toEqual({
      value: 'ann@example.org',
      codes: ['several_emails'],
      aside: 'email: lee@example.org',
    });
  });
});

describe('states, ZIP codes, districts', () => {
  test.each([
    ['IL', 'IL', []],
    ['il', 'IL', []],
    ['Illinois', 'IL', []],
    ['ILLINOIS', 'IL', []],
    ['Ill.', 'IL', []],
    ['N. Carolina', 'NC', []],
    ['D.C.', 'DC', []],
    ['Puerto Rico', 'PR', []],
    ['IL - Illinois', 'IL', []],
    ['ON', 'ON', ['foreign_state']],
    ['Québec', 'QC', ['foreign_state']],
    ['N/A', '', []],
    ['Atlantis', '', ['invalid_state']],
    ['ZZ', '', ['invalid_state']],
  ])('the state %j becomes %j', (text, expected, codes) => {
    expect(cell('state', text)).toMatchObject({ value: expected, codes });
  });

  test.each([
    ['62701', 'IL', '62701', []],
    ['62701-1234', 'IL', '62701-1234', []],
    ['627011234', 'IL', '62701-1234', []],
    ['62701 1234', 'IL', '62701-1234', []],
    ['62701-', 'IL', '62701', []],
    ['62701-0000', 'IL', '62701', []],
    ['62701.0', 'IL', '62701', []],
    ['2139', 'MA', '02139', ['zip_zero_restored']],
    ['2139', 'Massachusetts', '02139', ['zip_zero_restored']],
    ['21391234', 'MA', '02139-1234', ['zip_zero_restored']],
    ['2139-1234', 'MA', '02139-1234', ['zip_zero_restored']],
    ['2139', '', '02139', ['zip_zero_restored']],
    ['901', 'PR', '00901', ['zip_zero_restored']],
    ['2139', 'IL', '', ['invalid_zip']],
    ['901', '', '', ['invalid_zip']],
    ['K1A 0B6', 'ON', 'K1A 0B6', ['foreign_state']],
    ['k1a0b6', '', 'K1A 0B6', ['foreign_zip']],
    ['SW1A 1AA', '', 'SW1A 1AA', ['foreign_zip']],
    ['6270', 'IL', '', ['invalid_zip']],
    ['00000', 'IL', '', []],
    ['6.27E+08', 'IL', '', ['rounded_by_spreadsheet']],
  ])('the ZIP code %j in %j becomes %j', (text, state, expected, codes) => {
    expect(cell('zip', text, { state })).toMatchObject({ value: expected, codes });
  });

  test.each([
    ['IL-12', '', 'IL-12', []],
    ['IL12', '', 'IL-12', []],
    ['il 3', '', 'IL-03', []],
    ['3', 'IL', 'IL-03', []],
    ['03', 'Illinois', 'IL-03', []],
    ['CD 3', 'IL', 'IL-03', []],
    ['CD-03', 'IL', 'IL-03', []],
    ['CD3', 'IL', 'IL-03', []],
    ['Congressional 3', 'IL', 'IL-03', []],
    ['3rd Congressional District', 'IL', 'IL-03', []],
    ['Congressional District 12', 'IL', 'IL-12', []],
    ['US House 12', 'IL', 'IL-12', []],
    ['Illinois 12th', '', 'IL-12', []],
    ['At Large', 'AK', 'AK-00', []],
    ['AK-AL', '', 'AK-00', []],
    ['0', 'WY', 'WY-00', []],
    ['3', '', '', ['invalid_district']],
    ['99', 'IL', '', ['invalid_district']],
    ['unsure', 'IL', '', ['invalid_district']],
  ])('the district %j in %j becomes %j', (text, state, expected, codes) => {
    expect(cell('congressional_district', text, { state })).toMatchObject({ value: expected, codes });
  });

  test('uses the state from any column position', () => {
    const { values } = checked(
      ['congressional_district', 'zip', 'first_name', 'last_name', 'state'],
      ['3', '2139', 'Ann', 'Lee', 'Mass.'],
    );
    expect(values).toMatchObject({ congressional_district: 'MA-03', zip: '02139', state: 'MA' });
  });

  test('keeps all three unchanged outside the United States', () => {
    const { values, codes } = checked(
      ['first_name', 'last_name', 'state', 'zip', 'congressional_district'],
      ['Ann', 'Lee', 'Kent', 'ME13 8GD', 'Faversham'],
      { region: 'GB' },
    );
    expect(values).toMatchObject({ state: 'Kent', zip: 'ME13 8GD', congressional_district: 'Faversham' });
    expect(codes).toEqual([]);
  });
});

describe('dates', () => {
  test.each([
    ['2026-03-04', '2026-03-04'],
    ['3/4/2026', '2026-03-04'],
    ['03/04/26', '2026-03-04'],
    ['1/5/62', '1962-01-05'],
    ['31/12/2025', '2025-12-31'],
    ['4.3.2026', '2026-03-04'],
    ['20260304', '2026-03-04'],
    ['Mar 4, 2026', '2026-03-04'],
    ['Wednesday, March 4th, 2026', '2026-03-04'],
    ['4 March 2026', '2026-03-04'],
    ['04-MAR-26', '2026-03-04'],
    ['Monday, 2 March 2026', '2026-03-02'],
    ['2026-03-04 00:00:00', '2026-03-04'],
    ['2026-03-04T17:30:00.000Z', '2026-03-04T17:30:00'],
    ['3/4/2026 5:30 PM', '2026-03-04T17:30:00'],
    ['46085', '2026-03-04'],
    ['12/31/1999', '1999-12-31'],
    ['2/29/2000', '2000-02-29'],
    ['3/4/2026 ', '2026-03-04'],
    ['2/30/2026', '2/30/2026'],
    ['2/29/1900', '2/29/1900'],
    ['0/4/2026', '0/4/2026'],
    ['13/13/2026', '13/13/2026'],
    ['3/4/0999', '3/4/0999'],
    ['3/4/2o26', '3/4/2o26'],
    ['soon', 'soon'],
  ])('%j becomes %j', (text, expected) => {
    const { value, codes } = cell(['custom_fields.joined', 'date'], text);
    expect({ value, codes }).toEqual({
      value: expected,
      codes: text === expected && !/^\d{4}-/.test(text) ? ['invalid_date'] : [],
    });
  });
});

describe('names', () => {
  test.each([
    ['SMITH', 'Smith'],
    ['smith', 'Smith'],
    ['McDONALD', 'McDONALD'],
    ['MCDONALD', 'McDonald'],
    ['MACDONALD', 'MacDonald'],
    ['MACHADO', 'Machado'],
    ['MACKEY', 'Mackey'],
    ["O'BRIEN", "O'Brien"],
    ['O’BRIEN', 'O’Brien'],
    ['DE LA CRUZ', 'de la Cruz'],
    ['DELACRUZ', 'Delacruz'],
    ['VAN DER BERG', 'van der Berg'],
    ['VAN BUREN', 'Van Buren'],
    ['SMITH-JONES', 'Smith-Jones'],
    ['SMITH JR', 'Smith Jr'],
    ['SMITH III', 'Smith III'],
    ['NG', 'Ng'],
    ['LE', 'Le'],
    ['DE', 'De'],
    ['NÚÑEZ', 'Núñez'],
    ['ÅNGSTRÖM', 'Ångström'],
    ['bell hooks', 'Bell Hooks'],
    ['deGrasse', 'deGrasse'],
    ['  Van   Dyke ', 'Van Dyke'],
    ['李', '李'],
  ])('the family name %j becomes %j', (text, expected) => {
    expect(checked(['first_name', 'last_name'], ['Ann', text]).values.last_name).toBe(expected);
  });

  test.each([
    ['DJ', 'DJ'],
    ['ED', 'Ed'],
    ['J.R.', 'J.R.'],
    ['MARY-ANN', 'Mary-Ann'],
    ['MARIA DEL CARMEN', 'Maria del Carmen'],
  ])('the given name %j becomes %j', (text, expected) => {
    expect(checked(['first_name', 'last_name'], [text, 'Lee']).values.first_name).toBe(expected);
  });

  test('keeps the case if no rule applies', () => {
    const { values } = checked(
      [
        ['first_name', 'none'],
        ['last_name', 'none'],
      ],
      [' ANN ', 'O’BRIEN'],
    );
    expect(values).toEqual({ first_name: 'ANN', last_name: 'O’BRIEN' });
  });

  test.each([
    ['Ann Lee', { first_name: 'Ann', last_name: 'Lee' }, []],
    ['Lee, Ann', { first_name: 'Ann', last_name: 'Lee' }, []],
    ['LEE, ANN MARIE', { first_name: 'Ann', last_name: 'Lee', 'custom_fields.middle_name': 'Marie' }, []],
    [
      'Ann M. Lee Jr.',
      { first_name: 'Ann', last_name: 'Lee', 'custom_fields.middle_name': 'M.', 'custom_fields.name_suffix': 'Jr.' },
      [],
    ],
    ['Lee, Ann, Jr.', { first_name: 'Ann', last_name: 'Lee', 'custom_fields.name_suffix': 'Jr.' }, []],
    ['Lee Jr., Ann', { first_name: 'Ann', last_name: 'Lee', 'custom_fields.name_suffix': 'Jr.' }, []],
    ['Ann Lee, PhD', { first_name: 'Ann', last_name: 'Lee', 'custom_fields.name_suffix': 'PhD' }, []],
    ['Dr. Ann Lee', { first_name: 'Ann', last_name: 'Lee', 'custom_fields.name_prefix': 'Dr.' }, []],
    ['The Hon. Ann Lee', { first_name: 'Ann', last_name: 'Lee', 'custom_fields.name_prefix': 'The Hon.' }, []],
    ['Lee, Rev. Ann', { first_name: 'Ann', last_name: 'Lee', 'custom_fields.name_prefix': 'Rev.' }, []],
    ['Maria de la Cruz', { first_name: 'Maria', last_name: 'de la Cruz' }, []],
    ['Dick Van Dyke', { first_name: 'Dick', last_name: 'Van Dyke' }, []],
    ['José Ortega y Gasset', { first_name: 'José', last_name: 'Ortega y Gasset' }, []],
    ['J. Robert Lee', { first_name: 'J. Robert', last_name: 'Lee' }, []],
    ['William "Bill" Lee', { first_name: 'William', last_name: 'Lee' }, []],
    ['John & Mary Smith', { first_name: 'John & Mary', last_name: 'Smith' }, ['two_people']],
    ['John and Mary Smith', { first_name: 'John and Mary', last_name: 'Smith' }, ['two_people']],
    ['Smith, John & Mary', { first_name: 'John & Mary', last_name: 'Smith' }, ['two_people']],
    [
      'Mr. & Mrs. John Smith',
      { first_name: 'John', last_name: 'Smith', 'custom_fields.name_prefix': 'Mr. & Mrs.' },
      ['two_people'],
    ],
    [
      'John Smith & Mary Jones',
      { first_name: 'John', last_name: 'Smith', 'custom_fields.second_person': 'Mary Jones' },
      ['two_people'],
    ],
    ['Andy Anderson', { first_name: 'Andy', last_name: 'Anderson' }, []],
    [
      'Smith Family Trust',
      { first_name: 'Smith', last_name: 'Trust', 'custom_fields.middle_name': 'Family' },
      ['unsure_split'],
    ],
  ])('splits the full name %j', (text, expected, codes) => {
    const result = checked([['first_name', 'full_name']], [text]);
    expect({ ...result.values, first_name: result.values.first_name?.replace(' and ', ' & ') }).toEqual({
      ...expected,
      first_name: expected.first_name.replace(' and ', ' & '),
    });
    expect(result.codes).toEqual(codes);
  });

  test('rejects a full name of one word, and blanks, dots and spaces', () => {
    expect(checked([['first_name', 'full_name']], ['Cher'])).toMatchObject({ rejected: true, codes: ['required'] });
    expect(checked(['first_name', 'last_name'], ['Ann', ' - '])).toMatchObject({ rejected: true, codes: ['required'] });
    const { findings } = checked(['first_name', 'last_name'], ['', '\u00a0']);
    expect(findings).toEqual([
      {
        row: 7,
        file_row: 9,
        column: 'Column 1',
        field: 'first_name',
        code: 'required',
        message: 'The first name is missing',
        value: '',
      },
      {
        row: 7,
        file_row: 9,
        column: 'Column 2',
        field: 'last_name',
        code: 'required',
        message: 'The last name is missing',
        value: '',
      },
    ]);
  });

  test('imports two people in a first name with a warning', () => {
    expect(checked(['first_name', 'last_name'], ['John & Mary', 'Smith'])).toMatchObject({
      rejected: false,
      codes: ['two_people'],
    });
  });
});

describe('rows', () => {
  test.each([
    ['Springfield, IL 62701', { city: 'Springfield', state: 'IL', zip: '62701' }],
    ['Springfield IL 62701-1234', { city: 'Springfield', state: 'IL', zip: '62701-1234' }],
    ['SPRINGFIELD, ILLINOIS', { city: 'Springfield', state: 'IL' }],
    ['New York, New York 10001', { city: 'New York', state: 'NY', zip: '10001' }],
    ['New York NY', { city: 'New York', state: 'NY' }],
    ['Washington, D.C. 20001, USA', { city: 'Washington', state: 'DC', zip: '20001' }],
    ['Washington', { city: 'Washington' }],
    ['St. Louis, MO', { city: 'St. Louis', state: 'MO' }],
    ['62701', { zip: '62701' }],
    ['Boston, MA 2139', { city: 'Boston', state: 'MA', zip: '02139' }],
  ])('reads the place %j', (text, expected) => {
    const { values } = checked(['first_name', 'last_name', ['city', 'city_state_zip']], ['Ann', 'Lee', text]);
    expect(values).toEqual({ first_name: 'Ann', last_name: 'Lee', ...expected });
  });

  test.each([
    [['New York, NY', '501'], { city: 'New York', state: 'NY', zip: '00501' }],
    [['Springfield, IL 62701', '62702'], { city: 'Springfield', state: 'IL', zip: '62702' }],
    [['Springfield, IL 62701', ''], { city: 'Springfield', state: 'IL', zip: '62701' }],
  ])('reads the place %j next to a ZIP code', (cells, expected) => {
    const mappings = ['first_name', 'last_name', ['city', 'city_state'], 'zip'] as Parameters<typeof checked>[0];
    const { values } = checked(mappings, ['Ann', 'Lee', ...cells]);
    expect(values).toEqual({ first_name: 'Ann', last_name: 'Lee', ...expected });
  });

  test('keeps a ZIP code without a field in a custom field', () => {
    const { values } = checked(['first_name', 'last_name', ['city', 'city_state']], ['Ann', 'Lee', 'Rome, NY 13440']);
    expect(values).toMatchObject({ city: 'Rome', state: 'NY', 'custom_fields.unclear_values': 'zip: 13440' });
  });

  test('joins columns and tags, and keeps texts unchanged', () => {
    const { values, codes } = checked(
      [
        'first_name',
        'last_name',
        ['address1', 'join'],
        ['address1', 'join'],
        ['address1', 'join'],
        'tags',
        'notes',
        'skip',
        'custom_fields.party',
      ],
      [
        'Ann',
        'Lee',
        '12',
        '',
        'Main  St',
        'volunteer; donor|Donor,  yard sign ',
        ' two\nlines, "quoted" ',
        'gone',
        '=D',
      ],
    );
    expect(values).toEqual({
      first_name: 'Ann',
      last_name: 'Lee',
      address1: '12 Main  St',
      tags: 'volunteer,donor,yard sign',
      notes: 'two\nlines, "quoted"',
      'custom_fields.party': '=D',
    });
    expect(codes).toEqual([]);
  });

  test('accepts dates of leap years only', () => {
    expect(cell(['custom_fields.d', 'date'], '2/29/2024')).toMatchObject({ value: '2024-02-29', codes: [] });
    expect(cell(['custom_fields.d', 'date'], '2/29/1900')).toMatchObject({ codes: ['invalid_date'] });
  });

  test('truncates long values and keeps the whole in a custom field if possible; rejects a page as a name', () => {
    const long = 'x'.repeat(300);
    const { values, codes } = checked(['first_name', 'last_name', 'city'], ['Ann', 'Lee', long]);
    expect(values.city).toHaveLength(100);
    expect(values['custom_fields.unclear_values']).toContain(long.slice(1));
    expect(codes).toEqual(['shortened']);
    expect(checked(['first_name', 'last_name'], ['Ann', long])).toMatchObject({
      rejected: true,
      codes: ['name_too_long'],
    });
  });

  test.each(['#N/A', '#REF!', 'n/a', 'N.A.'])('%s is not a person’s name', (text) => {
    expect(checked(['first_name', 'last_name'], ['Ann', text])).toMatchObject({ rejected: true, codes: ['required'] });
    expect(checked(['first_name', 'last_name'], ['Na', 'Null']).rejected).toBe(false);
  });

  test('a failed formula leaves its field empty', () => {
    const columns: Column[] = ['first_name', 'last_name', 'address1', ['city', 'join'], ['city', 'join'], 'notes'];
    const { values, codes } = checked(columns, ['Ann', 'Lee', '#N/A', '#VALUE! ', 'Bath', '#12 is hers']);
    expect(values).toEqual({ first_name: 'Ann', last_name: 'Lee', city: 'Bath', notes: '#12 is hers' });
    expect(codes).toEqual([]);
  });

  test('skips headers repeated among the rows', () => {
    const again = checked(['first_name', 'last_name', 'email'], [' column 1', 'COLUMN 2', 'Column 3']);
    expect(again).toMatchObject({ rejected: true });
    expect(again.codes).toContain('repeated_headers');
    expect(checked([['first_name', 'full_name']], ['Column 1']).codes).toContain('repeated_headers');
    expect(checked(['first_name', 'last_name'], ['Column 1', 'Lee']).rejected).toBe(false);
  });

  test('keeps cells beyond the headers, or rejects the row if its values do not fit', () => {
    const columns: Column[] = ['first_name', 'last_name', 'email'];
    const kept = checked(columns, ['Ann', 'Lee', 'ann@example.org', 'more', ''], { problem: 'too_many_cells' });
    expect(kept).toMatchObject({ rejected: false, codes: ['extra_cells'] });
    expect(kept.values['custom_fields.unclear_values']).toBe('more: more');
    const slipped = checked(columns, ['Lee', ' Ann', 'Jr', 'ann@example.org'], { problem: 'too_many_cells' });
    expect(slipped).toMatchObject({ rejected: true, codes: ['invalid_email', 'shifted_cells'] });
    const blank = checked(columns, ['Ann', 'Lee', 'ann@example.org', '', ' '], { problem: 'too_many_cells' });
    expect(blank.codes).toEqual([]);
  });

  test('keeps no state between rows', () => {
    const headers = ['A', 'B', 'C'];
    const mappings: FieldMapping[] = [
      { source: 'A', target: 'first_name', confidence: 1 },
      { source: 'B', target: 'last_name', confidence: 1 },
      { source: 'C', target: 'email', confidence: 1 },
    ];
    const { check } = rowCheck({ mappings, layout: { headers } as TableLayout, options: { region: 'US' } });
    check({ number: 1, fileRow: 2, cells: ['', '', 'nonsense'], problem: undefined });
    const row = check({ number: 2, fileRow: 3, cells: ['Ann', 'Lee', ''], problem: undefined });
    expect({ rejected: row.rejected, findings: row.findings, values: row.values }).toEqual({
      rejected: false,
      findings: [],
      values: ['Ann', 'Lee', '', ''],
    });
  });
});
