import { invalid } from '../../lib/errors.ts';
import type { SettingDefinition } from './definition.ts';

type Value = string | number | boolean;

/** Shown instead of a secret that is set. */
export const hiddenMarker = '***hidden***';

/**
 * Converts a string or a JSON value of the setting's type to its canonical text.
 * @throws AppError validation_error that names the rule
 */
export function parseValue(definition: SettingDefinition, value: Value): string {
  switch (definition.type) {
    case 'integer':
    case 'number':
      return String(parseNumber(definition, value));
    case 'boolean':
      return String(parseBoolean(value));
    case 'string':
      return parseString(definition, value);
    default:
      return definition satisfies never;
  }
}

/** Converts stored text to the setting's type; undefined if it is no longer valid. */
export function readValue(definition: SettingDefinition, stored: string): Value | undefined {
  try {
    const text = parseValue(definition, stored);
    if (definition.type === 'string') return text;
    return definition.type === 'boolean' ? text === 'true' : Number(text);
  } catch {
    return undefined;
  }
}

function parseNumber(definition: Extract<SettingDefinition, { min: number }>, value: Value): number {
  const spelling = definition.type === 'integer' ? /^-?\d{1,15}$/ : /^-?\d{1,15}(\.\d{1,15})?$/;
  const parsed = typeof value === 'string' && spelling.test(value) ? Number(value) : value;
  const fits = definition.type === 'integer' ? Number.isSafeInteger(parsed) : Number.isFinite(parsed);
  if (typeof parsed !== 'number' || !fits) throw invalid('value', `must be of type ${definition.type}`);
  if (parsed < definition.min || parsed > definition.max)
    throw invalid('value', `must be between ${definition.min} and ${definition.max}`);
  return parsed === 0 ? 0 : parsed;
}

function parseBoolean(value: Value): boolean {
  if (typeof value === 'boolean') return value;
  if (value === 'true' || value === 'false') return value === 'true';
  throw invalid('value', 'must be true or false');
}

function parseString(definition: Extract<SettingDefinition, { maxLength: number }>, value: Value): string {
  if (typeof value !== 'string') throw invalid('value', 'must be a string');
  if (value.length > definition.maxLength)
    throw invalid('value', `must have at most ${definition.maxLength} characters`);
  if (/\p{Cc}/u.test(value)) throw invalid('value', 'must not contain control characters');
  if (definition.secret && value === hiddenMarker)
    throw invalid(
      'value',
      'is the placeholder for the hidden secret. Enter a new value, or leave the secret unchanged.',
    );
  const problem = value === '' ? undefined : definition.rule?.(value);
  if (problem) throw invalid('value', problem);
  return value;
}
