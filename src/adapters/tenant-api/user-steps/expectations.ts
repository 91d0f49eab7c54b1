import type { TenantAnswer } from '../transport.ts';
import { limits, type UserStep } from './definition.ts';
import { RenderBudget, render, renderScalar, type Scalar, type Values } from './placeholders.ts';

const maxShown = 100;
const maxCapturedLength = 4_096;

/** An answer that is not as expected; the message may contain parts of the answer. */
export class Unexpected extends Error {}

/** What a step captures from an answer. @throws Unexpected */
export function captureFrom(answer: TenantAnswer, { capture }: UserStep): [name: string, value: Scalar][] {
  const document = documentOf(answer);
  return Object.entries(capture).map(([name, { json, header }]) => {
    const found = json === undefined ? answer.headers[String(header).toLowerCase()] : valueAt(document(), json);
    const value = Array.isArray(found) && header !== undefined ? found[0] : found;
    if (!isScalar(value) || value === null)
      throw new Unexpected(
        `${name} can’t be captured: the answer has no such ${json === undefined ? 'header' : 'value'}`,
      );
    if (String(value).length > maxCapturedLength)
      throw new Unexpected(`${name} can’t be captured: it is longer than ${maxCapturedLength} characters`);
    return [name, value];
  });
}

/** Whether the status is the expected one. @throws Unexpected with what the application says about it */
export function assertStatus(answer: TenantAnswer, { expect: { status } }: UserStep): void {
  const { statusCode } = answer;
  if (status ? status.includes(statusCode) : statusCode >= 200 && statusCode < 300) return;
  const said = detailOf(jsonOf(answer));
  throw new Unexpected(`answered ${statusCode} instead of ${status?.join(' or ') ?? '2xx'}${said && `: ${said}`}`);
}

/** Whether the content is as expected. @throws Unexpected; MissingValue */
export function assertContent(answer: TenantAnswer, { expect: { text, json = {} } }: UserStep, values: Values): void {
  const budget = new RenderBudget(limits.bodyBytes, `the expected texts are longer than ${limits.bodyBytes / 1024} KB`);
  if (text !== undefined && !contains(answer.body, render(text, values, budget)))
    throw new Unexpected(`the answer does not contain “${text.slice(0, maxShown)}”`);
  const document = documentOf(answer);
  for (const [path, expected] of Object.entries(json)) {
    const found = valueAt(document(), path);
    const wanted = typeof expected === 'string' ? renderScalar(expected, values, budget) : expected;
    if (found !== wanted) throw new Unexpected(`${path} is ${shown(found)} instead of ${shown(expected)}`);
  }
}

/** Like `includes`, which takes minutes for some texts of the tenant's: this one is linear (Knuth, Morris and Pratt). */
function contains(body: string, text: string): boolean {
  const borders = new Uint32Array(text.length + 1);
  const next = (matched: number, character: number): number => {
    let length = matched;
    while (length > 0 && (length === text.length || text.charCodeAt(length) !== character))
      length = borders[length] ?? 0;
    return text.charCodeAt(length) === character ? length + 1 : 0;
  };
  for (let at = 1; at < text.length; at += 1) borders[at + 1] = next(borders[at] ?? 0, text.charCodeAt(at));
  let matched = 0;
  for (let at = 0; at < body.length && matched < text.length; at += 1) matched = next(matched, body.charCodeAt(at));
  return matched === text.length;
}

/** The answer's JSON, parsed once. @throws Unexpected */
function documentOf(answer: TenantAnswer): () => unknown {
  let document: unknown;
  return () => {
    document ??= jsonOf(answer);
    if (document === undefined) throw new Unexpected('the answer is not JSON');
    return document;
  };
}

/** A value in a JSON document; undefined: there is none. */
function valueAt(document: unknown, path: string): unknown {
  let value: unknown = document;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

function jsonOf({ body }: TenantAnswer): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

const isScalar = (value: unknown): value is Scalar =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value);

function shown(value: unknown): string {
  if (value === undefined) return 'missing';
  if (!isScalar(value)) return Array.isArray(value) ? 'a list' : 'an object';
  return JSON.stringify(value);
}

/** What an application says about an error, as common frameworks do. */
function detailOf(body: unknown): string {
  if (typeof body !== 'object' || body === null) return '';
  const found = ['detail', 'message', 'error'].map((name) => (body as Record<string, unknown>)[name]);
  return found.find((value) => typeof value === 'string') ?? '';
}
