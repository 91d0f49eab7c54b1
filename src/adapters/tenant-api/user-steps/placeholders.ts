/** A value that a placeholder stands for. */
export type Scalar = string | number | boolean | null;

/** What `${…}` may name in a step. */
export interface Values {
  /** The environment that the tenant's units have, for `${env.NAME}`. */
  environment: Readonly<Record<string, string | undefined>>;
  /** What earlier steps captured and `run`, by name. */
  captured: ReadonlyMap<string, Scalar>;
}

/** A placeholder without a value: the message names it and contains no value. */
export class MissingValue extends Error {}

/** A step names a value many times: longer ones would add up to gigabytes. */
const maxValueLength = 8_192;

/** Bounded, so that a text of many `${` takes linear time. */
const placeholder = /\$\{([^{}$]{0,110})\}/g;
const environmentName = /^env\.([A-Za-z_]\w{0,99})$/;
export const variableName = /^[a-z]\w{0,49}$/;

/** The placeholders of a text, without `${` and `}`. */
export const placeholdersIn = (text: string): string[] => [...text.matchAll(placeholder)].map(([, name = '']) => name);

/** The variable of the environment that a placeholder names; undefined: it names something else. */
export const environmentVariable = (name: string): string | undefined => environmentName.exec(name)?.[1];

/**
 * A text with its placeholders replaced.
 * @param encode applied to each value
 * @throws MissingValue
 */
export const render = (text: string, values: Values, encode = (value: string): string => value): string =>
  text.replaceAll(placeholder, (_, name: string) => encode(String(valueFor(name, values))));

/** Like `render`; a text that is one placeholder keeps the type of its value, such as a number. @throws MissingValue */
export function renderScalar(text: string, values: Values): Scalar {
  const [name] = placeholdersIn(text);
  return name !== undefined && text === `\${${name}}` ? valueFor(name, values) : render(text, values);
}

/** Applies a function to each text in a JSON value, not to keys. */
export function mapTexts(value: unknown, change: (text: string) => unknown): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, change)]));
}

function valueFor(name: string, { environment, captured }: Values): Scalar {
  const variable = environmentVariable(name);
  const value = variable === undefined ? captured.get(name) : environment[variable];
  if (typeof value === 'string' && value.length > maxValueLength)
    throw new Error(`\${${name}} is longer than ${maxValueLength} characters`);
  if (value !== undefined) return value;
  throw new MissingValue(
    variable === undefined
      ? `\${${name}} has not been captured`
      : `\${${name}}: the tenant’s environment has no ${variable}`,
  );
}
