import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { inProcess, limits, readPicture, redraw } from '../../../../src/adapters/images/read-picture.ts';
import { assertPlain, cleanDrawing } from '../../../../src/adapters/images/svg/check-svg-text.ts';
import { cleanSvg } from '../../../../src/adapters/images/svg/clean-svg.ts';
import { annotated, exif, movingWebp, pngChunk, withChunks } from '../../../harness/browser/annotated.ts';
import { bomb, imageInfo, jpeg, noise, png, svg, unpacked, webp } from '../../../harness/data/pictures.ts';
import { until } from '../../../harness/data/tenants.ts';

const refused = (message: RegExp) =>
  expect.objectContaining({ code: 'unsupported_file', message: expect.stringMatching(message) });

describe('raster images', () => {
  test.each([
    ['png', png],
    ['webp', webp],
  ] as const)('re-encodes %s with identical pixels, without trailing data', async (format, make) => {
    const content = await make();
    const noted = annotated(content, { exif: exif(1) });
    expect(noted.includes('Somebody Private')).toBe(true);
    const picture = await readPicture(Buffer.concat([noted, Buffer.from('<script>alert(1)</script>')]));
    expect(picture.content.includes('Somebody Private')).toBe(false);
    expect(picture).toMatchObject({ format, width: 300, height: 120, removed: [] });
    expect(picture.content.includes('<script>')).toBe(false);
    expect((await unpacked(picture.content)).data.equals((await unpacked(content)).data)).toBe(true);
  });

  test('rotates a JPEG by its EXIF orientation, and removes the EXIF data', async () => {
    const content = await jpeg();
    expect(content.includes('Somebody Private')).toBe(true);
    const picture = await readPicture(content);
    expect(picture).toMatchObject({ format: 'jpeg', width: 120, height: 300 });
    expect(await imageInfo(picture.content)).toEqual({ format: 'jpeg', width: 120, height: 300 });
    expect(picture.content.includes('Exif')).toBe(false);
    expect(picture.content.includes('Somebody Private')).toBe(false);
  });

  test('rejects one that is too large by its header before decoding', async () => {
    await expect(readPicture(await bomb(60_000))).rejects.toEqual(refused(/at most 4096 pixels.*60000 × 60000/));
    await expect(readPicture(await png({ width: 4_097, height: 20 }))).rejects.toEqual(refused(/4097 × 20/));
    await expect(readPicture(await png({ width: 4, height: 4 }))).rejects.toEqual(refused(/at least 8 pixels/));
  });

  test.each([
    ['empty', async () => Buffer.alloc(0), /is empty/],
    ['cut short', async () => (await png()).subarray(0, 700), /damaged or cut short/],
    ['a signature alone', async () => Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), /damaged or cut short/],
    ['a GIF', async () => Buffer.from('R0lGODlhAQABAAAAACw=', 'base64'), /must be a PNG, JPEG, WebP or SVG/],
    ['a page', async () => Buffer.from('<!doctype html><html><body></body></html>'), /must be a PNG/],
    ['a program', async () => Buffer.from('\x7fELF\x02\x01', 'latin1'), /must be a PNG/],
  ])('rejects what is %s', async (_what, make, message) => {
    await expect(readPicture(await make())).rejects.toEqual(refused(message));
  });

  test.each([
    ['WebP', async () => movingWebp(await webp(), 2)],
    ['PNG', async () => withChunks(await png(), pngChunk('acTL', Buffer.from('\0\0\0\x02\0\0\0\0', 'latin1')))],
  ])('rejects an animated %s', async (_format, make) => {
    await expect(readPicture(await make())).rejects.toEqual(refused(/animated/));
  });

  test('an icon is square, without the border, with the rest transparent', async () => {
    const icon = await redraw(await readPicture(await png()), { side: 256, as: 'icon' });
    expect(icon).toMatchObject({ format: 'png', width: 256, height: 256 });
    const { data } = await unpacked(icon.content);
    const at = (x: number, y: number) => [...data.subarray((y * 256 + x) * 4, (y * 256 + x) * 4 + 4)];
    expect(at(128, 128)).toEqual([0xc0, 0x14, 0x3c, 255]);
    // The disc fills it: the white border of the wide picture is gone.
    expect(at(128, 6)).toEqual([0xc0, 0x14, 0x3c, 255]);
    expect(at(6, 128)).toEqual([0xc0, 0x14, 0x3c, 255]);
    const wide = await redraw(await readPicture(svg('<rect width="40" height="20" fill="#00F"/>')), {
      side: 64,
      as: 'icon',
    });
    const alpha = (await unpacked(wide.content)).data[3];
    expect(wide).toMatchObject({ width: 64, height: 64 });
    expect(alpha).toBe(0);
  });

  test('a smaller picture keeps its aspect ratio', async () => {
    const small = await redraw(await readPicture(await noise(700)), { side: 128, as: 'within' });
    expect(small).toMatchObject({ format: 'webp', width: 128, height: 128 });
    expect(small.content.length).toBeLessThan(48 * 1024);
  });
});

