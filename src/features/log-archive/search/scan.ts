import type { UnitRole } from '../../../adapters/runtimes/runtime.ts';
import { trigramsOf } from '../keep/trigrams.ts';
import { type Level, levelOf } from './level.ts';
import { type Filter, isAscii, type Match, matchesIn } from './matches.ts';
import { LineReader, type NamedLine, readSource, type Source, sourcesIn } from './sources.ts';

export interface SearchTask extends Filter {
  task: 'search';
  /** Of the tenant's kept logs. */
  directory: string;
  roles: readonly UnitRole[];
  generation?: string | undefined;
  limit: number;
  /** Lines before and after each hit. */
  context: number;
  /** Of an earlier result: continues after it. */
  cursor?: string | undefined;
  /** After this time it is content with fewer hits, if there is any, in ms. */
  pageWithinMs: number;
  /** After this time it ends without one, in ms. */
  timeoutMs: number;
}

export interface AroundTask {
  task: 'around';
  directory: string;
  line: string;
  before: number;
  after: number;
}

export interface Hit extends NamedLine {
  role: UnitRole;
  generation: string;
  level: Level | null;
  before: NamedLine[];
  after: NamedLine[];
}

export interface SearchResult {
  /** The newest first. */
  hits: Hit[];
  /** Continues the search; null: everything has been searched. */
  cursor: string | null;
  /** All lines since this time (ms since 1970) have been searched; null: all lines. */
  searchedTo: number | null;
}

/** Frames that are unpacked ahead of the search, in other threads: each takes some turns of this one to start. */
const ahead = 12;

interface Found extends Match {
  source: Source;
}

/** Sorts the newest first; ends in a total order, so that a search can be continued at any hit. */
function compare(one: Place, other: Place): number {
  if (one.time !== other.time) return other.time - one.time;
  if (one.unit !== other.unit) return one.unit < other.unit ? -1 : 1;
  return other.segment - one.segment || other.line - one.line;
}

interface Place {
  time: number;
  /** Role and generation. */
  unit: string;
  segment: number;
  /** In the segment. */
  line: number;
}

const placeOf = ({ source, time, line }: Found): Place => ({
  time,
  unit: `${source.role}.${source.generation}`,
  segment: source.segment,
  line: source.firstLine + line,
});

/** Searches kept logs from the newest line to the oldest. Memory: a few frames and the hits. */
export async function search(task: SearchTask): Promise<SearchResult> {
  const started = performance.now();
  const after = task.cursor === undefined ? undefined : parseCursor(task.cursor);
  const until = Math.min(task.until ?? Number.POSITIVE_INFINITY, after?.time ?? Number.POSITIVE_INFINITY);
  const sources = (await sourcesIn(task.directory, task.roles, task.generation))
    .filter(({ frame }) => frame.first <= until && frame.last >= (task.since ?? 0))
    .sort((one, other) => other.frame.last - one.frame.last || other.segment - one.segment || other.index - one.index);
  // Beyond ASCII, the same letter in another case may have other bytes.
  const wanted = task.text && isAscii(task.text) ? trigramsOf(Buffer.from(task.text)) : undefined;
  const unpacked = new Map<number, Promise<Buffer>>();
  const found: Found[] = [];
  let next = 0;
  let settled = 0;
  for (; next < sources.length; next += 1) {
    for (let index = next; index < Math.min(next + ahead, sources.length); index += 1) {
      const source = sources[index];
      if (source && !unpacked.has(index)) unpacked.set(index, readSource(source, wanted));
    }
    const [source, text] = [sources[next], await unpacked.get(next)];
    unpacked.delete(next);
    if (source && text) {
      const matches = matchesIn(text, source.frame, { ...task, until }).map((match) => ({ ...match, source }));
      found.push(...(after ? matches.filter((match) => compare(after, placeOf(match)) < 0) : matches));
      found.sort((one, other) => compare(placeOf(one), placeOf(other)));
      // Hits beyond the page are found again by the next one.
      if (found.length > task.limit + 1) found.length = task.limit + 1;
    }
    // No frame that is left has a later line.
    const left = sources[next + 1]?.frame.last ?? Number.NEGATIVE_INFINITY;
    settled = found.findIndex(({ time }) => time <= left);
    if (settled === -1) settled = found.length;
    const ms = performance.now() - started;
    if (settled > task.limit || ms > task.timeoutMs || (settled > 0 && ms > task.pageWithinMs)) {
      next += 1;
      break;
    }
  }
  return resultOf(task, found, settled, sources[next]);
}

/** Of the messages of a page, in characters; lines may be long. */
const maxPageLength = 4 * 1024 ** 2;

async function resultOf(
  task: SearchTask,
  found: readonly Found[],
  settled: number,
  next: Source | undefined,
): Promise<SearchResult> {
  const reader = new LineReader();
  const page = found.slice(0, Math.min(settled, task.limit));
  const hits: Hit[] = [];
  let size = 0;
  for (const [index, { source, line }] of page.entries()) {
    if (size > maxPageLength) {
      page.length = index;
      break;
    }
    const own = await reader.at(source, line);
    if (!own) continue;
    const [before, after] = await reader.around(source, line, task.context, task.context);
    const { role, generation } = source;
    size += [own, ...before, ...after].reduce((sum, { message }) => sum + message.length, 0);
    hits.push({ ...own, role, generation, level: levelOf(own.message) ?? null, before, after });
  }
  const last = page.at(-1);
  if (last && found.length > page.length && settled > page.length)
    return { hits, cursor: cursorAt(placeOf(last)), searchedTo: last.time };
  // All of the page is later than what has not been searched.
  if (next) return { hits, cursor: cursorBefore(next.frame.last), searchedTo: next.frame.last };
  return { hits, cursor: null, searchedTo: null };
}

/** The lines around one, and itself; undefined when it is kept no longer. */
export async function around({ directory, line, before, after }: AroundTask): Promise<NamedLine[] | undefined> {
  const [role, generation, segment, number] = line.split('.');
  const sources = await sourcesIn(directory, [role === 'api' ? 'api' : 'frontend'], generation);
  const wanted = Number(number);
  const source = sources.find(
    (one) => one.segment === Number(segment) && one.firstLine <= wanted && wanted < one.firstLine + one.frame.lines,
  );
  if (!source) return undefined;
  const reader = new LineReader();
  const own = await reader.at(source, wanted - source.firstLine);
  const [earlier, later] = await reader.around(source, wanted - source.firstLine, before, after);
  return own && [...earlier, own, ...later];
}

const cursorForm = /^(\d{1,15})(?:~((?:api|frontend)\.[\w-]{1,64})~(\d{1,9})~(\d{1,9}))?$/;
export const isCursor = (text: string): boolean => cursorForm.test(text);

const cursorAt = ({ time, unit, segment, line }: Place): string => [Math.floor(time), unit, segment, line].join('~');
/** Of everything up to a time. */
const cursorBefore = (time: number): string => String(Math.ceil(time));

function parseCursor(text: string): Place {
  const [, time, unit, segment, line] = cursorForm.exec(text) ?? [];
  if (unit === undefined) return { time: Number(time), unit: '', segment: 0, line: Number.POSITIVE_INFINITY };
  return { time: Number(time), unit, segment: Number(segment), line: Number(line) };
}
