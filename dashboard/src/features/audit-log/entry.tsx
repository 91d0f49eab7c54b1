import { Link } from 'react-router';
import type { Tenant } from '../../api/client.ts';
import { Badge } from '../../components/data/badge.tsx';
import { Time } from '../../components/data/time.tsx';
import { Icon } from '../../components/layout/icon.tsx';
import { plainText } from '../../components/log/plain-text.ts';
import styles from './audit-log.module.css';
import { EntryDetails } from './entry-details.tsx';
import { journalText } from './messages.ts';
import type { Entry } from './view.ts';

export interface JournalEntryProps {
  entry: Entry;
  /** undefined: not known yet. */
  tenants: readonly Tenant[] | undefined;
  open: boolean;
  onToggle(open: boolean): void;
  filter(changes: Record<string, string | undefined>): void;
}

const tones = { warning: 'warn', error: 'bad', critical: 'bad' } as const;

/** A line of the journal; its details open below it. */
export function JournalEntry({ entry, tenants, open, onToggle, filter }: JournalEntryProps) {
  const { id, level, category, message, created_at } = entry;
  const details = `details-${id}`;
  return (
    <li className={styles.entry} data-open={open || undefined}>
      <div className={styles.line}>
        <span className={styles.when}>
          <Time at={created_at} />
        </span>
        <div className={styles.what}>
          <button
            type="button"
            className={styles.message}
            aria-expanded={open}
            aria-controls={details}
            onClick={() => onToggle(!open)}
          >
            <span>{plainText(message)}</span>
          </button>
          <div className={styles.about}>
            {level !== 'info' && <Badge tone={tones[level]}>{journalText.levels[level]}</Badge>}
            <span>{journalText.categories[category]}</span>
            <TenantName entry={entry} tenants={tenants} />
          </div>
        </div>
        <span className={styles.arrow}>
          <Icon name="back" />
        </span>
      </div>
      <div id={details} hidden={!open}>
        {open && <EntryDetails entry={entry} filter={filter} known={isKnown(entry, tenants)} />}
      </div>
    </li>
  );
}

const isKnown = ({ tenant_id }: Entry, tenants: readonly Tenant[] | undefined): boolean =>
  tenants?.some((tenant) => tenant.id === tenant_id) ?? false;

/** The tenant it is about: a link while there is one, its short name afterwards. */
function TenantName({ entry: { tenant_id, tenant_slug }, tenants }: Pick<JournalEntryProps, 'entry' | 'tenants'>) {
  if (!tenant_id) return null;
  const tenant = tenants?.find(({ id }) => id === tenant_id);
  if (tenant) return <Link to={`/tenants/${tenant_id}`}>{tenant.name}</Link>;
  const slug = tenant_slug ?? '';
  return <span>{tenants ? journalText.deletedTenant(slug) : slug}</span>;
}
