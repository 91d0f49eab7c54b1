import { describe, expect, test } from '@jest/globals';
import {
  fieldsFilledBy,
  isMappingTarget,
  transformOf,
} from '../../../../src/features/list-imports/mapping/field-mapping.ts';
import { personFields } from '../../../../src/features/list-imports/mapping/person-fields.ts';
import { transforms } from '../../../../src/features/list-imports/mapping/transforms.ts';

describe('targets of a mapping', () => {
  test.each([...personFields, 'skip', 'custom_fields.dob', 'custom_fields.a1_b', `custom_fields.${'x'.repeat(64)}`])(
    'accepts %s',
    (target) => expect(isMappingTarget(target)).toBe(true),
  );

  test.each([
    '',
    'First_name',
    'custom_fields',
    'custom_fields.',
    'custom_fields.DOB',
    'custom_fields.1st',
    'custom_fields.a.b',
    'custom_fields.a-b',
    'custom_fields.__proto__',
    `custom_fields.${'x'.repeat(65)}`,
    'custom_fields.a\n',
    'id',
    'toString',
  ])('rejects %j', (target) => expect(isMappingTarget(target)).toBe(false));

  test('uses the usual transform unless another is specified', () => {
    expect(transformOf({ target: 'cell_phone' })).toBe('phone');
    expect(transformOf({ target: 'cell_phone', transform: 'none' })).toBe('none');
    expect(transformOf({ target: 'notes' })).toBe('none');
    expect(transformOf({ target: 'custom_fields.dob', transform: 'date' })).toBe('date');
    for (const target of personFields) expect(transforms).toContain(transformOf({ target }));
  });

  test('a split fills several fields', () => {
    expect(fieldsFilledBy({ target: 'first_name' })).toEqual(['first_name']);
    expect(fieldsFilledBy({ target: 'first_name', transform: 'full_name' })).toEqual(['first_name', 'last_name']);
    expect(fieldsFilledBy({ target: 'city', transform: 'city_state_zip' })).toEqual(['city', 'state', 'zip']);
    expect(fieldsFilledBy({ target: 'skip' })).toEqual([]);
    expect(fieldsFilledBy({ target: 'custom_fields.x', transform: 'date' })).toEqual([]);
  });
});
