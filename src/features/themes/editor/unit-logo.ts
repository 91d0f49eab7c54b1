import { mediaTypeOf, type Picture } from '../../../adapters/images/image.ts';
import { redraw } from '../../../adapters/images/read-picture.ts';
import { type AssetFiles, formatOfFile } from './asset-files.ts';
import { type LogoName, type Logos, logoNames } from './logos.ts';

/**
 * Bytes of a logo in a unit's environment. Linux gives a program at most 128 KiB an entry (MAX_ARG_STRLEN); base64 makes
 * three bytes four.
 */
const maxBytes = 48 * 1024;
/** Pixels of the longer side, tried in this order. */
const sides = [512, 256, 128];

/** A logo as small as the units' environment needs it: as it is, or its largest smaller picture that fits. */
export async function unitLogo(picture: Picture): Promise<Picture> {
  let smaller = picture;
  for (const side of sides) {
    if (smaller.content.length <= maxBytes) break;
    smaller = await redraw(picture, { side, as: 'within' });
  }
  return smaller;
}

const entryOf: Readonly<Record<LogoName, string>> = {
  logo_full: 'THEME_LOGO_FULL',
  logo_cropped: 'THEME_LOGO_CROPPED',
  logo_icon: 'THEME_LOGO_ICON',
  logo_name: 'THEME_LOGO_NAME',
};

/**
 * The logos as entries of a unit's environment, each a `data:` address: visitors of the tenant can't ask the manager. One
 * whose file is gone is left out.
 */
export async function logoEntries(files: AssetFiles, tenantId: string, logos: Logos): Promise<Record<string, string>> {
  const entries: Record<string, string> = {};
  for (const name of logoNames) {
    const { unitFile } = logos[name] ?? {};
    const format = unitFile && formatOfFile(unitFile);
    const content = unitFile && (await files.read(tenantId, unitFile));
    if (format && content) entries[entryOf[name]] = `data:${mediaTypeOf(format)};base64,${content.toString('base64')}`;
  }
  return entries;
}
