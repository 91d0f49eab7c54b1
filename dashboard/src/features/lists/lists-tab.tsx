import { useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'react-router';
import { Waiting } from '../../components/feedback/waiting.tsx';
import { PagePart } from '../../components/layout/page.tsx';
import { useHasRole } from '../accounts/session/session.tsx';
import { useTenant } from '../tenant/tenant-page.tsx';
import { History } from './history.tsx';
import styles from './lists.module.css';
import { listsText } from './messages.ts';
import { historyQuery } from './queries.ts';
import { FormatHelp } from './upload/format-help.tsx';
import { UploadDrop } from './upload/upload-drop.tsx';

/** A tenant's contact lists, with a drop zone for the next one. */
export function ListsTab() {
  const tenant = useTenant();
  const operator = useHasRole('operator');
  const [search] = useSearchParams();
  const offset = Math.max(0, Number.parseInt(search.get('offset') ?? '', 10) || 0);
  const { data, error } = useQuery(historyQuery(tenant.id, offset));
  if (!data) return <Waiting error={error} />;
  const none = data.total === 0;
  return (
    <div className={styles.page}>
      {operator ? (
        <UploadDrop tenantId={tenant.id}>{none && <h2>{listsText.drop.title}</h2>}</UploadDrop>
      ) : (
        none && <p className={styles.fine}>{listsText.drop.viewer}</p>
      )}
      {none ? (
        <FormatHelp />
      ) : (
        <section>
          <PagePart title={listsText.history.title} />
          <History tenantId={tenant.id} jobs={data.jobs} total={data.total} offset={offset} />
        </section>
      )}
    </div>
  );
}
