/**
 * Quotes a word of a unit file's line, by systemd.syntax(7): in double quotes, with `\` and `"` escaped and `%`, which starts a
 * specifier, doubled.
 * @throws Error for line ends and control characters: no value of ours contains one, and a further line would be a further
 * setting
 */
export const quoted = (value: string): string => quotedArgument(value).replaceAll('%', '%%');

/** Like `quoted`, for `systemd-run --property=`, which expands no specifiers. */
export function quotedArgument(value: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is refused
  if (/[\u0000-\u001f\u007f\u0085\u2028\u2029]/.test(value))
    throw new Error(`${JSON.stringify(value)} can't be in a unit file: it contains a line end or a control character`);
  return `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

/**
 * An `EnvironmentFile=` (systemd.exec(5)): every value in double quotes, with `\`, `"`, `$` and backticks escaped; everything
 * else, line ends too, is literal.
 * @throws Error for an invalid name, and for NUL, which no environment can contain
 */
export function environmentFile(environment: Readonly<Record<string, string>>): string {
  return Object.entries(environment)
    .map(([name, value]) => {
      if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) throw new Error(`${JSON.stringify(name)} can't name a variable`);
      if (value.includes('\0')) throw new Error(`The variable ${name} must not hold a NUL character`);
      return `${name}="${value.replace(/[\\"$`]/g, '\\$&')}"\n`;
    })
    .join('');
}
