import { useEffect, useRef, useSyncExternalStore } from 'react';
import type { io as connect, Socket } from 'socket.io-client';
import { endSession, sessionProof } from './client.ts';
import type { streams } from './schema.ts';

type StreamKind = keyof streams;

export interface StreamName<Kind extends StreamKind = StreamKind> {
  stream: Kind;
  id: string;
  service?: string;
}

/** The messages of a stream. */
export type StreamMessage<Kind extends StreamKind = StreamKind> = streams[Kind];

type LiveState = 'connecting' | 'online' | 'offline';

interface Subscription extends StreamName {
  since: number | undefined;
  take(message: StreamMessage, restarted: boolean): void;
  /** Events were lost that replay can't restore: cached data is stale. */
  reconnected(): void;
}

const subscriptions = new Set<Subscription>();
const watchers = new Set<() => void>();
let state: LiveState = 'connecting';
let socket: Socket | undefined;
/** Whether no user is signed in. */
let resting = false;

function become(next: LiveState): void {
  state = next;
  for (const watcher of watchers) watcher();
}

/** @param subscribed called when every later message arrives */
function ask(subscription: Subscription, subscribed: () => void = () => undefined): void {
  const { stream, id, service, since } = subscription;
  const wanted = { stream, id, ...(service ? { service } : {}), ...(since === undefined ? {} : { since }) };
  socket?.emit('subscribe', wanted, subscribed);
}

const subscriptionsOf = ({ stream, id }: StreamName): Subscription[] =>
  [...subscriptions].filter((one) => one.stream === stream && one.id === id);

/** Opens the page's only connection, with a client that is not part of the first load. @returns the function that closes it */
export function connectLive(): () => void {
  let close: (() => void) | undefined;
  let left = false;
  import('socket.io-client').then(
    ({ io }) => {
      if (!left) close = open(io);
    },
    () => become('offline'),
  );
  return () => {
    left = true;
    close?.();
  };
}

/** Connects, reconnects automatically, and continues after the last message seen. */
function open(io: typeof connect): () => void {
  let proof = '';
  const opened = io('/streams', {
    autoConnect: !resting,
    transports: ['websocket'],
    auth: (give) => {
      proof = sessionProof.get();
      give({ csrf_token: proof });
    },
    reconnectionDelay: 500,
    reconnectionDelayMax: 5_000,
  });
  socket = opened;
  let wasOnline = false;
  opened.on('connect', () => {
    become('online');
    for (const subscription of subscriptions) {
      // Events before the first connection are lost, too: what was read until then may be out of date.
      const isStale = wasOnline || subscription.stream === 'events';
      ask(subscription, () => isStale && subscription.reconnected());
    }
    wasOnline = true;
  });
  const comeBack = (): void => {
    if (socket === opened && !resting) opened.connect();
  };
  opened.on('disconnect', (reason) => {
    if (resting) return;
    become('offline');
    // The library reconnects, except after the manager ended the connection on purpose.
    if (reason === 'io server disconnect') setTimeout(comeBack, 2_000);
  });
  opened.on('unauthorized', () => endSession(proof));
  opened.on('connect_error', (error: Error & { data?: { code?: string } }) => {
    become('offline');
    if (error.data?.code === 'unauthorized' || error.data?.code === 'token_expired') endSession(proof);
    if (!opened.active) setTimeout(comeBack, 3_000);
  });
  opened.on('message', (message: StreamMessage, name: StreamName) => {
    for (const subscription of subscriptionsOf(name)) {
      // A jump in the numbers: the stream restarted and repeats messages that were already seen.
      const restarted = subscription.since !== undefined && message.seq !== subscription.since + 1;
      subscription.since = message.seq;
      subscription.take(message, restarted);
    }
  });
  opened.on('closed', ({ code }: { code: number }, name: StreamName) => {
    // 1000: the stream has ended. Otherwise it continues after the last message.
    if (code !== 1000) for (const subscription of subscriptionsOf(name)) ask(subscription);
  });
  return () => {
    socket = undefined;
    opened.close();
    become('connecting');
  };
}

/** Closes the connection while no user is signed in. The returned function reopens it; streams continue after the last message seen. */
export function restLive(): () => void {
  resting = true;
  socket?.disconnect();
  become('connecting');
  return () => {
    resting = false;
    socket?.connect();
  };
}

export const useLiveState = (): LiveState =>
  useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => state,
  );

/** Follows a stream while the component is there; `restarted`: the stream restarts with this message, and later messages may be repeats. */
export function useStream<Kind extends StreamKind>(
  name: StreamName<Kind> | undefined,
  take: (message: StreamMessage<Kind>, restarted: boolean) => void,
  reconnected: () => void = () => undefined,
): void {
  const latest = useRef({ take, reconnected });
  latest.current = { take, reconnected };
  const { stream, id, service } = name ?? {};
  useEffect(() => {
    if (stream === undefined || id === undefined) return;
    const subscription: Subscription = {
      stream,
      id,
      ...(service ? { service } : {}),
      since: undefined,
      take: (message: StreamMessage<Kind>, restarted) => latest.current.take(message, restarted),
      reconnected: () => latest.current.reconnected(),
    };
    subscriptions.add(subscription);
    if (socket?.connected) ask(subscription);
    return () => {
      subscriptions.delete(subscription);
      if (socket?.connected && subscriptionsOf(subscription).length === 0)
        socket.emit('unsubscribe', { stream, id, ...(service ? { service } : {}) });
    };
  }, [stream, id, service]);
}
