import type { ParsedFile } from './parse-file.ts';

/** A conflict between files that are valid individually. */
export interface Collision {
  /** The affected files. */
  paths: string[];
  text: string;
}

const kindNames = {
  routers: 'router',
  middlewares: 'middleware',
  services: 'service',
  serversTransports: 'serversTransport',
} as const;
type Kind = keyof typeof kindNames;
const kinds = Object.keys(kindNames) as Kind[];

/**
 * Names defined in two files (Traefik takes the first, by file name, and drops the other with a log line), hosts that two files
 * want, and references to undefined names. Pure.
 */
export function collisions(files: readonly ParsedFile[]): Collision[] {
  const named = kinds.flatMap((kind) => twice(files, kindNames[kind], (file) => Object.keys(sectionOf(file, kind))));
  return [...named, ...twice(files, 'host', hostsOf), ...dangling(files)];
}

function twice(files: readonly ParsedFile[], what: string, keysOf: (file: ParsedFile) => string[]): Collision[] {
  const holders = new Map<string, string[]>();
  for (const file of files) {
    for (const key of new Set(keysOf(file))) holders.set(key, [...(holders.get(key) ?? []), file.path]);
  }
  return [...holders]
    .filter(([, paths]) => paths.length > 1)
    .map(([key, paths]) => ({ paths, text: `the ${what} ${key} is defined in ${paths.join(' and ')}` }));
}

/** The hosts a file claims exclusively; a rule with further conditions (`&&`) may coexist with another's. */
function hostsOf(file: ParsedFile): string[] {
  return Object.values(sectionOf(file, 'routers')).flatMap((router) => {
    const rule = typeof router === 'object' && router !== null && 'rule' in router ? router.rule : undefined;
    if (typeof rule !== 'string' || rule.includes('&&')) return [];
    return [...rule.matchAll(/(?<![!\w])Host\(([^)]*)\)/g)].flatMap(([, names = '']) =>
      [...names.matchAll(/[`"]([^`"]+)[`"]/g)].map(([, name = '']) => name.toLowerCase()),
    );
  });
}

/** References of our files to undefined names. Names of other providers (`name@docker`) are not checked. */
function dangling(files: readonly ParsedFile[]): Collision[] {
  // Unchecked sections may define any name.
  if (files.some(({ kind }) => kind !== 'site' && kind !== 'foreign')) return [];
  const known = new Map(
    kinds.map((kind) => [kind, new Set(files.flatMap((file) => Object.keys(sectionOf(file, kind))))]),
  );
  return files.flatMap((file) =>
    referencesOf(file)
      .filter(({ kind, name }) => !name.includes('@') && !known.get(kind)?.has(name))
      .map(({ kind, name, by }) => ({
        paths: [file.path],
        text: `${file.path}: ${by} refers to the ${kindNames[kind]} ${name}, which no file has`,
      })),
  );
}

function referencesOf(file: ParsedFile): { kind: Kind; name: string; by: string }[] {
  if (file.kind !== 'site') return [];
  const { routers, services } = file.config.http;
  return [
    ...Object.entries(routers).flatMap(([router, { middlewares = [], service }]) => [
      ...middlewares.map((name) => ({ kind: 'middlewares' as const, name, by: `router ${router}` })),
      { kind: 'services' as const, name: service, by: `router ${router}` },
    ]),
    ...Object.entries(services).flatMap(([service, { loadBalancer, failover }]) => {
      const by = `service ${service}`;
      const others = failover ? [failover.service, failover.fallback] : [];
      const transport = loadBalancer?.serversTransport;
      return [
        ...others.map((name) => ({ kind: 'services' as const, name, by })),
        ...(transport === undefined ? [] : [{ kind: 'serversTransports' as const, name: transport, by }]),
      ];
    }),
  ];
}

function sectionOf(file: ParsedFile, kind: Kind): Record<string, unknown> {
  return file.kind === 'site' || file.kind === 'foreign' ? (file.config.http?.[kind] ?? {}) : {};
}
