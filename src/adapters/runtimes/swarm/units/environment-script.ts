/**
 * A shell script that exports an environment, then becomes the program in its arguments. Values are quoted, so that they arrive
 * byte by byte.
 * @throws Error for a name that is none in a shell
 */
export function environmentScript(environment: Readonly<Record<string, string>>): string {
  const lines = Object.entries(environment)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => {
      if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) throw new Error(`Not a name for an environment variable: ${name}`);
      return `export ${name}='${value.replaceAll("'", `'\\''`)}'\n`;
    });
  return `${lines.join('')}exec "$@"\n`;
}
