import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { es as auditLog } from '../../../dashboard/src/features/audit-log/messages.es.ts';
import { es as sites } from '../../../dashboard/src/features/sites/messages.es.ts';
import { es as system } from '../../../dashboard/src/features/system/messages.es.ts';
import { es as diagnosis } from '../../../dashboard/src/features/tenant/diagnosis/messages.es.ts';
import { managerTexts as theme } from '../../../dashboard/src/features/themes/website/manager-texts.es.ts';
import { es as fleet } from '../../../dashboard/src/features/upgrades/fleet/messages.es.ts';
import { apiSentences, apiText } from '../../../dashboard/src/lib/api-text.ts';
import { translatedTexts } from './translated-texts.ts';

describe('a text of the API', () => {
  const texts = {
    'Runs {1}, which is newer': 'Usa {1}, que es más reciente',
    'Change {1} to {2}.': 'Cambie a {2} lo de {1}.',
    'The engine is away: {1}': 'El motor no responde: {1}',
    Deleted: 'Eliminada',
    'It is deleted.': 'Se eliminó.',
  };

  test.each([
    ['Deleted', 'Eliminada'],
    ['Runs v2, which is newer', 'Usa v2, que es más reciente'],
    ['Change a to b.', 'Cambie a b lo de a.'],
    ['The engine is away: no socket: none', 'El motor no responde: no socket: none'],
    ['The engine is away: Deleted', 'El motor no responde: Eliminada'],
    ['The engine is away: ', 'El motor no responde: '],
    ['Deleted by ada', 'Deleted by ada'],
    ['Runs v2', 'Runs v2'],
    ['Change a to', 'Change a to'],
  ])('%s', (english, spanish) => {
    expect(apiText(texts, english)).toBe(spanish);
    expect(apiText({}, english)).toBe(english);
  });

  test('shows its times in the zone of the user', () => {
    const at = '2026-11-26T11:05:00.000Z';
    const own = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(at));
    expect(apiText({ 'it expired at {1}': 'caducó el {1}' }, `it expired at ${at}`)).toBe(`caducó el ${own}`);
    expect(apiText({}, `unknown at ${at}`)).toBe(`unknown at ${own}`);
    expect(apiText({}, 'at 2026-99-99T11:05:00Z')).toBe('at 2026-99-99T11:05:00Z');
  });

  test('of several sentences', () => {
    expect(apiSentences(texts, 'It is deleted. By ada. Change a to b.')).toBe(
      'Se eliminó. By ada. Cambie a b lo de a.',
    );
  });
});

test.each([
  [
    system.findings,
    'Units on node-2 get no answers from node-3: allow TCP and UDP 7946 and UDP 4789 between the nodes',
    'Los servicios de node-2 no reciben respuestas de node-3: permita TCP y UDP 7946 y UDP 4789 entre los nodos',
  ],
  [
    system.findings,
    'The clock of the database server is 2 min behind the manager’s: set both by NTP, or tokens, certificates and schedules go wrong',
    'El reloj del servidor de base de datos va 2 min por detrás del reloj del gestor: sincronice ambos por NTP o fallarán los tokens, los certificados y las programaciones',
  ],
  [
    diagnosis.texts,
    'The clock of the container engine is 45 s ahead of the manager’s',
    'El reloj del motor de contenedores va 45 s por delante del reloj del gestor',
  ],
  [
    fleet.reasons,
    '3 failed, 2 of them before it was resumed; 0 may fail. a: No; b: Not; and 1 more',
    'Fallidas: 3, 2 de ellas antes de reanudar; fallos permitidos: 0. a: No; b: Not; y 1 más',
  ],
  [theme.descriptions, 'Blue with teal and orange', 'Azul con verde azulado y naranja'],
  [
    theme.descriptions,
    'The website’s blue with a quiet second colour',
    'El azul del sitio web con un segundo color discreto',
  ],
  [
    theme.descriptions,
    'The website’s second colour leads, blue supports it',
    'Domina el segundo color del sitio web, con el azul como apoyo',
  ],
  [
    theme.reasoning,
    '#123456 is the colour that the website uses most as its brand’s (logo, header background).',
    '#123456 es el color que el sitio web más usa como color de su marca (logotipo, fondo del encabezado).',
  ],
  [
    theme.warnings,
    'Logo https://a.example was left out: more than 5 KB',
    'El logotipo https://a.example se omitió: more than 5 KB',
  ],
  [
    { ...diagnosis.checkParts, ...diagnosis.checks },
    'frontend: Exit code 1; given up after 5 restarts',
    'Sitio: Código de salida 1; abandonado tras 5 reinicios',
  ],
  [
    sites.certificateProblems,
    'Certificate authority ca.example: a.example: no PEM private key',
    'Autoridad de certificación ca.example: a.example: no hay clave privada PEM',
  ],
])('composed texts, %#', (texts, english, spanish) => {
  expect(apiText(texts, english)).toBe(spanish);
});

