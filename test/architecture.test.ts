import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from '@jest/globals';

const root = join(import.meta.dirname, '..', 'src');
const layers = ['lib', 'adapters', 'features', 'app', 'main.ts'];

const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .sort();
const sourceOf = new Map(files.map((path) => [path, readFileSync(join(root, path), 'utf8')]));

/** Features, in the order in which they may use each other's interfaces. */
const order = [
  'ports',
  'tenants',
  'audit-log',
  'settings',
  'tenant-config',
  'accounts',
  'remote',
  'registries',
  'health',
  'sites',
  'synthetic-checks',
  'deployments',
  'services',
  'backups',
  'upgrades',
  'themes',
  'list-imports',
  'history',
  'log-archive',
  'diagnosis',
  'notifications',
  'preflight',
  'incidents',
  'timeline',
];
/** Every feature works on tenants, and several raise alerts: these models may be imported as values, too. */
const sharedModel = new Set([
  'features/tenants/tenant.ts',
  'features/tenants/tenants.ts',
  'features/notifications/alert.ts',
]);

/** Small files that have one importer on purpose, by the beginning of their path, and why. */
const smallOnPurpose: [path: string, reason: string][] = [
  ['adapters/notifications/', 'one file for each kind of channel'],
  ['app/composition/', 'one file for each feature'],
  ['app/http/connection-limits.ts', 'names a rule that operators look for'],
  ['app/lifecycle/initial-password.ts', 'the one place where a password is printed'],
  ['app/realtime/frame.ts', 'knows the bytes of RFC 6455'],
  ['features/audit-log/schema.ts', 'each feature has its schema there'],
];

interface Import {
  from: string;
  /** A path below src, or a package's name. */
  to: string;
  typeOnly: boolean;
}

const imports: Import[] = files.flatMap((from) => {
  const text = sourceOf.get(from) ?? '';
  const typeImports = new Set([...text.matchAll(/^import type [^;]*? from '([^']+)'/gm)].map((match) => match[1]));
  const specifiers = [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => match[1] ?? '');
  return specifiers.map((specifier) => ({
    from,
    to: specifier.startsWith('.') ? relative(root, join(root, dirname(from), specifier)) : specifier,
    typeOnly: typeImports.has(specifier),
  }));
});
const inside = imports.filter(({ to }) => sourceOf.has(to));

const layerOf = (path: string): number => layers.indexOf(path.split('/')[0] ?? '');
const room = (path: string, layer: string): string | undefined => {
  const [first, second] = path.split('/');
  return first === layer ? second : undefined;
};
const show = ({ from, to }: Import): string => `${from} → ${to}`;

const targetsOf = (edges: readonly Pick<Import, 'from' | 'to'>[], path: string): string[] =>
  edges.filter(({ from }) => from === path).map(({ to }) => to);

/** Each import cycle, as the files on it. */
function cyclesIn(targets: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, trail: string[]): void => {
    if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path].join(' → '));
    if (done.has(path) || trail.includes(path)) return;
    for (const target of targets.get(path) ?? []) visit(target, [...trail, path]);
    done.add(path);
  };
  for (const path of targets.keys()) visit(path, []);
  return cycles;
}

