import { Link } from 'react-router';
import { Badge } from '../parts/badge.tsx';
import parts from '../parts/parts.module.css';
import { Time } from '../parts/time.tsx';
import { proxyText as words } from '../text/proxy.ts';
import { Output } from './output.tsx';
import styles from './proxy.module.css';
import type { ProxyState } from './queries.ts';

const tones = { changed: 'good', unchanged: 'plain', failed: 'bad' } as const;

/** What came of the last change at the proxy, in its own words. */
export const LastChange = ({ change }: { change: ProxyState['last_change'] }) => (
  <section className={parts.card}>
    <div className={styles.cardHead}>
      <h3 className={styles.cardTitle}>{words.lastChange}</h3>
      {change && <Badge tone={tones[change.outcome]}>{words.outcomes[change.outcome]}</Badge>}
    </div>
    {!change && <p className={styles.fine}>{words.noChange}</p>}
    {change && (
      <>
        <p className={styles.fine}>
          <Link to={`/system/proxy/${change.tenant_id}`}>{change.slug}</Link>, <Time at={change.at} />
        </p>
        <Output label={words.output} text={change.output || words.noOutput} />
      </>
    )}
  </section>
);
