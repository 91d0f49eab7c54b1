import { useMutation } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { Button } from '../parts/button.tsx';
import { ErrorNote } from '../parts/error-note.tsx';
import { Facts } from '../parts/facts.tsx';
import { PagePart } from '../parts/page.tsx';
import parts from '../parts/parts.module.css';
import { tell } from '../parts/toasts.tsx';
import { configurationText } from '../text/configuration.ts';
import styles from './configuration.module.css';

const words = configurationText.file;

/** Writes the tenant's environment file anew, and says where it and the previous one are. */
export function EnvFileCard({ id }: { id: string }) {
  const write = useMutation({
    mutationFn: () => dataOf(api.POST('/api/tenants/{id}/config/regenerate-env', { params: { path: { id } } })),
    onSuccess: ({ message }) => tell(message),
  });
  return (
    <section className={parts.card}>
      <PagePart title={words.title} hint={words.hint}>
        <Button onClick={() => write.mutate()} disabled={write.isPending}>
          {words.submit}
        </Button>
      </PagePart>
      <ErrorNote error={write.error} />
      {write.data && (
        <Facts
          facts={{
            [words.path]: <span className={styles.mono}>{write.data.path}</span>,
            [words.backup]: write.data.backup ? (
              <span className={styles.mono}>{write.data.backup}</span>
            ) : (
              words.noBackup
            ),
          }}
        />
      )}
    </section>
  );
}
