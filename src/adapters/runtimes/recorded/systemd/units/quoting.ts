/**
 * A word of a unit file's line, by the rules of systemd.syntax(7): in double quotes, with `\` and `"` escaped and `%`, which
 * would begin a specifier, doubled.
 * @throws Error for line ends and control characters: no value of ours holds one, and a line more is a setting more
 */
export const quoted = (value: string): string => quotedArgument(value).replaceAll('%', '%%');

/** As `quoted`, for `systemd-run --property=`, where specifiers are not looked for. */
export function quotedArgument(value: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is refused
  if (/[\u0000-\u001f\u007f\u0085\u2028\u2029]/.test(value))
    throw new Error(`${JSON.stringify(value)} can't stand in a unit file: it holds a line end or a control character`);
  return `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

/**
 * An `EnvironmentFile=` (systemd.exec(5)): every value in double quotes, where `\`, `"`, `$` and a backtick are escaped and all else,
 * line ends too, stands for itself.
 * @throws Error for a name that is none, and for NUL, which no environment can hold
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