/** A source text without its comments, strings and imports. */
const withoutTexts = (text: string): string =>
  text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`|^import [^;]*;/gm, '');

/** The brackets that are open at a place in a text, each with its position. */
function openBrackets(text: string, end: number): { bracket: string; at: number }[] {
  const open: { bracket: string; at: number }[] = [];
  for (const [at, bracket] of [...text.slice(0, end)].entries()) {
    if ('({['.includes(bracket)) open.push({ bracket, at });
    else if (')}]'.includes(bracket)) open.pop();
  }
  return open;
}

/** Object spreads (and rests) within the parentheses of a call or of parameters. */
const spreadsInCalls = (text: string): string[] =>
  [...text.matchAll(/\.\.\.\w+/g)]
    .filter(({ index }) => {
      const open = openBrackets(text, index);
      return open.at(-1)?.bracket === '{' && open.some(({ bracket }) => bracket === '(');
    })
    .map(([spread]) => spread);

/** Names that a block uses, even in a closure, above the `const` that declares them there. */
const earlyUses = (text: string): string[] =>
  [...text.matchAll(/\bconst (\{[^}]*\}|\w+)/g)].flatMap(({ 1: declared = '', index }) => {
    const above = text.slice((openBrackets(text, index).at(-1)?.at ?? -1) + 1, index);
    const names = declared.match(/\w+(?!\w*\s*:)/g) ?? [];
    return names.filter((name) => new RegExp(`(?<![.\\w])${name}\\b(?!:)`).test(above));
  });

describe('architecture', () => {
  test('every relative import leads to a source file', () => {
    const outside = imports.filter(({ to }) => (to.startsWith('..') || to.endsWith('.ts')) && !sourceOf.has(to));
    expect(outside.map(show)).toEqual([]);
  });

  test('every worker and program that is started by its URL is a source file', () => {
    const missing = files.flatMap((from) =>
      [...(sourceOf.get(from) ?? '').matchAll(/new URL\(\s*'(\.[^']+)'/g)]
        .map(([, to = '']) => join(dirname(from), to))
        .filter((to) => !sourceOf.has(to)),
    );
    expect(missing).toEqual([]);
  });

  test('imports run downwards: main → app → features → adapters → lib', () => {
    expect(inside.filter(({ from, to }) => layerOf(to) > layerOf(from)).map(show)).toEqual([]);
  });

  test('a feature imports only types of an earlier feature’s interface, and the model of tenants', () => {
    const wrong = inside.filter(({ from, to, typeOnly }) => {
      const [mine, other] = [room(from, 'features'), room(to, 'features')];
      if (!mine || !other || mine === other) return false;
      if (sharedModel.has(to)) return order.indexOf(mine) < order.indexOf('tenants');
      return !typeOnly || to !== `features/${other}/${other}.ts` || order.indexOf(other) > order.indexOf(mine);
    });
    expect(wrong.map(show)).toEqual([]);
    expect(readdirSync(join(root, 'features')).filter((name) => !order.includes(name))).toEqual([]);
  });

  test('the composition passes each instance by name and in order: no object spread in a call, no use of a later const', () => {
    const composition = files.filter((path) => path.startsWith('app/composition/'));
    const faults = composition.flatMap((path) => {
      const text = withoutTexts(sourceOf.get(path) ?? '');
      return [...spreadsInCalls(text), ...earlyUses(text)].map((fault) => `${path}: ${fault}`);
    });
    expect(composition.length).toBeGreaterThan(10);
    expect(faults).toEqual([]);
    expect(spreadsInCalls('make({ store, settings: { ...common } })')).toEqual(['...common']);
    expect(earlyUses('{ const a = make({ nameOf: (id) => b.nameOf(id) }); const { b } = open(a); }')).toEqual(['b']);
  });

  test('adapters do not import each other, nor do runtimes', () => {
    const adapter = (path: string): string | undefined =>
      /^adapters\/runtimes\/(docker|recorded\/\w+)\//.exec(path)?.[1];
    const sideways = inside.filter(({ from, to }) => {
      const [mine, other] = [room(from, 'adapters'), room(to, 'adapters')];
      if (mine && other && mine !== other) return true;
      return adapter(from) !== undefined && adapter(to) !== undefined && adapter(from) !== adapter(to);
    });
    expect(sideways.map(show)).toEqual([]);
  });

  test('no import cycle', () => {
    expect(cyclesIn(new Map(files.map((path) => [path, targetsOf(inside, path)])))).toEqual([]);
  });

  test('no import cycle in the dashboard, dynamic imports included', () => {
    const top = join(root, '..', 'dashboard', 'src');
    const modules = readdirSync(top, { recursive: true, encoding: 'utf8' }).filter((path) => /\.tsx?$/.test(path));
    const edges = modules.flatMap((from) => {
      const text = readFileSync(join(top, from), 'utf8');
      return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, specifier = '']) => ({
        from,
        to: relative(top, join(top, dirname(from), specifier)),
      }));
    });
    expect(edges.length).toBeGreaterThan(1_000);
    expect(cyclesIn(new Map(modules.map((path) => [path, targetsOf(edges, path)])))).toEqual([]);
  });

  test.each([
    ['dockerode', /^adapters\/runtimes\/(docker|engine|swarm)\//],
    ['sequelize', /^(adapters\/store\/|features\/([\w-]+\/){1,2}store\.ts$)/],
    ['express', /^(lib\/http\/|app\/|features\/accounts\/sign-in\/authentication\.ts$)/],
    ['@aws-sdk/client-s3', /^adapters\/object-store\//],
    ['nodemailer', /^adapters\/notifications\/email\.ts$/],
    ['execa', /^lib\/spawn\.ts$/],
    ['node:child_process', /^(adapters\/runtimes\/recorded\/process\/|app\/lifecycle\/watchdog\.ts$)/],
  ])('only its own modules import %s', (name, allowed) => {
    const elsewhere = imports.filter(({ from, to }) => to === name && !allowed.test(from));
    expect(elsewhere.map(show)).toEqual([]);
  });

  test('no shell: programs get argument arrays, and sh runs only the tenant repository’s own commands', () => {
    const calls = files.filter((path) => {
      const text = sourceOf.get(path) ?? '';
      const spawned = /import \{([^}]*)\} from 'node:child_process'/.exec(text)?.[1] ?? '';
      return /shell:\s*true|\bexeca?Command/.test(text) || /\b(exec|execSync|execFile\w*|fork)\b/.test(spawned);
    });
    expect(calls).toEqual([]);
    const shells = files.filter((path) => /['"](\/bin\/)?(ba)?sh['"]/.test(sourceOf.get(path) ?? ''));
    expect(
      shells.filter(
        (path) => !/^adapters\/runtimes\/(shell-line|docker\/exec\/jobs|engine\/container-plan)\.ts$/.test(path),
      ),
    ).toEqual([]);
  });

  test('only one module reads the environment', () => {
    const readers = files.filter((path) => (sourceOf.get(path) ?? '').includes('process.env'));
    expect(readers.filter((path) => path !== 'main.ts')).toEqual([]);
  });

  test('a file has at most 350 lines', () => {
    const long = files.filter((path) => (sourceOf.get(path) ?? '').split('\n').length > 351);
    expect(long).toEqual([]);
  });

  test('a file under 40 lines whose only importer is in its own folder belongs in that importer', () => {
    const small = files.filter((path) => {
      const importers = [...new Set(inside.filter(({ to }) => to === path).map(({ from }) => from))];
      const [importer] = importers;
      const lines = (sourceOf.get(path) ?? '').split('\n').length - 1;
      return lines < 40 && importers.length === 1 && dirname(importer ?? '') === dirname(path);
    });
    expect(small.filter((path) => !smallOnPurpose.some(([allowed]) => path.startsWith(allowed)))).toEqual([]);
  });

  test('a folder has at most 15 entries', () => {
    const repository = join(root, '..');
    const folders = ['src', 'test', 'bench', 'dashboard/src'].flatMap((top) => [
      top,
      ...readdirSync(join(repository, top), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ parentPath, name }) => relative(repository, join(parentPath, name))),
    ]);
    // One folder for each feature or benchmark.
    const oneForEach = ['src/features', 'dashboard/src/features', 'test/unit/features', 'test/api', 'bench'];
    const crowded = folders.filter((path) => readdirSync(join(repository, path)).length > 15);
    expect(crowded.filter((path) => !oneForEach.includes(path))).toEqual([]);
  });

  test('tests import nothing from bench', () => {
    const tests = join(root, '..', 'test');
    const importers = readdirSync(tests, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') || path.endsWith('.mjs'))
      .filter((path) => /(from|import)\s*\(?\s*'[./]+\/bench\//.test(readFileSync(join(tests, path), 'utf8')));
    expect(importers).toEqual([]);
  });

  test('the suites that start first exist', () => {
    const text = readFileSync(join(root, '..', 'test', 'harness', 'jest', 'longest-first.mjs'), 'utf8');
    const named = [...text.matchAll(/'(test\/[^']+)'/g)].map(([, path = '']) => path);
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((path) => !existsSync(join(root, '..', path)))).toEqual([]);
  });
});
