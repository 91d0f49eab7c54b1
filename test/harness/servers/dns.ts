import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** A name server for names with addresses; it knows no others, and does not answer about those with null. */
export interface NameServer {
  /** `127.0.0.1:<port>` */
  address: string;
  /** The names that were asked for. */
  asked: Set<string>;
  stop(): Promise<void>;
}

/** DNS numbers of the record types (RFC 1035, RFC 3596). */
const recordTypes = { a: 1, aaaa: 28 };
const noSuchName = 3;

/** Starts a name server on a free port of loopback (UDP, RFC 1035). @param zone addresses by name in lower case */
export async function startNameServer(zone: Readonly<Record<string, readonly string[] | null>>): Promise<NameServer> {
  const socket = createSocket('udp4');
  const asked = new Set<string>();
  socket.on('message', (query, { port, address }) => {
    const { name, end } = readName(query, 12);
    asked.add(name);
    const known = zone[name.toLowerCase()];
    if (known === null) return;
    const type = query.readUInt16BE(end);
    const wanted = type === recordTypes.a ? 4 : type === recordTypes.aaaa ? 6 : 0;
    const answers = (known ?? []).filter((one) => isIP(one) === wanted).map((one) => ipaddr.parse(one).toByteArray());
    const header = Buffer.alloc(12);
    query.copy(header, 0, 0, 2);
    // A response with recursion, and whether the name exists.
    header.writeUInt16BE(0x8180 | (known ? 0 : noSuchName), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(answers.length, 6);
    const records = answers.map((answer) =>
      Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, answer.length, ...answer]),
    );
    socket.send(Buffer.concat([header, query.subarray(12, end + 4), ...records]), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    async stop() {
      socket.close();
      await once(socket, 'close');
    },
  };
}

/** A name without compression, as questions have it. */
function readName(packet: Buffer, start: number): { name: string; end: number } {
  const labels: string[] = [];
  let at = start;
  for (let length = packet[at] ?? 0; length > 0; length = packet[at] ?? 0) {
    labels.push(packet.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join('.'), end: at + 1 };
}
