/** Progress and cancellation of long work. */
export interface Work {
  /** Called with each line of output. */
  log(line: string): void;
  signal: AbortSignal;
}
