import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Confirm } from '../../../components/feedback/confirm.tsx';
import { notifyError } from '../../../components/feedback/toasts.tsx';
import { Button } from '../../../components/form/button.tsx';
import { TextField } from '../../../components/form/text-field.tsx';
import { Icon } from '../../../components/layout/icon.tsx';
import { type Preferences, preferencesQuery, savePreferences } from '../../accounts/preferences/preferences.ts';
import { tenantsText } from '../messages.ts';
import styles from '../tenants.module.css';
import { type ColumnKey, chosenColumns, columnKeys, columnsBeforeView, usualColumns } from './columns.tsx';

type SavedView = Preferences['tenant_views'][number];

const saveViews = (views: SavedView[]) => savePreferences({ tenant_views: views });

const known = (columns: readonly string[]): ColumnKey[] => columnKeys.filter((key) => columns.includes(key));

/** The views that the user saved: search, filters, order and columns under a name. */
export function Views({ query, setQuery }: { query: URLSearchParams; setQuery(query: URLSearchParams): void }) {
  const { data } = useQuery(preferencesQuery);
  const views = data?.tenant_views ?? [];
  const columns = chosenColumns.use();
  const [asking, setAsking] = useState(false);
  const [name, setName] = useState('');
  const current = views.find((view) => view.query === query.toString() && `${known(view.columns)}` === `${columns}`);
  return (
    <fieldset className={styles.views} aria-label={tenantsText.views.label}>
      <button
        type="button"
        aria-pressed={query.size === 0 && !current}
        onClick={() => {
          const own = columnsBeforeView.get();
          if (own) chosenColumns.set(own);
          columnsBeforeView.set(null);
          setQuery(new URLSearchParams());
        }}
      >
        {tenantsText.views.all}
      </button>
      {views.map((view) => (
        <button
          key={view.name}
          type="button"
          aria-pressed={view === current}
          onClick={() => {
            if (!columnsBeforeView.get()) columnsBeforeView.set(columns);
            chosenColumns.set(known(view.columns));
            setQuery(new URLSearchParams(view.query));
          }}
        >
          {view.name}
        </button>
      ))}
      {current ? (
        <Button
          variant="quiet"
          onClick={() => void saveViews(views.filter((view) => view !== current)).catch(notifyError)}
        >
          {tenantsText.views.remove}
        </Button>
      ) : (
        (query.size > 0 || `${columns}` !== `${usualColumns}`) && (
          <Button variant="quiet" onClick={() => setAsking(true)}>
            <Icon name="add" />
            {tenantsText.views.save}
          </Button>
        )
      )}
      {asking && (
        <Confirm
          title={tenantsText.views.saveTitle}
          hint={tenantsText.views.saveHint}
          submit={tenantsText.views.submit}
          ready={name.trim() !== ''}
          act={async () => {
            const view: SavedView = { name: name.trim(), query: query.toString(), columns: [...columns] };
            await saveViews([...views.filter((one) => one.name !== view.name), view]);
          }}
          onDone={() => setName('')}
          onClose={() => setAsking(false)}
        >
          <TextField name="view" label={tenantsText.views.name} value={name} onChange={setName} autoFocus />
        </Confirm>
      )}
    </fieldset>
  );
}
