/** One directive of an nginx configuration. */
export interface Directive {
  /** Its name and parameters, without quotes. */
  words: string[];
  /** The names of the enclosing blocks, the outermost first. */
  context: string[];
  /** Whether a block follows. */
  opens: boolean;
  /** Its start, and its end after `;` or `{`, in characters. */
  start: number;
  end: number;
}

/**
 * The directives of a configuration file, by the rules of nginx's own reader (ngx_conf_read_token): words end at blanks, `;`
 * and `{`; quotes and comments count only at the start of a word; a backslash takes the next character literally; `${` does not
 * open a block. Included files are not followed. A malformed file is read as far as possible: nginx validates it.
 */
export function directivesOf(text: string): Directive[] {
  const directives: Directive[] = [];
  const context: string[] = [];
  let words: string[] = [];
  let start = 0;
  let at = 0;
  const complete = (opens: boolean): void => {
    if (words.length > 0) directives.push({ words, context: [...context], opens, start, end: at + 1 });
    if (opens) context.push(words[0] ?? '');
    words = [];
  };
  while (at < text.length) {
    const char = text[at] ?? '';
    if (/\s/.test(char)) at += 1;
    else if (char === '#') at = endOfLine(text, at);
    else if (char === ';' || char === '{') {
      complete(char === '{');
      at += 1;
    } else if (char === '}') {
      context.pop();
      words = [];
      at += 1;
    } else {
      if (words.length === 0) start = at;
      const word = char === '"' || char === "'" ? quotedWord(text, at) : plainWord(text, at);
      words.push(word.value);
      at = word.end;
    }
  }
  return directives;
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end + 1;
}

interface Word {
  value: string;
  end: number;
}

function quotedWord(text: string, from: number): Word {
  const quote = text[from];
  let value = '';
  let at = from + 1;
  while (at < text.length && text[at] !== quote) {
    if (text[at] === '\\') at += 1;
    value += text[at] ?? '';
    at += 1;
  }
  return { value, end: at + 1 };
}

function plainWord(text: string, from: number): Word {
  let value = '';
  let at = from;
  while (at < text.length) {
    const char = text[at] ?? '';
    if (/\s/.test(char) || char === ';' || (char === '{' && text[at - 1] !== '$')) break;
    if (char === '\\') at += 1;
    value += text[at] ?? '';
    at += 1;
  }
  return { value, end: at };
}
