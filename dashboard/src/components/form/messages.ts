import { translated } from '../../lib/language.ts';
import { es } from './messages.es.ts';

const en = {
  wrongType: (endings: string) => `This file can’t be used. Choose one of these types: ${endings}.`,
  several: 'Choose only one file.',
};

/** The texts of the drop zone. */
export const dropText = translated({ en, es });
