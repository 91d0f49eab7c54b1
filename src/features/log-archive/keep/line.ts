import type { UnitLogLine } from '../../../adapters/runtimes/runtime.ts';

/** A kept line. */
export interface KeptLine {
  /** In ms since 1970; null: unknown. */
  time: number | null;
  stream: UnitLogLine['stream'];
  node: string | null;
  message: string;
}

const tab = '\t';

/** A line as it is kept: time, stream, node and message, separated by tabs. */
export function encodeLine({ time, stream, node, message }: UnitLogLine): string {
  return [time?.toISOString() ?? '', stream === 'stdout' ? 'o' : 'e', node ?? '', message].join(tab);
}

/** Where the message of an encoded line starts, in a text. */
export function messageStart(text: string, lineStart: number): number {
  let at = lineStart;
  for (let fields = 0; fields < 3; fields += 1) at = text.indexOf(tab, at) + 1;
  return at;
}

export function decodeLine(text: string): KeptLine {
  const [time = '', stream, node = ''] = text.split(tab, 3);
  return {
    time: time === '' ? null : Date.parse(time),
    stream: stream === 'e' ? 'stderr' : 'stdout',
    node: node || null,
    message: text.slice(messageStart(text, 0)),
  };
}
