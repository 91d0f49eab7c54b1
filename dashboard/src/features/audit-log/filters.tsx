import type { Tenant } from '../../api/client.ts';
import { SearchField } from '../../components/form/search-field.tsx';
import { SelectField } from '../../components/form/select-field.tsx';
import { TextField } from '../../components/form/text-field.tsx';
import { compareTexts } from '../../lib/figures.ts';
import styles from './audit-log.module.css';
import { auditLogText } from './messages.ts';
import type { Time, View } from './view.ts';

interface JournalFiltersProps {
  view: View;
  tenants: readonly Tenant[];
  set(changes: Record<string, string | undefined>): void;
}

/** The filters of the audit log. */
export function AuditLogFilters({ view, tenants, set }: JournalFiltersProps) {
  const { tenant, category = '', level = '', time } = view;
  const named = tenants.toSorted((a, b) => compareTexts(a.name, b.name)).map(({ id, name }) => [id, name]);
  const gone = tenant !== '' && !tenants.some(({ id }) => id === tenant);
  return (
    <search className={styles.filters} aria-label={auditLogText.filters}>
      <div className={styles.search}>
        <SearchField
          label={auditLogText.search}
          placeholder={auditLogText.searchHint}
          maxLength={255}
          value={view.search}
          onChange={(search) => set({ q: search })}
        />
      </div>
      <SelectField
        bare
        label={auditLogText.category}
        value={category}
        options={{ '': auditLogText.anyCategory, ...auditLogText.categories }}
        onChange={(value) => set({ category: value })}
      />
      <SelectField
        bare
        label={auditLogText.level}
        value={level}
        options={{ '': auditLogText.anyLevel, ...auditLogText.levels }}
        onChange={(value) => set({ level: value })}
      />
      <SelectField
        bare
        label={auditLogText.tenant}
        value={tenant}
        options={{
          '': auditLogText.anyTenant,
          ...(gone ? { [tenant]: auditLogText.unknownTenant } : {}),
          ...Object.fromEntries(named),
        }}
        onChange={(value) => set({ tenant: value })}
      />
      <SelectField
        bare
        label={auditLogText.time}
        value={time}
        options={auditLogText.times}
        onChange={(value: Time) => set({ time: value === 'any' ? undefined : value, from: undefined, to: undefined })}
      />
      <input
        type="search"
        className={styles.user}
        aria-label={auditLogText.user}
        placeholder={auditLogText.userHint}
        maxLength={64}
        value={view.user}
        onChange={(event) => set({ user: event.target.value })}
      />
      {time === 'between' && (
        <div className={styles.between}>
          <TextField
            name="from"
            type="datetime-local"
            label={auditLogText.from}
            value={view.from}
            onChange={(value) => set({ from: value })}
          />
          <TextField
            name="to"
            type="datetime-local"
            label={auditLogText.to}
            value={view.to}
            onChange={(value) => set({ to: value })}
          />
        </div>
      )}
    </search>
  );
}
