import { useEffect, useRef, useState } from 'react';
import { withLevels } from './log-level.ts';
import { logText } from './messages.ts';
import { plainText } from './plain-text.ts';
import { type Level, type LogLine, Shown } from './replay-dedup.ts';

/** Maximum number of lines kept; older ones are dropped. */
const maxLines = 200_000;
/** Render interval for received lines. Milliseconds. */
const drawEvery = 100;
/** How long replayed lines are collected before they are compared with those shown. Milliseconds. */
const replayWindowMs = 1_500;

interface Origin {
  /** Which of several writers of the log. */
  from?: string;
  /** With this line the log starts again from an earlier line, after a lost connection. */
  restarted?: boolean;
  /** When it was written. */
  time?: string | undefined;
  /** The node that wrote it, on a swarm. */
  node?: string | undefined;
}

/** Collects single lines so that a fast log does not render the page for each; `source` names the log. */
export function useLines(source: string): [readonly LogLine[], (line: string, origin?: Origin) => void] {
  const [lines, setLines] = useState<readonly LogLine[]>([]);
  const waiting = useRef<LogLine[]>([]);
  const shown = useRef(new Shown());
  const levels = useRef(new Map<string, Level | undefined>());
  const again = useRef(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const forget = (): void => {
    clearTimeout(timer.current);
    timer.current = undefined;
    again.current = false;
    waiting.current = [];
    shown.current = new Shown();
    levels.current.clear();
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: another log starts empty
  useEffect(() => {
    setLines([]);
    return forget;
  }, [source]);

  const draw = (): void => {
    clearTimeout(timer.current);
    timer.current = undefined;
    const came = waiting.current.splice(0);
    const { lines: more, gap } = again.current ? shown.current.newOf(came) : { lines: came, gap: false };
    again.current = false;
    shown.current.add(more);
    const added = [...(gap ? [{ from: '', text: logText.gap }] : []), ...withLevels(more, levels.current)];
    if (added.length > 0) setLines((before) => [...before, ...added].slice(-maxLines));
  };
  const add = (line: string, { from = '', restarted = false, time, node }: Origin = {}): void => {
    if (restarted && !again.current) {
      draw();
      again.current = true;
      timer.current = setTimeout(draw, replayWindowMs);
    }
    waiting.current.push(...line.split('\n').map((one) => ({ from, text: plainText(one), time, node })));
    timer.current ??= setTimeout(draw, drawEvery);
  };
  return [lines, add];
}
