import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Tenant } from '../../api/client.ts';
import { Badge } from '../../components/data/badge.tsx';
import { Facts } from '../../components/data/facts.tsx';
import { ExactTime, Time } from '../../components/data/time.tsx';
import { Button } from '../../components/form/button.tsx';
import { Icon } from '../../components/layout/icon.tsx';
import { plainText } from '../../components/log/plain-text.ts';
import { capital } from '../../lib/figures.ts';
import styles from './audit-log.module.css';
import { type Change, changesOf, restOf } from './changes.ts';
import { entryText } from './entry-text.ts';
import { auditLogText } from './messages.ts';
import type { Entry } from './view.ts';

export interface AuditLogEntryProps {
  entry: Entry;
  /** undefined: not known yet. */
  tenants: readonly Tenant[] | undefined;
  open: boolean;
  onToggle(open: boolean): void;
  filter(changes: Record<string, string | undefined>): void;
}

const tones = { warning: 'warn', error: 'bad', critical: 'bad' } as const;

/** An audit log entry; its details open below it. */
export function AuditLogEntry({ entry, tenants, open, onToggle, filter }: AuditLogEntryProps) {
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
            {entryText(message)}
          </button>
          <div className={styles.about}>
            {level !== 'info' && <Badge tone={tones[level]}>{auditLogText.levels[level]}</Badge>}
            <span>{auditLogText.categories[category]}</span>
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

/** The tenant: a link while it exists, its short name afterwards. */
function TenantName({ entry: { tenant_id, tenant_slug }, tenants }: Pick<AuditLogEntryProps, 'entry' | 'tenants'>) {
  if (!tenant_id) return null;
  const tenant = tenants?.find(({ id }) => id === tenant_id);
  if (tenant) return <Link to={`/tenants/${tenant_id}`}>{tenant.name}</Link>;
  const slug = tenant_slug ?? '';
  return <span>{tenants ? auditLogText.deletedTenant(slug) : slug}</span>;
}

const words = auditLogText.details;

/** The marker that the manager returns for a secret. */
const hiddenMarker = '***hidden***';

/** A formatted value of an entry's details; always text. */
function shown(value: unknown): ReactNode {
  if (value === null || value === undefined) return <em>{words.none}</em>;
  if (value === '') return <em>{words.empty}</em>;
  if (value === hiddenMarker) return <em>{words.hidden}</em>;
  if (typeof value === 'boolean') return value ? words.yes : words.no;
  if (typeof value === 'object') return <pre className={styles.json}>{plainText(JSON.stringify(value, null, 2))}</pre>;
  return plainText(String(value));
}

/** `backup_id` → Backup id; names given by users are unchanged. */
function nameOf(key: string): string {
  const named = Object.hasOwn(words.names, key) ? words.names[key] : undefined;
  if (named !== undefined) return named;
  if (!/^[a-z][a-z0-9_]*$/.test(key)) return plainText(key);
  return capital(key.replaceAll('_', ' '));
}

interface EntryDetailsProps extends Pick<AuditLogEntryProps, 'entry' | 'filter'> {
  /** Whether the tenant still exists. */
  known: boolean;
}

/** The entry's actor, changes and other details. */
function EntryDetails({ entry: { details, tenant_id, id, created_at }, known, filter }: EntryDetailsProps) {
  const { username, deployment_id } = details;
  const changes = changesOf(details);
  return (
    <div className={styles.details}>
      {changes.length > 0 && <Changes changes={changes} />}
      <Facts
        facts={{
          [words.by]: typeof username === 'string' ? plainText(username) : undefined,
          ...Object.fromEntries(restOf(details).map(([name, value]) => [nameOf(name), shown(value)])),
          [words.work]:
            known && typeof deployment_id === 'string' ? (
              <Link to={`/tenants/${tenant_id}/deployments/${deployment_id}`}>{words.seeWork}</Link>
            ) : undefined,
          [words.at]: <ExactTime key="at" at={created_at} />,
          [words.id]: <span className={styles.mono}>{id}</span>,
        }}
      />
      <div className={styles.also}>
        {typeof username === 'string' && <Button onClick={() => filter({ user: username })}>{words.onlyUser}</Button>}
        {tenant_id && <Button onClick={() => filter({ tenant: tenant_id })}>{words.onlyTenant}</Button>}
      </div>
    </div>
  );
}

const Changes = ({ changes }: { changes: readonly Change[] }) => (
  <table className={styles.changes}>
    <caption>{words.changes}</caption>
    <thead>
      <tr>
        <th scope="col">{words.columns.what}</th>
        <th scope="col">{words.columns.before}</th>
        <th scope="col">{words.columns.after}</th>
      </tr>
    </thead>
    <tbody>
      {changes.map(({ name, before, after }) => (
        <tr key={name}>
          <th scope="row">{name === '' ? words.value : nameOf(name)}</th>
          <td>{shown(before)}</td>
          <td>{shown(after)}</td>
        </tr>
      ))}
    </tbody>
  </table>
);
