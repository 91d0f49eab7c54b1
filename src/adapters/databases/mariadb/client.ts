/** A running MariaDB client program. */
export interface ClientProgram {
  /** Must be read to its end. */
  output: AsyncIterable<Uint8Array>;
  ended: Promise<{ exitCode: number | null; errors: string }>;
}

/**
 * Starts a MariaDB client program near the server, by its argument array.
 * @throws the signal's reason; Error when it can't be started
 */
export type RunClient = (
  argv: readonly string[],
  options: {
    environment: Readonly<Record<string, string>>;
    input?: AsyncIterable<Uint8Array> | undefined;
    signal: AbortSignal;
  },
) => Promise<ClientProgram>;

/** A program's access to a database; the password goes by the environment, never by an argument that others could list. */
export interface Access {
  /** Arguments with the server's address; none: its socket at the usual path. */
  server: readonly string[];
  user: string;
  password: string;
  database: string;
}

/** The last line of a complete dump. */
export const dumpTrailer = '-- Dump completed';

const packet = '--max-allowed-packet=1G';
const charset = '--default-character-set=utf8mb4';

/** One transaction sees a consistent snapshot of InnoDB's tables, while others write. */
export const dumpArguments = ({ server, user, database }: Access, { history }: { history: boolean }): string[] => [
  'mariadb-dump',
  '--no-defaults',
  ...server,
  `--user=${user}`,
  '--single-transaction',
  '--quick',
  '--routines',
  '--triggers',
  '--events',
  '--hex-blob',
  ...(history ? ['--dump-history'] : []),
  '--no-tablespaces',
  charset,
  packet,
  database,
];

/** `--loose-sandbox`: the client runs no programs and reads no files that a dump names; older clients ignore the option. */
export const loadArguments = ({ server, user, database }: Access): string[] => [
  'mariadb',
  '--no-defaults',
  '--loose-sandbox',
  ...server,
  `--user=${user}`,
  '--batch',
  '--skip-column-names',
  charset,
  packet,
  ...(database === '' ? [] : [`--database=${database}`]),
];

export const environmentOf = ({ password }: Access): Record<string, string> => ({
  MYSQL_PWD: password,
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C.UTF-8',
});
