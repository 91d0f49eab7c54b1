import { Icon } from '../../../components/layout/icon.tsx';
import { plainText } from '../../../components/log/plain-text.ts';
import { listsText } from '../messages.ts';
import type { Mapping } from '../queries.ts';
import { useCatalogue } from './catalogue.ts';
import columns from './columns.module.css';
import { neededFields } from './mapping-rules.ts';

/** The required fields, and whether they are mapped. */
export function NeededFields({ mappings }: { mappings: readonly Mapping[] }) {
  const { required, filled, missing } = listsText.columns;
  return (
    <section className={columns.needed} aria-label={required}>
      <strong>{required}</strong>
      <ul>
        {neededFields(useCatalogue(), mappings).map(({ field, label, source }) => (
          <li key={field} data-missing={source === undefined || undefined}>
            <Icon name={source === undefined ? 'warn' : 'good'} />
            <span>
              {label}: {source === undefined ? missing : filled(plainText(source))}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
