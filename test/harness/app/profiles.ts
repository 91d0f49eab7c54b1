/** ICC profiles of version 2, generated here: those of manufacturers are copyrighted. */

type Lab = readonly [lightness: number, a: number, b: number];

/** Red, green and blue of Display P3 (as XYZ under D50), with a curve of a single exponent. */
export function displayP3(gamma: number): Buffer {
  const primaries = {
    rXYZ: [0.51512, 0.2412, -0.00105],
    gXYZ: [0.29198, 0.69225, 0.04189],
    bXYZ: [0.1571, 0.06657, 0.78407],
  };
  return profile('mntr', 'RGB ', 'XYZ ', {
    ...Object.fromEntries(Object.entries(primaries).map(([tag, numbers]) => [tag, xyz(numbers)])),
    rTRC: curve(gamma),
    gTRC: curve(gamma),
    bTRC: curve(gamma),
  });
}

/** Grey with a curve of a single exponent. */
export const greyOf = (gamma: number): Buffer => profile('mntr', 'GRAY', 'XYZ ', { kTRC: curve(gamma) });

/** Inks with colours for each of them alone and all together: all other combinations are black. */
export function inksOf(colours: Readonly<Record<'none' | 'cyan' | 'magenta' | 'yellow' | 'black', Lab>>): Buffer {
  const corner = (at: number): Lab => {
    const named = { 0: colours.none, 8: colours.cyan, 4: colours.magenta, 2: colours.yellow, 1: colours.black }[at];
    return named ?? [0, 0, 0];
  };
  const grid = Array.from({ length: 16 }, (_, at) => corner(at)).flatMap(([l, a, b]) => [
    Math.round((l * 255) / 100),
    Math.round(a) + 128,
    Math.round(b) + 128,
  ]);
  const straight = Array.from({ length: 256 }, (_, value) => value);
  const matrix = [1, 0, 0, 0, 1, 0, 0, 0, 1].map(fixed);
  const table = Buffer.concat([
    Buffer.from('mft1\0\0\0\0\x04\x03\x02\0', 'latin1'),
    ...matrix,
    Buffer.from([...straight, ...straight, ...straight, ...straight]),
    Buffer.from(grid),
    Buffer.from([...straight, ...straight, ...straight]),
  ]);
  return profile('prtr', 'CMYK', 'Lab ', { A2B0: table });
}

/** Sixteen bits before the point and sixteen after it. */
function fixed(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(Math.round(value * 65_536));
  return bytes;
}

const xyz = (numbers: readonly number[]): Buffer => Buffer.concat([Buffer.from('XYZ \0\0\0\0'), ...numbers.map(fixed)]);

function curve(gamma: number): Buffer {
  const bytes = Buffer.from('curv\0\0\0\0\0\0\0\x01\0\0\0\0', 'latin1');
  bytes.writeUInt16BE(Math.round(gamma * 256), 12);
  return bytes;
}

function profile(kind: string, colours: string, space: string, tags: Readonly<Record<string, Buffer>>): Buffer {
  const white = xyz([0.9642, 1, 0.8249]);
  const entries = Object.entries({ ...tags, wtpt: white });
  let at = 128 + 4 + entries.length * 12;
  const table: Buffer[] = [];
  const data: Buffer[] = [];
  for (const [tag, content] of entries) {
    const entry = Buffer.alloc(12);
    entry.write(tag, 0, 'latin1');
    entry.writeUInt32BE(at, 4);
    entry.writeUInt32BE(content.length, 8);
    table.push(entry);
    data.push(content, Buffer.alloc(-content.length & 3));
    at += (content.length + 3) & ~3;
  }
  const head = Buffer.alloc(132);
  head.writeUInt32BE(at, 0);
  head.writeUInt32BE(0x02400000, 8);
  head.write(`${kind}${colours}${space}`, 12, 'latin1');
  head.write('acsp', 36, 'latin1');
  white.copy(head, 68, 8);
  head.writeUInt32BE(entries.length, 128);
  return Buffer.concat([head, ...table, ...data]);
}
