import { SelectField } from '../../../components/form/select-field.tsx';
import { plainText } from '../../../components/log/plain-text.ts';
import styles from '../lists.module.css';
import { listsText } from '../messages.ts';
import type { Preview } from '../queries.ts';

interface ReadingFieldsProps {
  preview: Preview;
  disabled: boolean;
  onChange(reading: { sheet?: string; header_row?: number | null }): void;
}

const longestLabel = 60;

/** The sheet and header row to read. */
export function ReadingFields({ preview, disabled, onChange }: ReadingFieldsProps) {
  const { sheet, sheets, header_row: headerRow } = preview;
  const { sheet: sheetLabel, sheetHint, emptySheet, header, headerHint } = listsText.preview;
  return (
    <div className={styles.fields}>
      {sheets.length > 1 && (
        <SelectField
          label={sheetLabel}
          hint={sheetHint}
          disabled={disabled}
          // By their places: names may be such that a script's object puts them elsewhere.
          value={`sheet ${sheets.findIndex(({ name }) => name === sheet)}`}
          options={Object.fromEntries(
            sheets.map(({ name, empty }, at) => [`sheet ${at}`, empty ? emptySheet(plainText(name)) : plainText(name)]),
          )}
          onChange={(value) => {
            const chosen = sheets[Number(value.slice('sheet '.length))];
            if (chosen) onChange({ sheet: chosen.name });
          }}
        />
      )}
      <SelectField
        label={header}
        hint={headerHint}
        disabled={disabled}
        value={String(headerRow ?? 'none')}
        options={headerRows(preview)}
        onChange={(value) => onChange({ header_row: value === 'none' ? null : Number(value) })}
      />
    </div>
  );
}

/** The first rows; any of them may be the header row. */
function headerRows({ first_rows: rows, header_row: headerRow }: Preview): Record<string, string> {
  const { headerRow: rowLabel, headerRowOnly, noHeader } = listsText.preview;
  const options = rows.map(({ row, cells }) => {
    const words = plainText(cells.filter((cell) => cell.trim() !== '').join(', '));
    return [row, rowLabel(row, words.length > longestLabel ? `${words.slice(0, longestLabel)} …` : words)] as const;
  });
  if (headerRow !== null && rows.every(({ row }) => row !== headerRow))
    options.push([headerRow, headerRowOnly(headerRow)]);
  return { ...Object.fromEntries(options), none: noHeader };
}
