import type { Container } from 'dockerode';
import { readLog, type TimedLine } from '../../engine/client/log-lines.ts';
import type { SwarmContext } from '../context.ts';

/** How long a task's log may be silent: a manager does not learn that a node is lost, and would wait for ever. */
const silentMs = 30_000;
/** How long a node may take to send what its task has written. */
const readWithinMs = 10_000;

/**
 * The log of one task, read in any number of attempts without a gap or a repetition. Per task, as the log of a service waits for
 * every node that ever ran it, dead ones included.
 */
export class TaskLog {
  readonly #context: SwarmContext;
  readonly #taskId: string;
  /** The last line's time of each stream; within a stream times only grow. */
  readonly #last = { stdout: '', stderr: '' };

  constructor(context: SwarmContext, taskId: string) {
    this.#context = context;
    this.#taskId = taskId;
  }

  /** Its last lines; later calls return what comes after them. */
  async tail(lines: number, signal: AbortSignal): Promise<TimedLine[]> {
    const found = await this.#collect({ tail: Math.max(1, lines) }, signal);
    const last = found.reduce((latest, { time }) => (time > latest ? time : latest), '');
    this.#last.stdout = last;
    this.#last.stderr = last;
    return lines === 0 ? [] : found;
  }

  /** What has been written since the last call, to its end. */
  async rest(signal: AbortSignal): Promise<TimedLine[]> {
    return (await this.#collect(this.#position(), signal)).filter((line) => this.#isNew(line));
  }

  /** New lines until the signal is aborted, whatever becomes of the task; a lost connection and silence mean another attempt. */
  async *follow(signal: AbortSignal): AsyncGenerator<TimedLine> {
    while (!signal.aborted) {
      const silence = new AbortController();
      const timer = setTimeout(() => silence.abort(), silentMs);
      const ended = AbortSignal.any([signal, silence.signal]);
      try {
        const options = { follow: true, signal: ended, ...this.#position() };
        for await (const line of readLog(this.#source('follow', ended), options)) {
          timer.refresh();
          if (this.#isNew(line)) yield line;
        }
        if (!ended.aborted) return;
      } catch (error) {
        if (!ended.aborted) throw error;
      } finally {
        clearTimeout(timer);
      }
    }
  }

  async #collect(position: { tail?: number; since?: string }, signal: AbortSignal): Promise<TimedLine[]> {
    const lines: TimedLine[] = [];
    const ended = AbortSignal.any([signal, AbortSignal.timeout(readWithinMs)]);
    const options = { follow: false, signal: ended, ...position };
    for await (const line of readLog(this.#source('call', ended), options)) lines.push(line);
    return lines;
  }

  /** A manager may answer only with the first line: until then, only the signal ends the request. */
  #source(how: 'call' | 'follow', signal: AbortSignal): Pick<Container, 'logs'> {
    const logs = (options: object) =>
      this.#context[how]((docker) => {
        const task = docker.getTask(this.#taskId) as unknown as Container;
        return task.logs({ ...options, abortSignal: signal } as unknown as { follow: true });
      });
    return { logs: logs as Container['logs'] };
  }

  #position(): { since?: string } {
    const { stdout, stderr } = this.#last;
    const since = stdout < stderr ? stdout : stderr;
    return since === '' ? {} : { since };
  }

  #isNew({ stream, time }: TimedLine): boolean {
    if (time !== '' && time <= this.#last[stream]) return false;
    this.#last[stream] = time;
    return true;
  }
}
