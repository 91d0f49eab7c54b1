import { plainText } from '../../../components/log/plain-text.ts';
import type { ListJob } from '../queries.ts';

/** A list's name: its file's, without the ending. */
export const nameOf = ({ filename }: Pick<ListJob, 'filename'>): string =>
  plainText(filename).replace(/\.\w{1,5}$/, '');
