import { parseDocument } from 'yaml';
import type { z } from 'zod';
import { messageOf } from '../../../lib/errors.ts';
import { readSiteHeader } from '../site-header.ts';
import { type DynamicConfig, dynamicConfig, type ForeignConfig, foreignConfig } from './dynamic-config.ts';

/**
 * A parsed file of Traefik's directory. `unreadable`: Traefik cannot read it either; then it loads no file of the directory any
 * more, and none after its next start. `wrong`: invalid, each problem with its path in the file.
 */
export type ParsedFile = { path: string } & (
  | { kind: 'site'; config: DynamicConfig }
  | { kind: 'foreign'; config: ForeignConfig }
  | { kind: 'unchecked'; reason: string }
  | { kind: 'wrong'; problems: string[] }
  | { kind: 'unreadable'; problems: string[] }
);

/** Parses a file like Traefik. Those with our header may contain only what we use. Pure; never throws. */
export function parseFile(path: string, text: string): ParsedFile {
  if (/\.toml$/i.test(path)) return { path, kind: 'unchecked', reason: 'it is TOML' };
  const ours = readSiteHeader(text) !== undefined;
  // Traefik runs every file through Go's templates first, comments too.
  if (text.includes('{{')) {
    return ours
      ? { path, kind: 'wrong', problems: ['it contains a template ({{), which Tenantry never writes'] }
      : { path, kind: 'unchecked', reason: 'it is a template' };
  }
  const document = parseDocument(text);
  if (document.errors.length > 0) {
    return { path, kind: 'unreadable', problems: document.errors.map(({ message }) => firstLine(message)) };
  }
  let value: unknown;
  try {
    value = document.toJS() ?? {};
  } catch (error) {
    return { path, kind: 'unreadable', problems: [messageOf(error)] };
  }
  if (ours) {
    const { data: config, error } = dynamicConfig.safeParse(value);
    return config ? { path, kind: 'site', config } : { path, kind: 'wrong', problems: error.issues.map(issueText) };
  }
  const { data: config, error } = foreignConfig.safeParse(value);
  return config ? { path, kind: 'foreign', config } : { path, kind: 'wrong', problems: error.issues.map(issueText) };
}

/** With its path: `http.routers.<name>.rule: a rule Host(…)`. */
function issueText({ path, message }: z.core.$ZodIssue): string {
  return `${path.join('.') || 'the file'}: ${message}`;
}

/** The library adds an excerpt below. */
const firstLine = (message: string): string => (message.split('\n')[0] ?? '').replace(/:$/, '');
