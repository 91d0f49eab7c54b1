import { decodeLine, type KeptLine, messageStart } from '../keep/line.ts';
import { candidates, continuesBefore, isWanted, type Level, levelOf } from './level.ts';

export interface Filter {
  text?: string | undefined;
  level?: Level | undefined;
  /** In ms since 1970, both included. */
  since?: number | undefined;
  until?: number | undefined;
}

/** A line of a frame that matches. */
export interface Match {
  /** In the frame, from 0. */
  line: number;
  /** Its time for sorting, in ms since 1970: within its frame's times, also where it has none. */
  time: number;
}

/** How many lines a stack trace may have. */
const mostContinued = 200;
const newline = 0x0a;

/** The lines of a frame's text that match, in order. */
export function matchesIn(text: Buffer, frame: { first: number; last: number }, filter: Filter): Match[] {
  // One byte a character is searched twice as fast, and finds the same where the text is ASCII.
  const content = text.toString(filter.text === undefined || isAscii(filter.text) ? 'latin1' : 'utf8');
  const found: Match[] = [];
  let line = 0;
  let counted = 0;
  for (const start of startsOf(content, filter)) {
    line += newlines(content, counted, start);
    counted = start;
    const end = content.indexOf('\n', start);
    const time = timeAt(content, start, frame);
    if (filter.since !== undefined && time < filter.since) continue;
    if (filter.until !== undefined && time > filter.until) continue;
    if (filter.level && !isWanted(filter.level, levelAt(content, start, end, filter.text !== undefined))) continue;
    found.push({ line, time });
  }
  return found;
}

/** Where the lines start in which the text, or what a level has, is in the message. */
function* startsOf(content: string, { text, level }: Filter): Generator<number> {
  const pattern = text ? textPattern(text) : level && candidates[level];
  if (!pattern) {
    for (let start = 0; start < content.length; ) {
      yield start;
      const end = content.indexOf('\n', start);
      if (end === -1) return;
      start = end + 1;
    }
    return;
  }
  const search = new RegExp(pattern);
  for (let match = search.exec(content); match; match = search.exec(content)) {
    const start = content.lastIndexOf('\n', match.index) + 1;
    const message = messageStart(content, start);
    // In the time or the node: the message may still have it.
    if (match.index < message) {
      search.lastIndex = message;
      continue;
    }
    yield start;
    const end = content.indexOf('\n', match.index);
    if (end === -1) return;
    search.lastIndex = end + 1;
  }
}

function textPattern(text: string): RegExp {
  return new RegExp(RegExp.escape(text), isAscii(text) ? 'gi' : 'giu');
}

/** Whether a text is printable ASCII, in which case means A to Z only. */
export const isAscii = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);

function newlines(content: string, from: number, to: number): number {
  let count = 0;
  for (let at = content.indexOf('\n', from); at !== -1 && at < to; at = content.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** `2026-11-25T20:00:00.000Z` */
const timeLength = 24;

/** A line without a time has that of the line before it. */
function timeAt(content: string, start: number, { first, last }: { first: number; last: number }): number {
  let at = start;
  while (content[at] === '\t' && at > 0) at = content.lastIndexOf('\n', at - 2) + 1;
  const time = content[at] === '\t' ? first : Date.parse(content.slice(at, at + timeLength));
  return Math.min(Math.max(time, first), last);
}

function levelAt(content: string, start: number, end: number, orContinued: boolean): Level | undefined {
  let message = content.slice(messageStart(content, start), end);
  let at = start;
  for (let lines = 0; orContinued && at > 0 && continuesBefore(message) && lines < mostContinued; lines += 1) {
    if (levelOf(message)) break;
    const before = content.lastIndexOf('\n', at - 2) + 1;
    message = content.slice(messageStart(content, before), at - 1);
    at = before;
  }
  return levelOf(message);
}

/** All lines of a frame's text. */
export const linesIn = (text: Buffer): KeptLine[] =>
  (text.at(-1) === newline ? text.subarray(0, -1) : text).toString('utf8').split('\n').map(decodeLine);
