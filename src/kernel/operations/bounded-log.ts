/** Characters of one operation's log, as long as a book shelf; a program that never stops talking must not fill the disk. */
const mostCharacters = 32 * 1024 * 1024;
/** What a line costs beside its text. */
const perLine = 50;

/** Hands lines on until there are too many, and says once that the rest is left out. */
export function boundedLog(append: (line: string) => void, most = mostCharacters): (line: string) => void {
  let left = most;
  return (line) => {
    if (left <= 0) return;
    left -= line.length + perLine;
    append(left > 0 ? line : 'The log is too long: further output is left out');
  };
}
