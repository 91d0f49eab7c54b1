import { describe, expect, test } from '@jest/globals';
import type { FieldMapping } from '../../../../src/features/list-imports/mapping/field-mapping.ts';
import type { ImportTemplate } from '../../../../src/features/list-imports/store.ts';
import { applyTemplate, matchTemplate } from '../../../../src/features/list-imports/templates/match-template.ts';

const map = (source: string, target: FieldMapping['target'], transform?: FieldMapping['transform']): FieldMapping => ({
  source,
  target,
  confidence: 1,
  ...(transform ? { transform } : {}),
});
const template = (name: string, ...mappings: FieldMapping[]): ImportTemplate => ({
  id: name,
  name,
  description: null,
  mappings,
  createdAt: new Date(0),
  updatedAt: new Date(0),
  createdBy: 'eva',
});
const names = [map('First Name', 'first_name'), map('Last Name', 'last_name')];
const targets = (headers: string[], of: ImportTemplate, present: FieldMapping[] = []) =>
  Object.fromEntries(applyTemplate(of, headers, present).mappings.map(({ source, target }) => [source, target]));

describe('matching a template', () => {
  test('finds its columns in any order, case and punctuation, with or without accents', () => {
    const headers = ['TELÉFONO', 'last_name', 'FIRST-NAME', 'Shoe size'];
    expect(targets(headers, template('t', ...names, map('Telefono', 'cell_phone')))).toEqual({
      TELÉFONO: 'cell_phone',
      last_name: 'last_name',
      'FIRST-NAME': 'first_name',
      'Shoe size': 'skip',
    });
  });

  test('finds similar columns, but never one with a different number', () => {
    const of = template('t', ...names, map('Phone Number 1', 'cell_phone'), map('Precinct name', 'precinct'));
    expect(targets(['First Name', 'Last Names', 'Phone Number 2', 'Precinct_names'], of)).toEqual({
      'First Name': 'first_name',
      'Last Names': 'last_name',
      'Phone Number 2': 'skip',
      Precinct_names: 'precinct',
    });
  });

  test('prefers the same header to a similar one, and uses each column once', () => {
    const of = template('t', map('Phones', 'home_phone'), map('Phone', 'cell_phone'));
    expect(targets(['Phone', 'Phones'], of)).toEqual({ Phone: 'cell_phone', Phones: 'home_phone' });
    expect(targets(['Phone'], of)).toEqual({ Phone: 'cell_phone' });
  });

  test('keeps other mappings, unless the template fills that field', () => {
    const present = [map('E-Mail', 'email'), map('Name', 'first_name', 'full_name'), map('X', 'custom_fields.x')];
    const headers = ['First Name', 'Last Name', 'E-Mail', 'Name', 'X'];
    expect(targets(headers, template('t', ...names), present)).toMatchObject({
      'E-Mail': 'email',
      Name: 'skip',
      X: 'custom_fields.x',
    });
    const own = template('t', ...names, map('Y', 'custom_fields.x'));
    expect(targets([...headers, 'Y'], own, present)).toMatchObject({ X: 'skip', Y: 'custom_fields.x' });
  });

  test('lists the missing columns', () => {
    const { warnings } = applyTemplate(
      template('Spring', ...names, map('Zip', 'zip'), map('?', 'skip')),
      ['First Name'],
      [],
    );
    expect(warnings).toEqual(['The list has no column like "Last Name", "Zip" of the template “Spring”.']);
  });

  test('matches many columns against many others quickly', () => {
    const wide = Array.from({ length: 2_000 }, (_, at) => `A rather long header of column ${at}, of a wide export`);
    const of = template('wide', ...wide.map((header) => map(`${header} x`, 'skip')));
    expect(applyTemplate(of, wide, []).mappings).toHaveLength(2_000);
  });
});

describe('choosing a template', () => {
  const wide = [...names, map('City', 'city'), map('State', 'state'), map('Zip', 'zip')];
  test('needs nine of ten columns of a template', () => {
    const templates = [template('wide', ...wide), template('unlike', map('A', 'first_name'), map('B', 'last_name'))];
    const all = wide.map(({ source }) => source);
    expect(matchTemplate(templates, [...all, 'Shoe size'])?.template.name).toBe('wide');
    expect(matchTemplate(templates, all.slice(1))).toBeUndefined();
    expect(matchTemplate([], all)).toBeUndefined();
    expect(matchTemplate([template('empty')], all)).toBeUndefined();
  });

  test('of two equal matches, prefers the one with more columns', () => {
    const templates = [template('names', ...names), template('wide', ...wide)];
    expect(
      matchTemplate(
        templates,
        wide.map(({ source }) => source),
      )?.template.name,
    ).toBe('wide');
  });
});
