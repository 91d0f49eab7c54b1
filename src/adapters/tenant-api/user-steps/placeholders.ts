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

const maxValueLength = 8_192;

/** A step names a value many times: the characters of all rendered texts are counted while they grow, not afterwards. */
export class RenderBudget {
  #left: number;
  readonly #problem: string;

  /** @param problem the message of the error once more characters were rendered */
  constructor(characters: number, problem: string) {
    this.#left = characters;
    this.#problem = problem;
  }

  /** @throws Error */
  take(text: string): string {
    this.#left -= text.length;
    if (this.#left < 0) throw new Error(this.#problem);
    return text;
  }
}

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
 * @param budget of this text, or of several together
 * @param encode applied to each value
 * @throws MissingValue; Error when the budget is used up
 */
export function render(
  text: string,
  values: Values,
  budget: RenderBudget,
  encode = (value: string): string => value,
): string {
  let from = 0;
  const parts: string[] = [];
  for (const { 0: whole, 1: name = '', index } of text.matchAll(placeholder)) {
    parts.push(budget.take(text.slice(from, index)), budget.take(encode(String(valueFor(name, values)))));
    from = index + whole.length;
  }
  return parts.join('') + budget.take(text.slice(from));
}

/** Like `render`; a text that is one placeholder keeps the type of its value, such as a number. @throws like `render` */
export function renderScalar(text: string, values: Values, budget: RenderBudget): Scalar {
  const rendered = render(text, values, budget);
  const [name] = placeholdersIn(text);
  return name !== undefined && text === `\${${name}}` ? valueFor(name, values) : rendered;
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
