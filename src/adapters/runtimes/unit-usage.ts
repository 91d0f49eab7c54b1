/** What a running unit has used of the host, as its engine counts it. */
export interface UnitUsage {
  /** Processor time since it was started, in milliseconds over all processors; null where it is not counted. */
  cpuMs: number | null;
  memoryBytes: number;
  /** null: it may use all there is. */
  memoryLimitBytes: number | null;
}
