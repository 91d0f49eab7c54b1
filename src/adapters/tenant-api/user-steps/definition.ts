import { z } from 'zod';
import { oneLine } from '../../../lib/text/foreign-text.ts';
import { environmentVariable, mapTexts, placeholdersIn, variableName } from './placeholders.ts';

/** Limits of a repository's checks: it is untrusted, and a run must stay cheap. */
export const limits = {
  checks: 10,
  /** Of all checks together, cleanup included. */
  steps: 20,
  /** A run of all checks, in ms. */
  runMs: 60_000,
  /** The cleanup of one check, in addition. */
  cleanupMs: 10_000,
  bodyBytes: 64 * 1024,
  /** Of a path, and of all headers together, after rendering. */
  pathCharacters: 8 * 1024,
  headerCharacters: 16 * 1024,
  /** Of all checks as JSON. A YAML file can repeat a text many times by aliases. */
  definitionBytes: 64 * 1024,
  /** Of an object of headers, form fields, expectations or captured values. */
  entries: 50,
};

/** Captured by the manager itself: a text that is unique to a run. */
export const runVariable = 'run';

const name = z.string().trim().min(1).max(80).regex(oneLine, 'must be one line of text');
// Only a path: the manager adds the address of the tenant's own unit.
const requestPath = z
  .string()
  .max(2_000)
  .regex(/^\/(?![/\\])[!"$-~]*$/, 'must be a path that starts with one /, without a host, a fragment or spaces');

/** Headers that would change whom a request reaches, or how it ends. */
const fixedHeaders = new Set([
  'connection',
  'content-length',
  'cookie',
  'expect',
  'forwarded',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
const headerName = z
  .string()
  .regex(/^[A-Za-z0-9-]{1,100}$/, 'must be a header’s name')
  .refine((name) => !fixedHeaders.has(name.toLowerCase()) && !/^(proxy|x-forwarded|x-real)-/i.test(name), {
    message: 'This header is set by the manager',
  });
const headerValue = z
  .string()
  .max(2_000)
  .regex(/^[\x20-\x7e]*$/, 'must be one line of ASCII characters');
const jsonPath = z
  .string()
  .max(200)
  .regex(/^[\w-]+(\.[\w-]+)*$/, 'must be names and indexes, separated by dots, such as items.0.id');
const scalar = z.union([z.string().max(1_000), z.number(), z.boolean(), z.null()], {
  error: 'must be a text, a number, true, false or null',
});

const statuses = z.preprocess(
  (value) => (Array.isArray(value) ? value : [value]),
  z.array(z.int().min(100).max(599)).min(1).max(10),
);

/** An object with a bounded number of entries. */
const few = <Entries extends z.ZodType<Record<string, unknown>>>(entries: Entries): Entries =>
  entries.refine((object) => Object.keys(object).length <= limits.entries, {
    message: `must have at most ${limits.entries} entries`,
  });

const step = z
  .strictObject({
    name,
    unit: z.enum(['api', 'frontend']),
    method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']).default('GET'),
    path: requestPath,
    headers: few(z.record(headerName, headerValue)).default({}),
    json: z.json().optional(),
    form: few(z.record(z.string().min(1).max(200), z.string().max(10_000))).optional(),
    expect: z
      .strictObject({
        /** Without it, any 2xx. */
        status: statuses.optional(),
        text: z.string().min(1).max(1_000).optional(),
        json: few(z.record(jsonPath, scalar)).optional(),
      })
      .default({}),
    capture: few(
      z.record(
        z.string().regex(variableName, 'must be a name of letters, digits and _ that starts with a small letter'),
        z
          .strictObject({ json: jsonPath.optional(), header: headerName.optional() })
          .refine(({ json, header }) => (json === undefined) !== (header === undefined), 'needs either json or header'),
      ),
    ).default({}),
    timeout_s: z.number().min(0.1).max(30).default(10),
    max_answer_kb: z.int().min(1).max(1_024).default(256),
  })
  .refine(({ json, form }) => json === undefined || form === undefined, {
    path: ['form'],
    message: 'A request has either json or form',
  })
  .refine(({ method, json, form }) => !['GET', 'HEAD'].includes(method) || (json ?? form) === undefined, {
    path: ['method'],
    message: 'A request with a body needs POST, PUT, PATCH or DELETE',
  });
export type UserStep = z.output<typeof step>;

const check = z
  .strictObject({
    name,
    steps: z.array(step).min(1).max(limits.steps),
    /** Always run after the steps; those whose captured values are missing are skipped. */
    cleanup: z.array(step).max(limits.steps).default([]),
  })
  .superRefine(({ steps, cleanup }, context) => {
    const names = new Set<string>();
    const known = new Set<string>([runVariable]);
    for (const [list, part] of Object.entries({ steps, cleanup }))
      for (const [at, one] of part.entries()) {
        const problem = (path: string, message: string): void =>
          context.addIssue({ code: 'custom', path: [list, at, path], message });
        if (names.has(one.name)) problem('name', `another step has the name ${one.name}`);
        names.add(one.name);
        const parts = { path: one.path, headers: one.headers, json: one.json, form: one.form };
        for (const [path, text] of Object.entries(parts)) assertKnown(text, known, (said) => problem(path, said));
        for (const variable of Object.keys(one.capture)) {
          if (variable === runVariable) problem('capture', `${runVariable} has a value already`);
          known.add(variable);
        }
        // An answer may be compared with what this step captures.
        assertKnown(one.expect, known, (said) => problem('expect', said));
      }
  });
export type UserCheck = z.output<typeof check>;

const listOfChecks = z
  .array(check)
  .max(limits.checks)
  .superRefine((checks, context) => {
    const steps = checks.reduce((sum, one) => sum + one.steps.length + one.cleanup.length, 0);
    if (steps > limits.steps)
      context.addIssue({ code: 'custom', message: `${steps} steps in all checks together, at most ${limits.steps}` });
    for (const [at, { name }] of checks.entries())
      if (checks.findIndex((one) => one.name === name) < at)
        context.addIssue({ code: 'custom', path: [at, 'name'], message: `another check has the name ${name}` });
  });

/** The checks of a repository: what a user does, as requests with expectations. */
export const userChecks = z
  .unknown()
  .refine((checks) => (JSON.stringify(checks) ?? '').length <= limits.definitionBytes, {
    message: `must have at most ${limits.definitionBytes / 1024} KB`,
  })
  .pipe(listOfChecks);

function assertKnown(value: unknown, known: ReadonlySet<string>, problem: (message: string) => void): void {
  mapTexts(value, (text) => {
    for (const name of placeholdersIn(text))
      if (environmentVariable(name) === undefined && !known.has(name))
        problem(`\${${name.slice(0, 60)}} is neither \${env.NAME}, \${run} nor captured by an earlier step`);
    return text;
  });
}
