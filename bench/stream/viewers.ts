import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';

/**
 * The viewers of stream.ts, in a child process: plain WebSockets that read frames and check that the sequence numbers have no gap.
 * Parsing is minimal, because the other side is measured.
 */
export type ViewersRequest =
  | { type: 'open'; port: number; path: string; viewers: number; stalled: number }
  | { type: 'finish'; messages: number };

export type ViewersAnswer =
  | { type: 'opened' }
  | { type: 'finished'; complete: number; gaps: number; stalledCut: number; bytes: number };

class LeanViewer {
  readonly #socket: Socket;
  readonly opened = Promise.withResolvers<void>();
  readonly closed = Promise.withResolvers<void>();
  #rest: Buffer = Buffer.alloc(0);
  #upgraded = false;
  messages = 0;
  gaps = 0;
  bytes = 0;
  isClosed = false;

  constructor(port: number, path: string, stalled: boolean) {
    this.#socket = connect(port, '127.0.0.1', () => {
      const key = randomBytes(16).toString('base64');
      this.#socket.write(
        `GET ${path} HTTP/1.1\r\nHost: bench\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nAuthorization: Bearer bench\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`,
      );
    });
    this.#socket.on('data', (chunk) => {
      this.#read(chunk);
      if (stalled && this.#upgraded) this.#socket.pause();
    });
    this.#socket.on('error', () => undefined);
    this.#socket.on('close', () => {
      this.isClosed = true;
      this.closed.resolve();
    });
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    this.bytes += chunk.length;
    let data = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk;
    if (!this.#upgraded) {
      const end = data.indexOf('\r\n\r\n');
      if (end === -1) {
        this.#rest = data;
        return;
      }
      if (!data.subarray(0, 12).equals(Buffer.from('HTTP/1.1 101'))) throw new Error(data.toString());
      this.#upgraded = true;
      this.opened.resolve();
      data = data.subarray(end + 4);
    }
    this.#rest = data.subarray(this.#readFrames(data));
  }

  /** Returns the offset of the first incomplete frame. */
  #readFrames(data: Buffer): number {
    let at = 0;
    while (at + 4 <= data.length) {
      const opcode = (data[at] ?? 0) & 0x0f;
      const short = data[at + 1] ?? 0;
      if (short === 127) throw new Error('Messages of this length are not supported');
      const size = short === 126 ? data.readUInt16BE(at + 2) : short;
      const header = short === 126 ? 4 : 2;
      const end = at + header + size;
      if (end > data.length) break;
      if (opcode === 1) {
        this.messages += 1;
        if (!endsWithNumber(data, end, this.messages)) this.gaps += 1;
      } else if (opcode === 8) {
        this.#socket.end();
      }
      at = end;
    }
    return at;
  }
}

/** `… "seq":123}` */
function endsWithNumber(data: Buffer, end: number, expected: number): boolean {
  let rest = expected;
  let at = end - 2;
  for (; rest > 0; at -= 1) {
    if (data[at] !== 48 + (rest % 10)) return false;
    rest = Math.floor(rest / 10);
  }
  return data[at] === 58;
}

let viewers: LeanViewer[] = [];
let stalledOnes: LeanViewer[] = [];
const answer = (message: ViewersAnswer): void => void process.send?.(message);

async function handle(request: ViewersRequest): Promise<void> {
  if (request.type === 'open') {
    const { port, path, stalled } = request;
    const open = (count: number, isStalled: boolean): LeanViewer[] =>
      Array.from({ length: count }, () => new LeanViewer(port, path, isStalled));
    viewers = open(request.viewers - stalled, false);
    stalledOnes = open(stalled, true);
    await Promise.all([...viewers, ...stalledOnes].map((viewer) => viewer.opened.promise));
    answer({ type: 'opened' });
    return;
  }
  await Promise.all(viewers.map((viewer) => viewer.closed.promise));
  const complete = viewers.filter((viewer) => viewer.messages === request.messages).length;
  const gaps = viewers.reduce((sum, viewer) => sum + viewer.gaps, 0);
  const bytes = viewers.reduce((sum, viewer) => sum + viewer.bytes, 0);
  const stalledCut = stalledOnes.filter((viewer) => viewer.isClosed).length;
  for (const viewer of stalledOnes) viewer.destroy();
  answer({ type: 'finished', complete, gaps, stalledCut, bytes });
}

process.on('message', (request: ViewersRequest) => void handle(request));
process.on('disconnect', () => process.exit());
