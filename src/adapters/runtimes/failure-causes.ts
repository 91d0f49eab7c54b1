import { foreignLine } from '../../lib/text/foreign-text.ts';

/** What programs print about a port in use. */
const inUse = /EADDRINUSE: |address already in use|port is already allocated|Connection in use:/i;

/**
 * The port of the address after these words, or else of the first address before them: other numbers, such as times, are not
 * ports.
 */
function portIn(line: string): number | undefined {
  const parts = line.split(inUse);
  const after = /^:? ?\(?['"]?[\w.:*[\]-]{0,60}?['"]?[:,] ?(\d{2,5})(?!\d|\.\d)/.exec(parts.at(-1) ?? '');
  const before = /(?:\d\.\d{1,3}|::[\da-f]{0,4}|\]|\*|localhost)['"]?[:,] ?(\d{2,5})(?!\d|\.\d)/.exec(parts[0] ?? '');
  const port = (after ?? before)?.[1];
  return port === undefined ? undefined : Number(port);
}

/** The kinds of causes that a program's output shows. */
export const failureCodes = [
  'port_in_use',
  'listen_refused',
  'dependencies_invalid',
  'registry_unavailable',
  'code_invalid',
  'missing_module',
  'missing_variable',
  'missing_program',
  'database_refused',
  'database_unreachable',
  'database_locked',
  'schema_mismatch',
  'service_unreachable',
  'name_unresolved',
  'out_of_memory',
  'unit_killed',
  'disk_full',
  'permission_denied',
  'application_error',
] as const;
export type FailureCode = (typeof failureCodes)[number];

/** Why a program failed, as found in its output. */
export interface FailureCause {
  code: FailureCode;
  /** What happened and what to do: sentences without their full stops. */
  what: string;
  advice: string;
  /** The port that is in use. */
  port?: number;
}

/** A port in use by another process. */
export const portInUse = (port: number | undefined): FailureCause => ({
  code: 'port_in_use',
  what: port === undefined ? 'The port is in use' : `Port ${port} is in use`,
  advice: 'Stop what uses it, or give the tenant another port',
  ...(port === undefined ? {} : { port }),
});

/** What a rule found; its own code counts where the rule gives none. */
type Found = Omit<FailureCause, 'code'> & { code?: FailureCode };

interface Rule {
  code: FailureCode;
  /** Linear in the length of a line: no two repetitions that can match the same text. */
  pattern: RegExp;
  /** @param found the pattern's groups */
  cause(found: (string | undefined)[], line: string): Found | undefined;
}

const fixed =
  (what: string, advice: string): Rule['cause'] =>
  () => ({ what, advice });
const named =
  (what: (name: string) => string, advice: string) =>
  ([name = '']: (string | undefined)[]): Found => ({ what: what(name), advice });

const fixCode = 'Fix it in the repository, then deploy the fixed version';
const missingModule = named(
  (name) => `The module “${name}” is missing`,
  'Add it to the dependencies that the repository’s install command installs',
);
const missingVariable = named(
  (name) => `The environment variable ${name} is not set`,
  'Add it to the tenant’s configuration, then deploy again',
);
const databaseDown = named(
  (address) => `The application cannot connect to its database${address ? ` (${address})` : ''}`,
  'Check that the database server runs and that the application uses DATABASE_URL',
);
const databaseDenied = fixed(
  'The database refuses the user name or the password',
  'Check that the application uses DATABASE_URL unchanged',
);
const outOfMemory = fixed(
  'The application ran out of memory',
  'Raise the memory limit of services in the settings, or make the application use less',
);
const diskFull = fixed('The disk is full', 'Free some space on the host, then try again');
const unreachableRegistry = named(
  (host) => `The package registry cannot be reached${host ? ` (${host})` : ''}`,
  'Check the host’s network, DNS and proxy settings, then try again',
);
const schemaDiffers = named(
  (what) => `A migration does not fit the database: ${what}`,
  'Fix the migration, or restore a backup whose data it fits',
);

/** Default ports of databases. */
const databasePorts = new Set(['3306', '3307', '5432', '1433', '27017', '6379']);

/** In order: the first rule that matches a line. Messages are those of Node, npm, Python, pip, MariaDB, Docker and shells. */
const rules: Rule[] = [
  {
    code: 'port_in_use',
    pattern: inUse,
    cause: (_found, line) => portInUse(portIn(line)),
  },
  {
    code: 'listen_refused',
    // Node; Python's asyncio.
    pattern:
      /listen EACCES: permission denied (\S{1,300})|bind on address \('([^']{1,100})', (\d{1,5})[^)]{0,40}\): permission denied/,
    cause: ([address, host, port]) => ({
      what: `The application is not allowed to listen on ${address ?? `${host}:${port}`}`,
      advice: 'Let it listen on HOST and PORT',
    }),
  },
  {
    code: 'dependencies_invalid',
    pattern: /^npm (?:error|ERR!) (?:code )?ERESOLVE/,
    cause: fixed('npm cannot resolve the dependencies: two packages need different versions', fixCode),
  },
  {
    code: 'dependencies_invalid',
    pattern: /`npm ci` can only install packages when/,
    cause: fixed('package-lock.json does not fit package.json', 'Run npm install and commit package-lock.json'),
  },
  {
    code: 'dependencies_invalid',
    pattern: /^npm (?:error|ERR!) (?:404 )?.{0,40}404 Not Found - GET (\S{1,300})/,
    cause: named((address) => `The package registry does not have ${address}`, fixCode),
  },
  {
    code: 'registry_unavailable',
    pattern: /^npm (?:error|ERR!) code E40[13]/,
    cause: fixed('The package registry refuses access', 'Give the install command access to the registry'),
  },
  {
    code: 'dependencies_invalid',
    pattern: /^npm (?:error|ERR!) code EINTEGRITY/,
    cause: fixed('A package differs from what package-lock.json expects', 'Check the lock file, then deploy again'),
  },
  {
    code: 'registry_unavailable',
    pattern: /^npm (?:error|ERR!) .{0,200}(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ECONNRESET) (\S{1,200})/,
    cause: unreachableRegistry,
  },
  {
    code: 'registry_unavailable',
    pattern: /^npm (?:error|ERR!) (?:code )?(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ECONNRESET)$/,
    cause: unreachableRegistry,
  },
  {
    code: 'code_invalid',
    pattern: /^npm (?:error|ERR!) Missing script: "?([^"]{1,100})/,
    cause: named((name) => `package.json has no script “${name}”`, fixCode),
  },
  {
    code: 'dependencies_invalid',
    pattern: /^npm (?:error|ERR!) gyp ERR!|^gyp ERR! build error/,
    cause: fixed('A native module cannot be built', 'Install a compiler and Python on the host or in the image'),
  },
  {
    code: 'dependencies_invalid',
    pattern:
      /Could not find a version that satisfies the requirement (\S{1,100})|No matching distribution found for (\S{1,100})/,
    cause: ([one, other]) => ({ what: `pip cannot find the package ${one ?? other}`, advice: fixCode }),
  },
  {
    code: 'registry_unavailable',
    pattern: /NewConnectionError.{0,200}Failed to establish a new connection/,
    cause: unreachableRegistry,
  },
  { code: 'missing_module', pattern: /Cannot find (?:module|package) ['"]([^'"]{1,200})['"]/, cause: missingModule },
  { code: 'missing_module', pattern: /No module named ['"]?([\w.]{1,200})/, cause: missingModule },
  {
    code: 'database_refused',
    pattern:
      /Access denied for user|ER_ACCESS_DENIED_ERROR|ER_DBACCESS_DENIED_ERROR|password authentication failed for user/,
    cause: databaseDenied,
  },
  {
    code: 'database_unreachable',
    pattern: /Can't connect to (?:local )?(?:MySQL|MariaDB)? ?server/,
    cause: databaseDown,
  },
  {
    code: 'database_unreachable',
    pattern:
      /SequelizeConnection(?:Refused|AcquireTimeout|TimedOut)?Error|could not connect to server:|unable to open database file|SQLITE_CANTOPEN/,
    cause: databaseDown,
  },
  {
    code: 'service_unreachable',
    pattern: /(?:ECONNREFUSED|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH) ([\w.:[\]-]{1,100})/,
    cause([address = '']) {
      const port = address.slice(address.lastIndexOf(':') + 1);
      if (databasePorts.has(port)) return { code: 'database_unreachable', ...databaseDown([address]) };
      return {
        what: `The application cannot connect to ${address}`,
        advice: 'Check the address in its configuration, and that something answers there',
      };
    },
  },
  {
    code: 'name_unresolved',
    pattern: /getaddrinfo (?:ENOTFOUND|EAI_AGAIN) ([\w.-]{1,253})/,
    cause: named(
      (host) => `The host name ${host} cannot be resolved`,
      'Check the address in the tenant’s configuration, and the host’s DNS',
    ),
  },
  {
    code: 'out_of_memory',
    pattern:
      /JavaScript heap out of memory|Reached heap limit|^MemoryError|std::bad_alloc|Cannot allocate memory|ENOMEM|Out of memory|OOMKilled/i,
    cause: outOfMemory,
  },
  {
    code: 'unit_killed',
    pattern: /(?:exit code|exited with code|Exit code) 137\b|ended by SIGKILL/,
    cause: fixed(
      'The application was killed (SIGKILL), usually because it ran out of memory',
      'Raise the memory limit of services in the settings, or make the application use less',
    ),
  },
  {
    code: 'disk_full',
    pattern: /ENOSPC(?!: System limit)|No space left on device|database or disk is full/i,
    cause: diskFull,
  },
  {
    code: 'missing_variable',
    pattern: /environment variables?:? ["'`]?([A-Z][A-Z0-9_]{1,63})\b["'`]? (?:is|are|was|must|not|missing|undefined)/i,
    cause: missingVariable,
  },
  {
    code: 'missing_variable',
    pattern:
      /\b([A-Z][A-Z0-9_]{2,63})\b (?:environment variable )?(?:is not set|is not defined in the environment|is required|must be set|is missing|not set)/,
    // Other words are in capitals, too: form fields, request names.
    cause: (found, line) =>
      found[0]?.includes('_') || /\benv(?:ironment)?\b/i.test(line) ? missingVariable(found) : undefined,
  },
  {
    code: 'missing_variable',
    pattern:
      /(?:missing|required|unset|undefined)(?: required)? (?:environment|env)(?: variables?| vars?)?:? ["'`]?([A-Z][A-Z0-9_]{1,63})\b/i,
    cause: missingVariable,
  },
  { code: 'missing_variable', pattern: /^KeyError: '([A-Z][A-Z0-9_]{1,63})'/, cause: missingVariable },
  {
    code: 'permission_denied',
    pattern: /(?:EACCES|EPERM|Permission ?denied|PermissionError)[^'"]{0,80}['"]([^'"]{1,300})['"]/i,
    cause: named(
      (path) => `The application has no permission for ${path}`,
      'Let it write only below IMPORT_DIR, its database’s directory and its uploads',
    ),
  },
  {
    code: 'permission_denied',
    pattern: /\b(?:EACCES|EPERM): |permission denied/i,
    cause: fixed('The application lacks a permission', 'See the log for what it was refused'),
  },
  {
    code: 'code_invalid',
    pattern: /^(?:SyntaxError|IndentationError|TabError): (?!.{0,200}JSON)(.{1,160})/,
    cause: named((message) => `The code has a syntax error: ${message}`, fixCode),
  },
  {
    code: 'code_invalid',
    pattern: /error (TS\d{3,5}: .{1,160})/,
    cause: named((message) => `The build failed: ${message}`, fixCode),
  },
  {
    code: 'missing_module',
    pattern: /(?:Rollup failed to resolve import|Failed to resolve import) "([^"]{1,200})"/,
    cause: missingModule,
  },
  {
    code: 'missing_program',
    pattern: /(\S{1,100}): (?:command )?not found$/,
    cause: named(
      (name) => `The program “${name}” is not installed`,
      'Install it in the repository’s install command or on the host',
    ),
  },
  {
    code: 'schema_mismatch',
    pattern:
      /(no such table: \S{1,100}|no such column: \S{1,100}|duplicate column name: \S{1,100}|table \S{1,100} already exists|Table '[^']{1,100}' (?:already exists|doesn't exist)|Unknown column '[^']{1,100}'|Duplicate column name '[^']{1,100}')/i,
    cause: schemaDiffers,
  },
  {
    code: 'database_locked',
    pattern: /database is locked|SQLITE_BUSY|table is locked|Lock wait timeout exceeded/i,
    cause: fixed('The database is locked by another program', 'Try again when that program has finished'),
  },
];

/** An error without a rule above: Node's and Python's error names end like this. */
const namedError = /^(?:Uncaught )?(\w{0,60}(?:Error|Exception)(?: \[\w{1,60}\])?: \S.{0,200})/;
const isWarning = /\bwarn(?:ing)?\b/i;

/** The cause of a failure, searched from the last line backwards; undefined when no line names one. */
export function findCause(lines: readonly string[]): FailureCause | undefined {
  const texts = lines
    .map((line) => foreignLine(line.slice(0, 2_000)))
    .filter((line) => !isWarning.test(line))
    .toReversed();
  for (const text of texts) {
    for (const { code, pattern, cause } of rules) {
      const [match, ...found] = pattern.exec(text) ?? [];
      const answer = match === undefined ? undefined : cause(found, text);
      if (answer) return { code, ...answer };
    }
  }
  const error = texts.flatMap((text) => namedError.exec(text)?.[1] ?? [])[0];
  // An address may hold credentials.
  if (error === undefined) return undefined;
  return {
    code: 'application_error',
    what: `The application ended with “${error.replace(/:\/\/[^\s/@]{1,200}@/g, '://…@')}”`,
    advice: fixCode,
  };
}
