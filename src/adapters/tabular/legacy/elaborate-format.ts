import type { ElaborateFormat } from './number-format.ts';

/** Number formats in full, by @e965/xlsx, which is loaded only now: few lists need it. */
export async function elaborateFormat(): Promise<ElaborateFormat> {
  const { SSF } = await import('@e965/xlsx');
  return (code, value, date1904) => SSF.format(code, value, { date1904 });
}