/** How many of our renderer processes run. */
async function drawing(): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['--ppid', String(process.pid), '-o', 'args=']).catch(() => ({
    stdout: '',
  }));
  return stdout.split('\n').filter((line) => line.includes('picture-program')).length;
}

/** Like the child process, without starting one for each. */
function clean(content: Buffer): ReturnType<typeof cleanSvg> {
  assertPlain(content.toString());
  return cleanSvg(content.toString());
}

describe('SVG drawings', () => {
  test('keeps harmless parts, removes scripts and external references, and reports it', async () => {
    const picture = await readPicture(
      Buffer.concat([
        Buffer.from(
          '\uFEFF<?xml version="1.0"?>\n<!-- Generator: Somebody --><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://evil.example/x.dtd">\n',
        ),
        svg(
          `<script>alert(1)</script><script href="http://evil.example/a.js"/>
           <metadata><rdf xmlns="urn:rdf">Somebody Private</rdf></metadata>
           <style><![CDATA[@import "http://evil.example/a.css"; .a{fill:url(#g)} .b{fill:url(http://evil.example/b)}
             .c{fill:u\\72l(http://evil.example/c)} @font-face{font-family:x;src:url(http://evil.example/f)}
             .d{background:image-set("http://evil.example/d" 1x)} .e{fill:red}]]></style>
           <defs><linearGradient id="images"/><linearGradient id="g" gradientUnits="userSpaceOnUse"><stop offset="0" stop-color="#C0143C"/></linearGradient>
             <symbol id="s" viewBox="0 0 2 2"><rect width="2" height="2"/></symbol>
             <filter id="f"><feGaussianBlur stdDeviation="1"/><feImage href="http://evil.example/i"/></filter></defs>
           <foreignObject><body xmlns="http://www.w3.org/1999/xhtml"><img src="http://evil.example/i" onerror="alert(1)"/></body></foreignObject>
           <image href="http://evil.example/i.png"/><image xlink:href="data:image/svg+xml;base64,PHN2Zy8+"/>
           <use xlink:href="#s"/><use href="http://evil.example/x.svg#s"/><use href="data:image/svg+xml,x#s"/>
           <a href="javascript:alert(1)"><path class="a" d="M0 0h40v20z" onclick="alert(1)" style="fill:url(//evil.example/z);stroke:red"/></a>
           <rect width="1" height="1" fill="url(http://evil.example/#g)" mask="url(&quot;http://evil.example/#m&quot;)" clip-path="url(#g)"/>
           <rect width="1" height="1" fill="\\75rl(http://evil.example/q)" filter="url( '#f' )"/>
           <set attributeName="href" to="javascript:alert(1)"/><animate attributeName="href" values="javascript:alert(1)"/>
           <iframe xmlns="http://www.w3.org/1999/xhtml" src="http://evil.example/"/><handler type="text/javascript">1</handler>
           <svg onload="alert(1)" xml:base="http://evil.example/"><title>Name</title></svg>`,
          'viewBox="0 0 40 20" onload="alert(1)"',
        ),
      ]),
    );
    const text = picture.content.toString();
    expect(picture).toMatchObject({ format: 'svg', width: 40, height: 20 });
    expect(text).not.toMatch(
      /evil|alert|script|javascript|onload|onclick|foreignObject|<image|feImage|Private|DOCTYPE|import|data:|u\\/i,
    );
    for (const kept of [
      'linearGradient',
      'url(#g)',
      '<title>Name</title>',
      'id="images"',
      'xlink:href="#s"',
      'fill:red',
      'd="M0 0h40v20z"',
      'stroke:red',
    ])
      expect(text).toContain(kept);
    expect(picture.removed).toEqual(
      expect.arrayContaining(['script', 'onload', 'onclick', 'foreignObject', 'image', 'href', '@import', 'url()']),
    );
    // A cleaned drawing is clean, and can be rendered.
    expect(await readPicture(picture.content)).toMatchObject({ removed: [], width: 40, height: 20 });
    expect(await redraw(picture, { side: 64, as: 'within' })).toMatchObject({ format: 'webp', width: 64, height: 32 });
  });

  test('expands entities for plain texts, as Illustrator declares them; rejects others', async () => {
    const from = (declared: string, content: string): Buffer<ArrayBuffer> =>
      Buffer.from(
        `<?xml version="1.0"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/svg11.dtd" [ ${declared} ]>${content}`,
      );
    const names =
      '<!ENTITY ns_ai "http://ns.adobe.com/ai/10/">\n<!ENTITY ns_svg \'http://www.w3.org/2000/svg\'> <!ENTITY bad "javascript:alert(1)">';
    const drawing = `<svg xmlns:i="&ns_ai;" xmlns="&ns_svg;" viewBox="0 0 40 20"><switch>
      <foreignObject requiredExtensions="&ns_ai;"><i:pgfRef href="#pgf"/></foreignObject>
      <g i:extraneous="self"><a href="&bad;"><path d="M0 0h40v20z"/></a><title>&amp;</title></g></switch><i:pgf id="pgf">AAAA</i:pgf></svg>`;
    const { content, removed } = await readPicture(from(names, drawing));
    expect(content.toString()).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg"[^>]*>\s*<switch>/);
    expect(content.toString()).toMatch(/<path d="M0 0h40v20z"\/>[\s\S]*<title>&amp;<\/title>/);
    expect(content.toString()).not.toMatch(/javascript|ENTITY|pgfRef/);
    expect(removed).not.toContain('path');
    const many = `<svg xmlns="http://www.w3.org/2000/svg">${'&ns_ai;'.repeat(3_000)}</svg>`;
    for (const refusedOne of [
      from(`${names} <!ENTITY deep "&ns_ai;">`, drawing),
      from(`${names} <!ENTITY file SYSTEM "file:///etc/passwd">`, drawing),
      from(names, many),
    ])
      await expect(readPicture(refusedOne)).rejects.toEqual(refused(/no entities/));
  });

  const doubled = (times: number): string =>
    `<path id="u0" d="M0 0h1"/>${Array.from({ length: times }, (_, index) => `<g id="u${index + 1}">${`<use href="#u${index}"/>`.repeat(10)}</g>`).join('')}`;

  test.each([
    [
      'entities',
      Buffer.from(
        '<!DOCTYPE svg [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><svg xmlns="http://www.w3.org/2000/svg">&b;</svg>',
      ),
      /no entities/,
    ],
    ['no end', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><g>'), /could not be read/],
    ['no namespace', Buffer.from('<svg viewBox="0 0 9 9"><path d=""/></svg>'), /must begin with <svg/],
    [
      'another root',
      Buffer.from('<html xmlns="http://www.w3.org/1999/xhtml"><svg xmlns="http://www.w3.org/2000/svg"/></html>'),
      /must begin with <svg/,
    ],
    ['nothing but a script', svg('<script>alert(1)</script>'), /nothing to be drawn/],
    ['nothing but a picture', svg('<image href="data:image/png;base64,AAAA"/>'), /pictures within it/],
    ['no size', svg('<path d="M0 0h1"/>', ''), /must have a viewBox/],
    ['symbols that grow as a power', svg(doubled(8)), /at most 20000 elements/],
    ['a depth without end', svg(`${'<g>'.repeat(5_000)}<path/>${'</g>'.repeat(5_000)}`), /at most 200 elements deep/],
    [
      'filters that take minutes',
      svg(`<filter id="f">${'<feTurbulence/>'.repeat(40)}</filter><path filter="url(#f)"/>`),
      /at most 20000 elements/,
    ],
    ['too many elements', svg('<path/>'.repeat(20_001)), /at most 20000 elements/],
  ])('rejects one with %s', (_what, content, message) => {
    expect(() => clean(content)).toThrow(refused(message));
  });

  test('removes filters of quadratic cost, and reports it', () => {
    const steps = '<feMorphology radius="99"/><feConvolveMatrix order="9"/><feGaussianBlur stdDeviation="1"/>';
    const { text, removed } = clean(svg(`<filter id="f">${steps}</filter><path d="M0 0h1" filter="url(#f)"/>`));
    expect(text).toMatch(/<filter id="f"><feGaussianBlur stdDeviation="1"\/><\/filter>/);
    expect(removed).toEqual(['feMorphology', 'feConvolveMatrix']);
  });

  test.each([
    [
      'another encoding',
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><text>\xe4</text></svg>', 'latin1'),
      /UTF-8/,
    ],
    ['too many bytes', svg(`<path d="${'M0 0'.repeat(150_000)}"/>`), /at most 512 KiB/],
    ['a size beyond all screens', svg('<path d="M0 0h1"/>', 'width="90000" height="20"'), /at most 4096.*90000 × 20/],
    ['a symbol of itself', svg('<g id="a"><use href="#a"/></g>'), /refers to itself/],
  ])('rejects one with %s, in the child process and around it', async (_what, content, message) => {
    await expect(readPicture(content)).rejects.toEqual(refused(message));
  });

  test.each([
    ['width="2in" height="72pt"', 192, 96],
    ['width="100%" viewBox="0 0 300 100"', 300, 100],
    ['width="60" viewBox="0,0 300,100"', 60, 20],
    ['height="50px" viewBox="0 0 300 100"', 150, 50],
  ])('the size of %s', async (attributes, width, height) => {
    expect(await cleanDrawing(svg('<path d="M0 0h1"/>', attributes))).toMatchObject({ width, height });
  });

  test('a raster image gets the time that the largest needs on a slow machine, and the error reports an excess', async () => {
    const task = { kind: 'clean' as const, format: 'png' as const };
    await expect(inProcess(task, await png(), { timeoutMs: 1 })).rejects.toEqual(refused(/takes too long to be read/));
    // Of the largest sides, WebP with loss takes most: 17 s on a busy machine.
    expect(limits.clean.timeoutMs).toBeGreaterThan(3 * 17_000);
  });

  test('stops a drawing that takes too long, with its renderer process', async () => {
    // Not cleaned: what the rules remove, so that it takes minutes.
    const steps = '<feMorphology operator="dilate" radius="2000"/>'.repeat(20);
    const content = svg(
      `<filter id="f" x="0" y="0" width="1" height="1">${steps}</filter><rect width="40" height="20" filter="url(#f)"/>`,
    );
    const picture = { format: 'svg' as const, width: 40, height: 20, removed: [] };
    const task = { kind: 'redraw' as const, picture, options: { side: 4_096, as: 'within' as const } };
    await expect(inProcess(task, content, { timeoutMs: 1_500 })).rejects.toEqual(refused(/takes too long to be drawn/));
    const givenUp = new AbortController();
    const failed = expect(inProcess(task, content, givenUp)).rejects.toThrow('given up');
    await until(drawing, (programs) => programs === 1);
    givenUp.abort(new Error('given up'));
    await failed;
    await until(drawing, (programs) => programs === 0);
  });
});
