import type { Picture } from '../../../adapters/images/image.ts';
import { readPicture } from '../../../adapters/images/read-picture.ts';
import { KeyedLock } from '../../../lib/concurrency/keyed-lock.ts';
import { AppError, invalid } from '../../../lib/errors.ts';
import { disconnectSignal } from '../../../lib/http/requests/client-disconnected.ts';
import { receiveForm } from '../../../lib/http/requests/form.ts';
import type { FormExchange } from '../../../lib/http/requests/upload.ts';
import { assertNoNul } from '../../../lib/http/routing/no-nul.ts';
import { parse } from '../../../lib/http/routing/parse.ts';
import { themeTexts } from '../schema.ts';
import type { ThemeChange } from './change.ts';
import { type LogoName, logoNames } from './logos.ts';
import type { ThemeColours } from './palette.ts';

/** Bytes of one file. */
const maxLogoBytes = 5 * 1024 ** 2;

/**
 * Reads the form of a theme: texts checked, logos cleaned, one after the other for each user: a drawing that takes its full time must
 * not make others wait.
 * @param shown the paths of the logos there are: a form may send back what it was shown
 * @throws (the function) AppError unsupported_media_type, payload_too_large, unsupported_file and validation_error naming the field
 */
export function createFormReader() {
  const pictures = new KeyedLock();

  async function readLogo(name: LogoName, content: Buffer, signal: AbortSignal): Promise<Picture> {
    try {
      return await readPicture(content, { signal });
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'unsupported_file') throw error;
      const { message } = error;
      throw new AppError('unsupported_file', `${name}: ${message}`, {
        issues: [{ path: name, message }],
        cause: error,
      });
    }
  }

  return async (
    exchange: FormExchange,
    userId: string,
    shown: Readonly<Record<LogoName, string | null>>,
  ): Promise<ThemeChange> => {
    const disconnected = disconnectSignal(exchange.response);
    const form = await receiveForm(exchange, { files: logoNames, maxBytes: maxLogoBytes });
    const texts = parse(themeTexts, form.fields);
    assertNoNul(texts);
    const logos: NonNullable<ThemeChange['logos']> = {};
    for (const name of logoNames) {
      const text = texts[name];
      const file = form.files[name];
      if (file && text) throw invalid(name, 'must be a file or an empty text, not both');
      if (file) {
        logos[name] = await pictures.run(userId, () => readLogo(name, file, disconnected));
      } else if (text === '') logos[name] = null;
      else if (text !== undefined && text !== shown[name])
        throw invalid(name, 'must be a file, or an empty text to remove the logo');
    }
    return { colours: coloursOf(texts), logos };
  };
}

type Texts = { [Name in `${keyof ThemeColours}_color`]?: string | undefined };

function coloursOf(texts: Texts): Partial<ThemeColours> {
  const { primary_color, secondary_color, accent_color, text_color, sidebar_color } = texts;
  const given = {
    primary: primary_color,
    secondary: secondary_color,
    accent: accent_color,
    text: text_color,
    sidebar: sidebar_color,
  };
  return Object.fromEntries(Object.entries(given).filter(([, colour]) => colour !== undefined));
}
