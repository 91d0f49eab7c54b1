/** A started operation: its id, and a promise of its result. */
export interface OperationHandle<T> {
  /** The operation's id, known to users as the deployment id. */
  id: string;
  /** Rejects with the error that ended the operation. */
  done: Promise<T>;
}

/** The caller may ignore `done`: a rejection is then not reported as unhandled. */
export function operationHandle<T>(id: string, done: Promise<T>): OperationHandle<T> {
  done.catch(() => undefined);
  return { id, done };
}
