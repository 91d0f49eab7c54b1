import { useMutation } from '@tanstack/react-query';
import { api, dataOf } from '../../../api/client.ts';
import parts from '../../../components/components.module.css';
import { Facts } from '../../../components/data/facts.tsx';
import { ErrorNote } from '../../../components/feedback/error-note.tsx';
import { notify } from '../../../components/feedback/toasts.tsx';
import { Button } from '../../../components/form/button.tsx';
import { PagePart } from '../../../components/layout/page.tsx';
import { apiText } from '../../../lib/api-text.ts';
import styles from '../configuration.module.css';
import { configurationText } from '../messages.ts';

const words = configurationText.file;

/** Regenerates the tenant's environment file and shows where it and the previous one are. */
export function EnvFileCard({ id }: { id: string }) {
  const write = useMutation({
    mutationFn: () => dataOf(api.POST('/api/tenants/{id}/config/regenerate-env', { params: { path: { id } } })),
    onSuccess: ({ message }) => notify(apiText(words.written, message)),
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
