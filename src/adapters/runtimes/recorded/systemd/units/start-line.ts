import { shell } from '../../../shell-line.ts';
import { quoted } from './quoting.ts';

/** Plain words, as in `node server.mjs --port=1`: nothing that a shell would take for more. */
const plainWords = /^[\w./:@%+,-][\w./:@%+,=-]*( +[\w./:@%+,=-]+)*$/;
/** Words that only a shell itself can do. */
const shellWords =
  /^(\.|:|alias|cd|command|eval|exec|exit|export|read|set|shift|source|times|trap|ulimit|umask|unset|wait)( |$)/;

/**
 * How a tenant repository's start line is run and stopped. The shell gives way to a line of one program, which then gets the SIGTERM itself,
 * once. It stays for a line of more: then all processes get it, as the shell does not hand it on.
 * @throws Error for a line that can't stand in a unit file
 */
export function startLine(line: string): { execStart: string; killMode: 'mixed' | 'control-group' } {
  const single = plainWords.test(line) && !shellWords.test(line) && !/^\w+=/.test(line);
  return {
    // The colon: systemd looks for no variables, `$` is the shell's.
    execStart: `:${shell} -c ${quoted(single ? `exec ${line}` : line)}`,
    killMode: single ? 'mixed' : 'control-group',
  };
}
