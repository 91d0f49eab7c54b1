import { useQuery } from '@tanstack/react-query';
import { ApiError } from '../../../api/api-error.ts';
import { Note } from '../../../components/feedback/note.tsx';
import { Waiting } from '../../../components/feedback/waiting.tsx';
import { Button } from '../../../components/form/button.tsx';
import { CheckField } from '../../../components/form/check-field.tsx';
import { logText } from '../../../components/log/messages.ts';
import { useWrap } from '../../../components/log/use-wrap.ts';
import { KeptLineView } from './kept-line.tsx';
import styles from './kept-logs.module.css';
import { keptText } from './messages.ts';
import { keptLinesQuery } from './queries.ts';

/** The lines around the one that the page's address names. */
export function LinkedLines({ tenantId, line, onBack }: { tenantId: string; line: string; onBack(): void }) {
  const { data, error } = useQuery(keptLinesQuery(tenantId, line));
  const isGone = error instanceof ApiError && (error.status === 404 || error.status === 400);
  const [wrap, setWrap] = useWrap();
  const today = new Date();
  return (
    <section className={styles.kept} aria-label={keptText.aroundTitle}>
      <div className={styles.tools}>
        <Button onClick={onBack}>{keptText.back}</Button>
        <CheckField label={logText.wrap} checked={wrap} onChange={setWrap} />
        {data && <span className={styles.count}>{logText.services[data.unit]}</span>}
      </div>
      {isGone && <Note tone="warn" title={keptText.gone} />}
      {!data && !isGone && <Waiting error={error} />}
      {data && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
        <section className={styles.lines} tabIndex={0} aria-label={keptText.list} data-wrap={wrap || undefined}>
          {data.lines.map((one) => (
            <KeptLineView key={one.id} line={one} today={today} linked={one.id === line} />
          ))}
        </section>
      )}
    </section>
  );
}
