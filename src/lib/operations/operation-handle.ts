/** Work that was begun: the id to watch it by, and its end for who waits. */
export interface Begun<T> {
  /** The operation's, which users know as a deployment. */
  id: string;
  /** Rejects with what ended it. */
  ended: Promise<T>;
}

/** Nobody has to wait for `ended`. */
export function begun<T>(id: string, ended: Promise<T>): Begun<T> {
  ended.catch(() => undefined);
  return { id, ended };
}
