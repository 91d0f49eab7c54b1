import { execa } from 'execa';

/** Whether packets can be lost: only root can do it. CI has to be root. */
export const canLosePackets = process.getuid?.() === 0 || process.env.CI === 'true';

/** Loses all packets to and from an address of the loopback, as if its machine had lost power, until `restore`. */
export async function losePackets(address: string, port: number): Promise<{ restore(): Promise<void> }> {
  const change = async (action: '-I' | '-D') => {
    for (const lost of [`-d ${address} -p tcp --dport ${port}`, `-s ${address} -p tcp --sport ${port}`])
      await execa('/usr/sbin/iptables', ['-w', action, 'INPUT', ...lost.split(' '), '-j', 'DROP']);
  };
  await change('-I');
  return { restore: () => change('-D') };
}
