import { useMutation } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client.ts';
import parts from '../../components/components.module.css';
import { Badge } from '../../components/data/badge.tsx';
import { Time } from '../../components/data/time.tsx';
import { ErrorNote } from '../../components/feedback/error-note.tsx';
import { sitesText as words } from './messages.ts';
import { Output } from './output.tsx';
import styles from './sites.module.css';

/** Tests the active configuration by the proxy itself; the result stays until the user leaves the page. */
export const useProxyTest = () =>
  useMutation({
    mutationFn: async () => ({
      ...(await dataOf(api.POST('/api/proxy/test'))),
      at: new Date().toISOString(),
    }),
  });
export type ProxyTest = ReturnType<typeof useProxyTest>;

export function TestCard({ test: { data: answer, error } }: { test: ProxyTest }) {
  if (!answer && !error) return null;
  return (
    <section className={parts.card} role="status">
      <div className={styles.cardHead}>
        <h3 className={styles.cardTitle}>{words.tested}</h3>
        {answer && <Badge tone={answer.valid ? 'good' : 'bad'}>{answer.valid ? words.valid : words.invalid}</Badge>}
      </div>
      <ErrorNote error={error} />
      {answer && (
        <>
          <p className={styles.fine}>
            <Time at={answer.at} />
          </p>
          <Output label={words.tested} text={answer.output || words.noOutput} />
        </>
      )}
    </section>
  );
}
