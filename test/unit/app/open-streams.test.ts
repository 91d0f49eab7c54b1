import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { afterEach, describe, expect, test } from '@jest/globals';
import { OpenStreams, type StreamLimits } from '../../../src/app/realtime/open-streams.ts';
import { PendingHandshakes } from '../../../src/app/realtime/pending-handshakes.ts';
import type { Principal } from '../../../src/lib/http/routing/route.ts';
import { createLogger } from '../../../src/lib/logger.ts';

const open: OpenStreams[] = [];
afterEach(() => {
  for (const streams of open.splice(0)) streams.close();
});

function streamsWith(limits: Partial<StreamLimits>): OpenStreams {
  const authenticate = async (): Promise<Principal> => Promise.reject(new Error('not asked here'));
  const streams = new OpenStreams({ authenticate, logger: createLogger({ level: 'silent' }), limits });
  open.push(streams);
  return streams;
}

function caller(userId: string, role: Principal['role'] = 'viewer', address = '192.0.2.1') {
  const principal = { userId, username: userId, role, mustChangePassword: false };
  return { principal, credential: { kind: 'token', value: userId } as const, address };
}

/** Opens a stream; returns `open` or the error code. */
function outcome(streams: OpenStreams, ...who: Parameters<typeof caller>): string {
  try {
    streams.open(caller(...who), () => undefined);
    return 'open';
  } catch (error) {
    return String((error as { code?: string }).code);
  }
}

describe('stream limits', () => {
  test('limit one user’s streams, and accept a new one when one ends', () => {
    const streams = streamsWith({ perUser: 2 });
    const leave = streams.open(caller('vera'), () => undefined);
    expect(outcome(streams, 'vera')).toBe('open');
    expect(outcome(streams, 'vera')).toBe('rate_limited');
    expect(outcome(streams, 'otto')).toBe('open');
    leave();
    leave();
    expect(outcome(streams, 'vera')).toBe('open');
    expect(outcome(streams, 'vera')).toBe('rate_limited');
  });

  test('limit one address, administrators excepted', () => {
    const streams = streamsWith({ perAddress: 2 });
    expect(['a', 'b', 'c'].map((user) => outcome(streams, user))).toEqual(['open', 'open', 'rate_limited']);
    expect(outcome(streams, 'c', 'viewer', '192.0.2.2')).toBe('open');
    expect(outcome(streams, 'root', 'admin')).toBe('open');
  });

  test('limit the total, with some reserved for administrators', () => {
    const streams = streamsWith({ total: 5, reservedForAdmins: 2 });
    expect(['a', 'b', 'c', 'd'].map((user) => outcome(streams, user, 'operator'))).toEqual([
      'open',
      'open',
      'open',
      'rate_limited',
    ]);
    const ofAdmin = ['open', 'open', 'rate_limited'];
    expect(ofAdmin.map(() => outcome(streams, 'root', 'admin'))).toEqual(ofAdmin);
  });
});

describe('Socket.io connections without a token', () => {
  class Transport extends EventEmitter {
    readonly request: IncomingMessage;
    constructor(address: string) {
      super();
      this.request = { address } as unknown as IncomingMessage;
    }
    close(): void {
      this.emit('close');
    }
  }
  const addressOf = (request: IncomingMessage): string => (request as unknown as { address: string }).address;

  test('are limited, in total and for one address, until they send a token', () => {
    const pending = new PendingHandshakes({ addressOf, maxTotal: 3, maxPerAddress: 2, timeout: 60_000 });
    const transports = ['192.0.2.1', '192.0.2.1', '192.0.2.2'].map((address) => new Transport(address));
    const [first, second] = transports as [Transport, Transport];
    pending.add(first);
    expect(pending.hasRoomFor(first.request)).toBe(true);
    pending.add(second);
    expect(pending.hasRoomFor(first.request)).toBe(false);
    expect(pending.hasRoomFor(new Transport('192.0.2.2').request)).toBe(true);
    pending.add(transports[2] as Transport);
    expect(pending.hasRoomFor(new Transport('192.0.2.3').request)).toBe(false);
    pending.admitted(first);
    expect(pending.hasRoomFor(first.request)).toBe(true);
    for (const transport of transports) transport.close();
  });

  test('are closed if they send none in time', async () => {
    const pending = new PendingHandshakes({ addressOf, timeout: 10 });
    const transport = new Transport('192.0.2.1');
    const closed = new Promise<void>((resolve) => transport.once('close', resolve));
    pending.add(transport);
    // The timer does not keep the process running, so something else must.
    const alive = setInterval(() => undefined, 1_000);
    await closed;
    clearInterval(alive);
  });
});
