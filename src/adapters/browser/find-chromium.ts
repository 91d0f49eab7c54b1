import { constants } from 'node:fs';
import { access } from 'node:fs/promises';

/** Where distributions and vendors put it. Snap's is left out: it can't be run in a directory of ours. */
const usualPlaces = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
  '/opt/google/chrome/chrome',
  '/usr/lib/chromium/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** The path of a Chromium that can be run; undefined where none is found. @param named the operator's, looked at alone */
export async function findChromium(named: string | undefined): Promise<string | undefined> {
  for (const path of named === undefined ? usualPlaces : [named]) {
    const runs = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (runs) return path;
  }
  return undefined;
}