/** A part that varies. */
const gap = '¤';

/** Gaps of templates in TypeScript without others in them, one after another. */
const innerGaps = /(?:\$\{(?:[^{}`]|\{[^{}`]*\})*\}|¤)+/g;

const source = join(import.meta.dirname, '../../../src');

const withGaps = (template: string): string => template.replaceAll(/(\{\d\})+/g, gap).toLowerCase();

/** All of the manager's code, also with `${…}` as gaps: of nested ones the inner first. */
function managerSource(): string {
  const paths = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
  let text = paths.map((path) => readFileSync(join(source, path), 'utf8')).join('\n');
  // Lists of words
  text = text.replaceAll(/'([^'\n]*)'\.split\(' '\)/g, (_, words: string) => `'${words.replaceAll(' ', "' '")}'`);
  const passes = [text];
  for (let before = ''; before !== text; ) {
    before = text;
    text = text.replaceAll(innerGaps, gap);
    passes.push(text);
  }
  return passes
    .join('\n')
    .replaceAll("\\'", "'")
    .replaceAll(/\\u([\dA-F]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .toLowerCase();
}

/** The literals of some code, with a word in the gaps of templates. */
function literalsIn(code: string): string[] {
  const found = new Set<string>();
  for (let [text, before] = [code, '']; before !== text; ) {
    before = text;
    text = text.replaceAll(innerGaps, 'API');
    for (const [, plain, template] of text.matchAll(/'((?:[^'\\\n]|\\.)*)'|`([^`$]*)`/g))
      found.add(plain ?? template ?? '');
  }
  return [...found];
}

test('each cause, fact and remedy of a diagnosis has a translation', () => {
  const tree = readdirSync(join(source, 'features/diagnosis/tree')).map((name) => `features/diagnosis/tree/${name}`);
  const notShown = /^ *(?:\/\/|\*|\/\*|pattern:|import ).*$/gm;
  const code = [...tree, 'adapters/runtimes/failure-causes.ts'].map((path) => readFileSync(join(source, path), 'utf8'));
  const sentences = literalsIn(code.join('\n').replaceAll(notShown, '')).filter((one) => /^[A-Z“].* /.test(one));
  expect(sentences.length).toBeGreaterThan(150);
  const texts = { ...diagnosis.checkParts, ...diagnosis.checks, ...diagnosis.texts };
  expect(sentences.filter((sentence) => apiText(texts, sentence) === sentence)).toEqual([]);
});

test('each message of the audit log has a translation', () => {
  const paths = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
  const messages = paths.flatMap((path) => {
    const text = readFileSync(join(source, path), 'utf8');
    const entries = /(?:category: '\w+',[^}]{0,200}?\bmessage:|auditEntry\()\s*([\s\S]*?)(?:,\n|\}\))/g;
    return [...text.matchAll(entries)].flatMap(([, found = '']) => literalsIn(found));
  });
  const sentences = messages.filter((one) => /[a-z]{2} /.test(one) && !/^Health of /.test(one));
  expect(sentences.length).toBeGreaterThan(40);
  const texts = { ...auditLog.api, ...diagnosis.texts };
  expect(sentences.filter((sentence) => apiText(texts, sentence) === sentence)).toEqual([]);
});

/** The records with translations: empty in English, and not by codes. */
function recordsIn(en: unknown, es: unknown): Record<string, string>[] {
  if (typeof en !== 'object' || typeof es !== 'object' || !en || !es) return [];
  if (Object.keys(en).length > 0)
    return Object.entries(en).flatMap(([key, one]) => recordsIn(one, (es as Record<string, unknown>)[key]));
  return Object.keys(es).every((key) => /^[a-z][a-z\d_]*$/.test(key)) ? [] : [es as Record<string, string>];
}

describe('each translated text of the API', () => {
  const code = managerSource();
  const least = 10;

  const isLiteral = (text: string): boolean =>
    ["'", '"', '`'].some((quote) => code.includes(`${quote}${text}${quote}`));

  const isInSource = (template: string): boolean => {
    const whole = withGaps(template);
    const fixed = whole.replaceAll(/^¤|¤$/g, '');
    if (fixed.length >= least && code.includes(fixed)) return true;
    // A list of words is assembled.
    return (
      isLiteral(whole) ||
      isLiteral(fixed) ||
      fixed
        .trim()
        .split(/, | and /)
        .every(isLiteral)
    );
  };

  test('is a text of the manager', async () => {
    const records = (await translatedTexts()).flatMap(({ path, en, es }) =>
      recordsIn(en, es).map((record) => ({ path, templates: Object.keys(record) })),
    );
    expect(records.length).toBeGreaterThan(15);
    const unknown = records.flatMap(({ path, templates }) =>
      templates.filter((template) => !isInSource(template)).map((template) => `${path}: ${template}`),
    );
    expect(unknown).toEqual([]);
  });
});
