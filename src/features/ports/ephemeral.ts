import { readFileSync } from 'node:fs';
import type { PortPool } from './allocate.ts';

/** Ports that the kernel may use for outgoing connections, so that a unit may find its port in use. */
export interface EphemeralPorts {
  has(port: number): boolean;
  /** The value of `ip_local_reserved_ports`. */
  reserved: string;
}

const readKernel = (name: string): string => readFileSync(`/proc/sys/net/ipv4/${name}`, 'utf8').trim();

/** Reads the kernel's settings; no ports if they can't be read (not Linux). */
export function readEphemeralPorts(read = readKernel): EphemeralPorts {
  try {
    const [first = 0, last = -1] = read('ip_local_port_range').split(/\s+/).map(Number);
    const reserved = read('ip_local_reserved_ports');
    const ranges = rangesOf(reserved);
    const isReserved = (port: number): boolean => ranges.some(([from, to]) => port >= from && port <= to);
    return { has: (port) => port >= first && port <= last && !isReserved(port), reserved };
  } catch {
    return { has: () => false, reserved: '' };
  }
}

/** A warning that says what to do if ports of the pool are ephemeral; undefined if none are. */
export function ephemeralWarning({ start, end }: PortPool, ephemeral: EphemeralPorts): string | undefined {
  const ports = Array.from({ length: end - start + 1 }, (_, index) => start + index).filter((port) =>
    ephemeral.has(port),
  );
  if (ports.length === 0) return undefined;
  // The new value replaces the setting, so it includes the ports already reserved.
  const value = [ephemeral.reserved, `${start}-${end}`].filter((text) => text !== '').join(',');
  return (
    `Outgoing connections may use ports ${ports[0]} to ${ports.at(-1)} of the port pool before a tenant does. ` +
    `Reserve the pool: sysctl -w net.ipv4.ip_local_reserved_ports=${value} (keep the same line in /etc/sysctl.d/), ` +
    'or choose PORT_POOL_START and PORT_POOL_END outside net.ipv4.ip_local_port_range'
  );
}

/** `32300-32999,40000`, as the kernel writes it. */
const rangesOf = (text: string): [number, number][] =>
  text.split(',').flatMap((part): [number, number][] => {
    const [from, to = from] = part.split('-').map(Number);
    return part === '' || from === undefined || to === undefined ? [] : [[from, to]];
  });
